// Who may see a page. The server decides for every call anew; what stands here spares people a page that could not
// work for them, and says why.

import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'react';
import { Navigate, useLocation } from 'react-router-dom';

import { storedToken } from './api/access-token';
import { api, take } from './api/client';
import { Problem } from './api/problem';
import { signInAddress } from './plans';
import { useSession } from './session';
import { Button } from './ui/button';
import { RepeatIcon } from './ui/icons';
import { Page } from './ui/page';
import { Spinner } from './ui/spinner';

/** What the look at the usage has shown. */
export type Verdict =
  | { access: 'granted'; text: 'Sottoscrizione attiva' }
  | { access: 'no-plan'; text: 'Sottoscrizione richiesta' }
  | { access: 'signed-out'; text: 'Sessione scaduta' | 'Token di accesso non trovato' }
  | { access: 'unknown'; text: 'Stato sottoscrizione non verificabile' | 'Errore di connessione - accesso negato per sicurezza' };

/** Asks the server whether a subscription is active. What cannot be found out counts as no access. */
export async function checkSubscription(signal?: AbortSignal): Promise<Verdict> {
  if (!storedToken()) return { access: 'signed-out', text: 'Token di accesso non trovato' };
  try {
    await take(api.GET('/api/v1/usage', { signal }));
    return { access: 'granted', text: 'Sottoscrizione attiva' };
  } catch (caught) {
    if (!(caught instanceof Problem)) throw caught;
    if (caught.status === 402) return { access: 'no-plan', text: 'Sottoscrizione richiesta' };
    if (caught.status === 401) return { access: 'signed-out', text: 'Sessione scaduta' };
    if (caught.isNetwork) return { access: 'unknown', text: 'Errore di connessione - accesso negato per sicurezza' };
    return { access: 'unknown', text: 'Stato sottoscrizione non verificabile' };
  }
}

const Waiting = () => <Spinner place="page" text="Verifica accesso..." />;

/**
 * A page for those who are signed in. Whoever comes as a stranger goes to the sign-in; whose session ends while the
 * page is open is led on by `SessionEnd`, which knows where to.
 */
export function SignedInOnly({ children }: { children: ComponentChildren }) {
  const { state } = useSession();
  const at = useLocation();
  const wasHere = useRef(false);
  if (state === 'signed-in') wasHere.current = true;
  if (state === 'signed-in') return <>{children}</>;
  if (state === 'loading' || wasHere.current) return <Waiting />;
  return <Navigate to={signInAddress(at)} replace />;
}

/** A page for those who are signed in and hold an active subscription. */
export function SubscribersOnly({ children }: { children: ComponentChildren }) {
  return (
    <SignedInOnly>
      <WithSubscription>{children}</WithSubscription>
    </SignedInOnly>
  );
}

function WithSubscription({ children }: { children: ComponentChildren }) {
  const [verdict, setVerdict] = useState<Verdict>();

  useEffect(() => {
    const gone = new AbortController();
    checkSubscription(gone.signal).then(setVerdict, (caught: unknown) => {
      if (!gone.signal.aborted) throw caught;
    });
    return () => gone.abort();
  }, []);

  switch (verdict?.access) {
    case 'granted':
      return <>{children}</>;
    case 'no-plan':
      return <Navigate to="/account/subscription" replace state={{ reason: verdict.text }} />;
    case 'unknown':
      return (
        <Page title="Errore di Verifica" lead={verdict.text}>
          <p>Non siamo riusciti a controllare il tuo abbonamento. Aspetta un momento, poi premi “Riprova”.</p>
          <p class="actions">
            <Button variant="primary" icon={RepeatIcon} onClick={() => location.reload()}>
              Riprova
            </Button>
          </p>
        </Page>
      );
    default:
      // Nothing known yet, or signed out: then the session has noticed, and the page is about to change.
      return <Waiting />;
  }
}
