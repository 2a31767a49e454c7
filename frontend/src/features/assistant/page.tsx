// The assistant: a problem goes in, a solution comes out, and one goes on from there until it is solved.

import { useCallback, useEffect, useRef, useState } from 'react';
import toast from 'react-hot-toast/headless';
import { useNavigate } from 'react-router-dom';

import { uploadImage, type Outcome } from '../../api/assistant';
import { Problem } from '../../api/problem';
import { preferences } from '../../preferences';
import { CHECKOUT_SUCCESS_KEY, displayName, useSession } from '../../session';
import { Button } from '../../ui/button';
import { forgetDraft, keptDraft } from '../../ui/draft';
import { RepeatIcon } from '../../ui/icons';
import { Notice } from '../../ui/notice';
import { Page } from '../../ui/page';
import { Spinner } from '../../ui/spinner';
import { Closing, FollowUp, Helpfulness } from './after';
import { useConversation } from './conversation';
import { FeedbackDialog } from './feedback-dialog';
import styles from './page.module.css';
import { ABOUT_THE_IMAGE, ProblemForm } from './problem-form';
import { readPicture } from './read-picture';
import { Solution } from './solution';
import { tellSubmitError } from './submit-errors';
import { UsagePanel } from './usage-panel';
import { Waiting } from './waiting';

const DRAFT = 'problem';
/** Milliseconds after the return from a checkout. */
const REFRESH_AFTER_CHECKOUT = 1_000;

const HEADINGS = {
  form: 'Come posso aiutarti oggi?',
  opening: 'Riapro la tua richiesta',
  unopened: 'Non riesco a riaprire la tua richiesta',
  waiting: 'Sto cercando la soluzione',
  solution: 'Ecco che cosa fare',
} as const;

/** The profile is fetched anew soon after a payment. */
function useReturnFromCheckout(refresh: () => Promise<void>) {
  useEffect(() => {
    if (localStorage.getItem(CHECKOUT_SUCCESS_KEY) !== 'true') return;
    localStorage.removeItem(CHECKOUT_SUCCESS_KEY);
    const timer = setTimeout(() => void refresh(), REFRESH_AFTER_CHECKOUT);
    return () => clearTimeout(timer);
  }, [refresh]);
}

export default function AssistantPage() {
  const { user, refresh } = useSession();
  const navigate = useNavigate();
  const conversation = useConversation();
  const { view } = conversation;
  const [file, setFile] = useState<File>();
  const [failure, setFailure] = useState<string>();
  const [uploading, setUploading] = useState(false);
  const [used, setUsed] = useState(0);
  const [reviewing, setReviewing] = useState(false);
  const [reviewed, setReviewed] = useState<string>();
  /** A picture that was read and is at the server already is not sent again. */
  const uploaded = useRef<{ file: File; path: string; words: string | undefined } | undefined>(undefined);
  const heading = useRef<HTMLHeadingElement>(null);
  useReturnFromCheckout(refresh);

  // Those who listen are taken to what is new; the first view is where the page begins.
  const before = useRef(view.name);
  const answered = view.name === 'solution' ? `${view.solution.answer.session_id} ${view.solution.answer.interaction_id}` : '';
  useEffect(() => {
    if (before.current === view.name && !answered) return;
    const changed = before.current !== view.name;
    before.current = view.name;
    if (!changed) return;
    heading.current?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, [view.name, answered]);

  const submit = useCallback(
    async (text: string) => {
      setFailure(undefined);
      setUploading(file !== undefined);
      const refused = new AbortController();
      try {
        let picture: { path: string; words: string | undefined } | undefined;
        if (file) {
          if (uploaded.current?.file !== file) {
            const words = readPicture(file, { signal: refused.signal });
            uploaded.current = { file, path: await uploadImage(file), words: await words };
          }
          picture = uploaded.current;
        }
        const { response_format: format, save_conversations: save } = preferences();
        setUploading(false);
        await conversation.solve({ text, imagePath: picture?.path, imageText: picture?.words, format, save });
        forgetDraft(DRAFT);
        uploaded.current = undefined;
        setFile(undefined);
        toast.success('Soluzione trovata!');
      } catch (caught) {
        // A picture that the server refused need not be read to its end.
        refused.abort();
        setUploading(false);
        if (!(caught instanceof Problem)) throw caught;
        setFailure(tellSubmitError(caught, navigate));
      } finally {
        setUsed((count) => count + 1);
      }
    },
    [conversation, file, navigate],
  );

  const followUp = useCallback(
    async (text: string) => {
      if (view.name !== 'solution') return;
      const { response_format: format, save_conversations: save } = preferences();
      try {
        await conversation.followUp({ text, session: view.solution.answer.session_id, format, save });
        toast.success('Risposta ricevuta!');
        heading.current?.focus({ preventScroll: true });
        window.scrollTo(0, 0);
      } catch (caught) {
        if (!(caught instanceof Problem)) throw caught;
        if (caught.status === 429 || caught.status === 402) tellSubmitError(caught, navigate);
        else toast.error("Errore nell'invio della domanda. Riprova più tardi.");
        throw caught;
      } finally {
        setUsed((count) => count + 1);
      }
    },
    [conversation, navigate, view],
  );

  const setOutcome = useCallback(
    (step: number, outcome: Outcome | null) => {
      conversation.setOutcome(step, outcome).catch((caught: unknown) => {
        if (!(caught instanceof Problem)) throw caught;
        toast.error('Non sono riuscito a salvare com\'è andato il passaggio. Premi di nuovo il tasto.');
      });
    },
    [conversation],
  );

  const setResolved = useCallback(
    (resolved: boolean) => {
      conversation.setResolved(resolved).then(
        () => void (resolved && toast.success('Bene! Siamo contenti di averti aiutato.')),
        (caught: unknown) => {
          if (!(caught instanceof Problem)) throw caught;
          toast.error('Non sono riuscito a salvare. Premi di nuovo il tasto.');
        },
      );
    },
    [conversation],
  );

  const startAnew = useCallback(() => {
    setFailure(undefined);
    setFile(undefined);
    // What was asked, and answered only after a reload, need not be asked again.
    if (view.name === 'solution' && keptDraft(DRAFT).trim() === view.solution.question) forgetDraft(DRAFT);
    conversation.startAnew();
  }, [conversation, view]);

  const title = HEADINGS[view.name];
  return (
    <Page title={title} heading="none" width="wide">
      <div class={styles.columns}>
        <div class={styles.main}>
          <div>
            <h1 ref={heading} tabIndex={-1}>
              {title}
            </h1>
            {view.name === 'form' && <p class={styles.lead}>Descrivi il problema con parole tue, o carica una foto dello schermo.</p>}
          </div>
          {view.name === 'form' && (
            <>
              <Welcome name={displayName(user) ?? user?.email} />
              <Guide />
              <ProblemForm draft={DRAFT} file={file} onFile={setFile} busy={uploading} failure={failure} onSubmit={(text) => void submit(text)} />
            </>
          )}
          {view.name === 'opening' && <Spinner text="Apro la tua richiesta..." />}
          {view.name === 'unopened' && (
            <Notice kind="error" announce="now">
              <p>{view.detail}</p>
              <p>La tua richiesta non è persa.</p>
              <p class="actions">
                <Button variant="primary" icon={RepeatIcon} onClick={conversation.reopen}>
                  Riprova
                </Button>
                <Button onClick={startAnew}>Nuovo problema</Button>
              </p>
            </Notice>
          )}
          {view.name === 'waiting' && (
            <Waiting
              question={view.question === ABOUT_THE_IMAGE ? 'La tua immagine' : view.question}
              progress={view.progress}
              partial={view.partial}
            />
          )}
          {view.name === 'solution' && (
            <>
              <Solution solution={view.solution} onOutcome={setOutcome} />
              <FollowUp
                key={answered}
                draft={`follow-up ${view.solution.answer.session_id}`}
                following={conversation.following}
                onSend={followUp}
              />
              {!view.solution.feedback && reviewed !== answered && (
                <Helpfulness onFeedback={conversation.giveFeedback} onReview={() => setReviewing(true)} />
              )}
              <Closing resolved={view.solution.resolved} onResolved={setResolved} onNew={startAnew} />
              <FeedbackDialog
                open={reviewing}
                session={view.solution.answer.session_id}
                onClose={() => setReviewing(false)}
                onSent={() => {
                  setReviewing(false);
                  setReviewed(answered);
                }}
              />
            </>
          )}
        </div>
        <aside class={styles.aside} aria-label="Il tuo piano">
          <UsagePanel changed={used} />
        </aside>
      </div>
    </Page>
  );
}

function Welcome({ name }: { name: string | undefined }) {
  return (
    <div class={styles.welcome}>
      <p>
        <strong>Ciao, {name ?? 'amico di Rimedio'}!</strong>
      </p>
      <p>Hai accesso completo all'assistente.</p>
    </div>
  );
}

function Guide() {
  return (
    <section class={styles.guide} aria-labelledby="guida">
      <h2 id="guida">Come avere un aiuto preciso</h2>
      <ul>
        <li>Di' quale dispositivo usi: computer, telefono, stampante.</li>
        <li>Racconta che cosa stavi facendo quando è successo.</li>
        <li>Copia le parole o il codice che leggi sullo schermo, oppure fotografali.</li>
      </ul>
    </section>
  );
}
