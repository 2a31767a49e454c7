import { act, render, screen, waitFor } from '@testing-library/preact';
import { MemoryRouter, Route, Routes, useLocation } from 'react-router-dom';
import { afterEach, describe, expect, it, vi } from 'vitest';

import { SignedInOnly, SubscribersOnly, checkSubscription } from './guards';
import { SessionProvider } from './session';
import { SessionEnd } from './session-end';
import { ANNA, startServer, store, type TestServer } from './test-server';

const ME = 'GET /api/v1/auth/me';
const USAGE = 'GET /api/v1/usage';

function Where() {
  const { pathname, search, state } = useLocation();
  return <code>{`${pathname}${search} ${JSON.stringify(state)}`}</code>;
}

function open(address: string) {
  return render(
    <MemoryRouter initialEntries={[address]}>
      <SessionProvider>
        <SessionEnd />
        <Where />
        <Routes>
          <Route path="/app" element={<SubscribersOnly>the assistant</SubscribersOnly>} />
          <Route path="/account/ordine" element={<SignedInOnly>the order</SignedInOnly>} />
          <Route path="/account/settings" element={<SignedInOnly>the settings</SignedInOnly>} />
          <Route path="*" element={<p>elsewhere</p>} />
        </Routes>
      </SessionProvider>
    </MemoryRouter>,
  );
}

const where = () => document.querySelector('code')?.textContent ?? '';
const refusal = (status: number, code: string) => ({ status, body: { detail: 'Una frase.', code } });

afterEach(() => vi.unstubAllGlobals());

describe('the look at the subscription', () => {
  it.each<[string, TestServer['answers'][string], string]>([
    ['granted', { body: {} }, 'Sottoscrizione attiva'],
    ['no-plan', refusal(402, 'subscription_required'), 'Sottoscrizione richiesta'],
    ['signed-out', refusal(401, 'session_expired'), 'Sessione scaduta'],
    ['unknown', refusal(500, 'internal'), 'Stato sottoscrizione non verificabile'],
    ['unknown', refusal(403, 'forbidden'), 'Stato sottoscrizione non verificabile'],
    ['unknown', new Error('the line is down'), 'Errore di connessione - accesso negato per sicurezza'],
  ])('finds %s', async (access, answer, text) => {
    store('token', ANNA);
    startServer({ [USAGE]: answer });
    expect(await checkSubscription()).toEqual({ access, text });
  });

  it('asks nobody without a token', async () => {
    const server = startServer();
    expect(await checkSubscription()).toEqual({ access: 'signed-out', text: 'Token di accesso non trovato' });
    expect(server.asked).toEqual([]);
  });
});

describe('the assistant', () => {
  it('is shown to whom holds a subscription, after a word about the wait', async () => {
    store('token', ANNA);
    startServer({ [ME]: { body: ANNA }, [USAGE]: { body: {} } });
    open('/app');
    expect(screen.getByRole('status').textContent).toBe('Verifica accesso...');
    await screen.findByText('the assistant');
  });

  it('sends strangers to the sign-in without asking the server', async () => {
    const server = startServer();
    open('/app');
    await waitFor(() => expect(where()).toContain('/login'));
    expect(server.asked).toEqual([]);
  });

  it('sends whom has no plan to the plans, with the reason', async () => {
    store('token', ANNA);
    startServer({ [ME]: { body: ANNA }, [USAGE]: refusal(402, 'subscription_required') });
    open('/app');
    await waitFor(() => expect(where()).toBe('/account/subscription {"reason":"Sottoscrizione richiesta"}'));
  });

  it('sends whose session is over to the sign-in', async () => {
    store('token', ANNA);
    startServer({ [ME]: { body: ANNA }, [USAGE]: refusal(401, 'session_expired') });
    open('/app');
    await waitFor(() => expect(where()).toContain('/login'));
    expect(localStorage.getItem('access_token')).toBeNull();
  });

  it.each<[string, TestServer['answers'][string]]>([
    ['Stato sottoscrizione non verificabile', refusal(503, 'unavailable')],
    ['Errore di connessione - accesso negato per sicurezza', new Error('the line is down')],
  ])('stays closed when nothing can be found out: %s', async (text, answer) => {
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    const reload = vi.fn();
    vi.spyOn(location, 'reload').mockImplementation(reload);
    store('token', ANNA);
    startServer({ [ME]: { body: ANNA }, [USAGE]: answer });
    open('/app');
    await screen.findByRole('heading', { name: 'Errore di Verifica' });
    expect(screen.getByText(text)).toBeTruthy();
    expect(screen.queryByText('the assistant')).toBeNull();
    act(() => screen.getByRole('button', { name: 'Riprova' }).click());
    expect(reload).toHaveBeenCalledOnce();
  });
});

describe('an account page', () => {
  it('is for who is signed in, with or without a plan', async () => {
    store('token', ANNA);
    const server = startServer({ [ME]: { body: ANNA } });
    open('/account/settings');
    await screen.findByText('the settings');
    expect(server.asked).toEqual([ME]);
  });

  it('sends strangers to the sign-in', async () => {
    startServer();
    open('/account/settings');
    await waitFor(() => expect(where()).toContain('/login'));
  });

  it('leads home when the session ends while it is open', async () => {
    store('token', ANNA);
    const server = startServer({ [ME]: { body: ANNA } });
    open('/account/settings');
    await screen.findByText('the settings');
    server.answers[ME] = refusal(401, 'session_expired');
    act(() => void dispatchEvent(new Event('focus')));
    await waitFor(() => expect(where()).toBe('/ null'));
  });
});

describe('the sign-in', () => {
  it('is where somebody stays whose session turns out to be over, with the plan that was chosen', async () => {
    store('token', ANNA);
    const server = startServer({ [ME]: refusal(401, 'session_expired') });
    open('/login?plan=annual');
    await waitFor(() => expect(server.asked).toEqual([ME]));
    await waitFor(() => expect(localStorage.getItem('access_token')).toBeNull());
    await act(() => new Promise((resolve) => setTimeout(resolve, 10)));
    expect(where()).toBe('/login?plan=annual null');
  });
});

describe('an order', () => {
  it('of a stranger goes to the sign-in, and the plan goes along', async () => {
    startServer();
    open('/account/ordine?plan=annual');
    await waitFor(() => expect(where()).toContain('/login?plan=annual'));
  });

  it('whose session ends goes on after the sign-in', async () => {
    store('token', ANNA);
    startServer({ [ME]: refusal(401, 'session_expired') });
    open('/account/ordine?plan=trial');
    await waitFor(() => expect(where()).toContain('/login?plan=trial'));
  });
});
