// The way back from Google. The ticket was taken out of the address bar before this page was drawn; here it becomes a
// session, once, and the person goes on: to the terms, to the order of the plan that they had asked for, or to the
// assistant.

import { useEffect, useState } from 'react';
import { useNavigate } from 'react-router-dom';

import { api, take } from '../../api/client';
import { Problem } from '../../api/problem';
import { arrival, type Arrival } from '../../arrival';
import { browser } from '../../checkout';
import { isPlan, orderAddress } from '../../plans';
import { useSession } from '../../session';
import { ButtonLink } from '../../ui/button';
import { Notice } from '../../ui/notice';
import { Page, useWindowTitle } from '../../ui/page';
import { Spinner } from '../../ui/spinner';
import ConsentPage from './consent-page';

/** Milliseconds until the sign-in page is shown again after a failure. */
export const BACK_TO_LOGIN = 3_000;
/** Milliseconds between the sign-in and the page that follows. */
export const ONWARD = 100;

type State = { step: 'exchanging' } | { step: 'consent' } | { step: 'onward' } | { step: 'failed'; text: string };

/** A ticket is good once; what is under way or done is not begun again when the page is drawn anew. */
let spent: string | undefined;

export default function CallbackPage() {
  return <Callback from={arrival} />;
}

export function Callback({ from }: { from: Arrival }) {
  const { signIn } = useSession();
  const navigate = useNavigate();
  const [state, setState] = useState<State>({ step: 'exchanging' });
  const onward = isPlan(from.plan) ? orderAddress(from.plan) : '/app';

  useEffect(() => {
    const fail = (text: string) => setState({ step: 'failed', text });
    if (from.error) return fail(from.error);
    if (!from.token) {
      if (from.code) browser.open(`/api/v1/auth/google/callback${from.query}`);
      else fail('Token di autenticazione mancante');
      return;
    }
    if (spent === from.token) {
      navigate(onward, { replace: true });
      return;
    }
    spent = from.token;
    take(api.POST('/api/v1/auth/exchange', { body: { token: from.token } })).then(
      ({ access_token, user }) => {
        signIn(access_token, user);
        setState({ step: user.consent_required ? 'consent' : 'onward' });
      },
      (caught: unknown) => {
        if (!(caught instanceof Problem)) throw caught;
        fail(caught.isNetwork ? 'Errore di connessione. Riprova più tardi.' : caught.detail);
      },
    );
  }, [from, onward, navigate, signIn]);

  useEffect(() => {
    if (state.step === 'failed') {
      const timer = setTimeout(() => navigate('/login', { replace: true }), BACK_TO_LOGIN);
      return () => clearTimeout(timer);
    }
    if (state.step === 'onward') {
      const timer = setTimeout(() => navigate(onward, { replace: true }), ONWARD);
      return () => clearTimeout(timer);
    }
    return undefined;
  }, [state, onward, navigate]);

  if (state.step === 'consent') return <ConsentPage onDone={() => setState({ step: 'onward' })} />;
  if (state.step === 'failed') return <Failed text={state.text} />;
  return <Exchanging />;
}

function Exchanging() {
  useWindowTitle('Accesso');
  return <Spinner place="page" text="Completamento autenticazione..." />;
}

function Failed({ text }: { text: string }) {
  return (
    <Page title="Errore di autenticazione">
      <Notice kind="error" announce="now">
        <p>{text}</p>
      </Notice>
      <p class="actions">
        <Spinner text="Reindirizzamento al login..." />
        <ButtonLink to="/login">Vai subito al login</ButtonLink>
      </p>
    </Page>
  );
}
