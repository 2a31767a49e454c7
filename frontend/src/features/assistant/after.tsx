// What one can do after an answer: say whether it helped, ask on, close the matter, begin anew.

import { useId, useState } from 'react';
import toast from 'react-hot-toast/headless';

import { Problem } from '../../api/problem';
import { Button } from '../../ui/button';
import { useDraft } from '../../ui/draft';
import { TextArea } from '../../ui/field';
import { CheckIcon, PencilIcon, PlusIcon, RepeatIcon, ThumbDownIcon, ThumbUpIcon } from '../../ui/icons';
import { Spinner } from '../../ui/spinner';
import styles from './page.module.css';

/** Characters; the server takes no more. */
export const LONGEST_FOLLOW_UP = 4_000;

export interface HelpfulnessProps {
  onFeedback: (feedback: 'positive' | 'negative') => Promise<void>;
  /** Opens the detailed review. */
  onReview: () => void;
}

export function Helpfulness({ onFeedback, onReview }: HelpfulnessProps) {
  const [sending, setSending] = useState(false);
  const give = (feedback: 'positive' | 'negative') => {
    setSending(true);
    onFeedback(feedback)
      .then(
        () => void toast.success('Grazie per il tuo feedback!'),
        (caught: unknown) => {
          if (!(caught instanceof Problem)) throw caught;
          toast.error("Errore nell'invio del feedback");
        },
      )
      .finally(() => setSending(false));
  };
  return (
    <section class={styles.block} aria-labelledby="utile" data-print="never">
      <h2 id="utile">Questa risposta ti è stata utile?</h2>
      <div class={styles.row}>
        <Button icon={ThumbUpIcon} busy={sending} onClick={() => give('positive')}>
          Sì, utile
        </Button>
        <Button icon={ThumbDownIcon} busy={sending} onClick={() => give('negative')}>
          No, non utile
        </Button>
        <Button variant="quiet" icon={PencilIcon} onClick={onReview}>
          Scrivi una recensione dettagliata
        </Button>
      </div>
    </section>
  );
}

export interface FollowUpProps {
  /** Where the draft is kept. */
  draft: string;
  following: { progress: string } | undefined;
  onSend: (text: string) => Promise<void>;
}

export function FollowUp({ draft, following, onSend }: FollowUpProps) {
  const [text, setText] = useDraft(draft);
  const [open, setOpen] = useState(text !== '');
  const id = useId();
  const sending = following !== undefined;

  return (
    <section class={styles.block} aria-labelledby="domanda" data-print="never">
      <h2 id="domanda">Non è bastato, o qualcosa non è chiaro?</h2>
      <p>Segna sopra come sono andati i passaggi, poi scrivimi: andiamo avanti da lì.</p>
      <div class={styles.row}>
        <Button icon={RepeatIcon} aria-expanded={open} aria-controls={id} onClick={() => setOpen(!open)}>
          Fai un'altra domanda
        </Button>
      </div>
      <form
        id={id}
        hidden={!open}
        class={styles.followUp}
        onSubmit={(event) => {
          event.preventDefault();
          if (sending || !text.trim()) return;
          void onSend(text.trim()).then(
            () => {
              setText('');
              setOpen(false);
            },
            // Told by the page; the text stays.
            () => {},
          );
        }}
      >
        <TextArea
          label="La tua domanda"
          value={text}
          rows={3}
          maxLength={LONGEST_FOLLOW_UP}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <div class={styles.row}>
          <Button type="submit" variant="primary" disabled={!text.trim() && !sending} busy={sending} busyText="Invio in corso...">
            Invia
          </Button>
          <Button
            disabled={sending}
            onClick={() => {
              setText('');
              setOpen(false);
            }}
          >
            Annulla
          </Button>
        </div>
        {sending && <Spinner text={following.progress || 'Sto preparando la risposta...'} />}
      </form>
    </section>
  );
}

export interface ClosingProps {
  resolved: boolean;
  onResolved: (resolved: boolean) => void;
  onNew: () => void;
}

export function Closing({ resolved, onResolved, onNew }: ClosingProps) {
  return (
    <section class={styles.block} aria-label="Fine della richiesta" data-print="never">
      <div class={styles.row}>
        <Button variant={resolved ? 'primary' : 'secondary'} icon={CheckIcon} aria-pressed={resolved} onClick={() => onResolved(!resolved)}>
          {resolved ? 'Risolto!' : 'Ho risolto'}
        </Button>
        <Button icon={PlusIcon} onClick={onNew}>
          Nuovo problema
        </Button>
      </div>
    </section>
  );
}
