import { act, render, screen, waitFor } from '@testing-library/preact';
import { MemoryRouter, useLocation } from 'react-router-dom';
import { afterEach, describe, expect, it, vi } from 'vitest';

import type { Subscription, User } from '../../api/contract';
import { browser } from '../../checkout';
import { CHECKOUT_REFRESH, SessionProvider } from '../../session';
import { ANNA, BRUNO, startServer, store, type TestServer } from '../../test-server';
import SubscriptionPage from './subscription-page';

const ME = 'GET /api/v1/auth/me';
const CANCEL = 'POST /api/v1/payment/cancel-subscription';
const PORTAL = 'POST /api/v1/payment/create-portal';
const SYNC = 'POST /api/v1/payment/sync-subscription';

function Where() {
  const { pathname, search } = useLocation();
  return <code>{pathname + search}</code>;
}

function open(user: User, answers: TestServer['answers'] = {}, { address = '/account/subscription', state }: { address?: string; state?: unknown } = {}) {
  store('token', user);
  const server = startServer({ [ME]: { body: user }, ...answers });
  const [pathname, search] = address.split('?');
  render(
    <MemoryRouter initialEntries={[{ pathname, search: search ? `?${search}` : '', state }]}>
      <SessionProvider>
        <Where />
        <SubscriptionPage />
      </SessionProvider>
    </MemoryRouter>,
  );
  return server;
}

const holding = (change: Partial<Subscription>): User => {
  if (!ANNA.subscription) throw new Error('Anna holds a plan');
  return { ...ANNA, subscription: { ...ANNA.subscription, ...change } };
};
const press = (name: string) => act(() => screen.getByRole('button', { name }).click());

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('what somebody holds', () => {
  it('is named, with its badge and its days', () => {
    open(ANNA);
    expect(screen.getByText('ATTIVO')).toBeTruthy();
    expect(screen.getByText('Attivo')).toBeTruthy();
    expect(screen.getByText('Si rinnova il')).toBeTruthy();
    expect(screen.getByText('1 dic 2026')).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Gestisci pagamenti' })).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Cancella abbonamento' })).toBeTruthy();
  });

  it('says when it ends, and then offers neither to cancel nor to manage', () => {
    open(holding({ cancel_at_period_end: true }));
    expect(screen.getByText('Cancellazione a fine periodo')).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Gestisci pagamenti' })).toBeNull();
    expect(screen.queryByRole('button', { name: 'Cancella abbonamento' })).toBeNull();
  });

  it('cannot be cancelled when it is the trial, which ends by itself', () => {
    open(holding({ plan: 'trial' }));
    expect(screen.getByText('Finisce il')).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Cancella abbonamento' })).toBeNull();
  });

  it('is nothing for whom came here because of that', () => {
    open(BRUNO, {}, { state: { reason: 'Sottoscrizione richiesta' } });
    expect(screen.getByText('Nessun Piano')).toBeTruthy();
    expect(screen.getByText('Sottoscrizione richiesta')).toBeTruthy();
    expect(screen.queryByText('ATTIVO')).toBeNull();
  });
});

describe('cancelling', () => {
  it('asks first, and does nothing when the person thinks better of it', () => {
    const confirm = vi.fn((_question?: string) => false);
    vi.stubGlobal('confirm', confirm);
    const server = open(ANNA);
    press('Cancella abbonamento');
    expect(confirm).toHaveBeenCalledWith('Sei sicuro di voler cancellare il tuo abbonamento? Avrai accesso fino alla fine del periodo corrente.');
    expect(server.asked).not.toContain(CANCEL);
  });

  it.each<[string, TestServer['answers'][string]]>([
    ['Abbonamento cancellato con successo. Avrai accesso fino alla fine del periodo corrente.', { body: {} }],
    ['Errore durante la cancellazione. Riprova più tardi.', { status: 404, body: { detail: 'x', code: 'not_found' } }],
    ['Errore di connessione. Riprova più tardi.', new Error('the line is down')],
  ])('says: %s', async (text, answer) => {
    vi.stubGlobal('confirm', () => true);
    open(ANNA, { [CANCEL]: answer });
    press('Cancella abbonamento');
    await screen.findByText(text);
  });
});

describe('the portal', () => {
  it('is opened', async () => {
    const opened: string[] = [];
    vi.spyOn(browser, 'open').mockImplementation((address) => void opened.push(address));
    open(ANNA, { [PORTAL]: { body: { portal_url: 'https://pay.example/portal' } } });
    press('Gestisci pagamenti');
    await waitFor(() => expect(opened).toEqual(['https://pay.example/portal']));
  });

  it.each<[TestServer['answers'][string]]>([[{ body: {} }], [{ status: 502, body: { detail: 'x', code: 'provider_failed' } }]])('says when it cannot be', async (answer) => {
    open(ANNA, { [PORTAL]: answer });
    press('Gestisci pagamenti');
    await screen.findByText('Errore nella creazione del portale');
  });
});

describe('coming back from a checkout', () => {
  it('that was paid: clears the query, tells the other tabs, syncs after 2 s and shows the plan', async () => {
    vi.useFakeTimers();
    const pass = (milliseconds: number) =>
      act(async () => {
        await vi.advanceTimersByTimeAsync(milliseconds);
      });
    const server = open(BRUNO, { [SYNC]: { body: {} } }, { address: '/account/subscription?success=true' });
    await pass(0);
    expect(document.querySelector('code')?.textContent).toBe('/account/subscription');
    expect(localStorage.getItem('checkout_success')).toBe('true');
    expect(screen.getByText('Pagamento ricevuto, attivo tra poco.')).toBeTruthy();
    expect(screen.queryByText(/Sottoscrizione richiesta/)).toBeNull();
    server.answers[ME] = { body: ANNA };
    await pass(CHECKOUT_REFRESH);
    await pass(0);
    expect(server.asked).toContain(SYNC);
    expect(screen.getByText('Pagamento completato con successo! Il tuo abbonamento è ora attivo.')).toBeTruthy();
    expect(screen.getByText('ATTIVO')).toBeTruthy();
  });

  it('that was broken off: says so and leaves no trace', async () => {
    open(BRUNO, {}, { address: '/account/subscription?canceled=true' });
    await screen.findByText('Pagamento annullato. Puoi riprovare quando vuoi.');
    expect(document.querySelector('code')?.textContent).toBe('/account/subscription');
    expect(localStorage.getItem('checkout_success')).toBeNull();
  });
});
