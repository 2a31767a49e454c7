// Past requests: the list, and one of them with everything that was said.

import { useEffect, useState } from 'react';
import toast from 'react-hot-toast/headless';
import { Link, useNavigate, useParams } from 'react-router-dom';

import { imageAddress, type PastSession, type SessionSummary } from '../../api/assistant';
import { api, take } from '../../api/client';
import { Problem } from '../../api/problem';
import { Button, ButtonLink } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { ArrowLeftIcon, BinIcon, RepeatIcon, SuccessIcon } from '../../ui/icons';
import { Notice } from '../../ui/notice';
import { Page } from '../../ui/page';
import { Spinner } from '../../ui/spinner';
import { LOOK_AGAIN } from './conversation';
import styles from './page.module.css';
import { Solution } from './solution';

const WHEN = new Intl.DateTimeFormat('it-IT', { dateStyle: 'long', timeStyle: 'short', timeZone: 'Europe/Rome' });
const PAGE = 20;

export default function HistoryPage() {
  const { id } = useParams();
  return id ? <Past key={id} id={id} /> : <List />;
}

function List() {
  const [sessions, setSessions] = useState<SessionSummary[]>();
  const [next, setNext] = useState<string>();
  const [failure, setFailure] = useState<string>();
  const [loading, setLoading] = useState(false);

  async function load(before?: string) {
    setLoading(true);
    try {
      const page = await take(api.GET('/api/v1/sessions', { params: { query: { limit: PAGE, before } } }));
      setSessions((known) => [...(before ? (known ?? []) : []), ...page.sessions]);
      setNext(page.next);
      setFailure(undefined);
    } catch (caught) {
      if (!(caught instanceof Problem)) throw caught;
      setFailure(caught.detail);
    } finally {
      setLoading(false);
    }
  }
  useEffect(() => void load(), []);

  return (
    <Page title="Le mie richieste" lead="Qui ritrovi quello che hai chiesto e le risposte che hai avuto.">
      {failure && (
        <Notice kind="error" announce="now">
          <p>{failure}</p>
          <p>
            <Button icon={RepeatIcon} onClick={() => void load()}>
              Riprova
            </Button>
          </p>
        </Notice>
      )}
      {!sessions && !failure && <Spinner text="Caricamento..." />}
      {sessions?.length === 0 && (
        <>
          <p>Non hai ancora fatto richieste.</p>
          <p class="actions">
            <ButtonLink variant="primary" to="/app">
              Fai la prima
            </ButtonLink>
          </p>
        </>
      )}
      {sessions && sessions.length > 0 && (
        <ul role="list" class={styles.past}>
          {sessions.map((session) => (
            <li key={session.session_id} class={styles.pastItem}>
              <div>
                <Link to={`/richieste/${session.session_id}`}>{session.title}</Link>
                <p class={styles.when}>
                  {WHEN.format(new Date(session.updated_at))} · {session.interactions === 1 ? '1 risposta' : `${session.interactions} risposte`}
                </p>
              </div>
              {session.resolved && (
                <p class={styles.solved}>
                  <SuccessIcon /> Risolto
                </p>
              )}
            </li>
          ))}
        </ul>
      )}
      {next && (
        <p class="actions">
          <Button busy={loading} onClick={() => void load(next)}>
            Mostra le precedenti
          </Button>
        </p>
      )}
    </Page>
  );
}

function Past({ id }: { id: string }) {
  const navigate = useNavigate();
  const [session, setSession] = useState<PastSession>();
  const [failure, setFailure] = useState<string>();
  const [removing, setRemoving] = useState(false);

  useEffect(() => {
    const gone = new AbortController();
    let again: ReturnType<typeof setTimeout> | undefined;
    const look = async () => {
      try {
        const found = await take(api.GET('/api/v1/sessions/{id}', { params: { path: { id } }, signal: gone.signal }));
        setSession(found);
        // An answer that is still being written comes by itself.
        if (found.pending) again = setTimeout(() => void look(), LOOK_AGAIN);
      } catch (caught) {
        if (gone.signal.aborted) return;
        if (!(caught instanceof Problem)) throw caught;
        setFailure(caught.detail);
      }
    };
    void look();
    return () => {
      gone.abort();
      clearTimeout(again);
    };
  }, [id]);

  async function remove() {
    setRemoving(false);
    try {
      await take(api.DELETE('/api/v1/sessions/{id}', { params: { path: { id } } }));
      toast.success('Richiesta cancellata.');
      void navigate('/richieste');
    } catch (caught) {
      if (!(caught instanceof Problem)) throw caught;
      toast.error(caught.detail);
    }
  }

  return (
    <Page title={session?.title ?? 'La tua richiesta'} lead={session && WHEN.format(new Date(session.created_at))}>
      <p data-print="never">
        <Link to="/richieste">
          <ArrowLeftIcon class={styles.back} /> Torna alle mie richieste
        </Link>
      </p>
      {failure && (
        <Notice kind="error" announce="now">
          <p>{failure}</p>
        </Notice>
      )}
      {!session && !failure && <Spinner text="Caricamento..." />}
      {session?.pending && (
        <Notice kind="info" title="La risposta sta arrivando">
          <p>La stiamo ancora scrivendo: tra poco la leggi qui.</p>
        </Notice>
      )}
      {session?.interactions.map((interaction) => (
        <div key={interaction.interaction_id} class={styles.exchange}>
          {interaction.image_path && <Picture path={interaction.image_path} />}
          <Solution
            solution={{
              question: interaction.question,
              answer: interaction.answer,
              outcomes: interaction.answer.steps.map((_, index) => interaction.outcomes[index] ?? null),
              resolved: session.resolved,
            }}
          />
        </div>
      ))}
      {session && (
        <p class="actions" data-print="never">
          <ButtonLink variant="primary" icon={RepeatIcon} to={`/app?s=${session.session_id}`}>
            Continua questa richiesta
          </ButtonLink>
          <Button icon={BinIcon} onClick={() => setRemoving(true)}>
            Cancella
          </Button>
        </p>
      )}
      <Dialog
        open={removing}
        title="Cancellare questa richiesta?"
        onClose={() => setRemoving(false)}
        actions={
          <>
            <Button onClick={() => setRemoving(false)}>No, tienila</Button>
            <Button variant="danger" onClick={() => void remove()}>
              Sì, cancella
            </Button>
          </>
        }
      >
        <p>La domanda e le risposte spariranno per sempre.</p>
      </Dialog>
    </Page>
  );
}

/** The person's own picture, as long as it is kept. */
function Picture({ path }: { path: string }) {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    const gone = new AbortController();
    let made: string | undefined;
    imageAddress(path, gone.signal).then(
      (known) => {
        made = known;
        if (gone.signal.aborted) URL.revokeObjectURL(known);
        else setAddress(known);
      },
      (caught: unknown) => {
        // Pictures go after 30 days; the answer stays.
        if (!gone.signal.aborted && !(caught instanceof Problem)) throw caught;
      },
    );
    return () => {
      gone.abort();
      if (made) URL.revokeObjectURL(made);
    };
  }, [path]);
  return address ? <img class={styles.picture} src={address} alt="L'immagine che hai mandato" /> : null;
}
