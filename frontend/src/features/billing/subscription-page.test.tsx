import { act, render, screen, waitFor } from '@testing-library/preact';
import { MemoryRouter, useLocation } from 'react-router-dom';
import { afterEach, describe, expect, it, vi } from 'vitest';

import type { PlanStatus, User } from '../../api/contract';
import { browser } from '../../checkout';
import { CHECKOUT_REFRESH, SessionProvider } from '../../session';
import { ANNA, BRUNO, MONTHLY, NO_PLAN, startServer, store, type TestServer } from '../../test-server';
import { ASK_EVERY, ASK_FOR } from './plan-status';
import SubscriptionPage from './subscription-page';

const ME = 'GET /api/v1/auth/me';
const STATUS = 'GET /api/v1/payment/subscription-status';
const CANCEL = 'POST /api/v1/payment/cancel-subscription';
const PORTAL = 'POST /api/v1/payment/create-portal';
const SYNC = 'POST /api/v1/payment/sync-subscription';
const WITHDRAWAL = 'GET /api/v1/payment/withdrawal';

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

/** With what the server says of the plan, as soon as it has said it. */
async function openWith(status: Partial<PlanStatus>, answers: TestServer['answers'] = {}) {
  const server = open(ANNA, { [STATUS]: { body: { ...MONTHLY, ...status } }, ...answers });
  await waitFor(() => expect(server.asked).toContain(STATUS));
  await act(() => new Promise((resolve) => setTimeout(resolve, 10)));
  return server;
}

const button = (name: string) => screen.queryByRole('button', { name });
const press = (name: string) => act(() => screen.getByRole('button', { name }).click());
const TAKE_BACK = 'Ho cambiato idea: riattiva il piano';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('what somebody holds', () => {
  it('is named at once from the record of the user, with its badge and its days', () => {
    open(ANNA);
    expect(screen.getByText('ATTIVO')).toBeTruthy();
    expect(screen.getByText('Attivo')).toBeTruthy();
    expect(screen.getByText('Si rinnova il')).toBeTruthy();
    expect(screen.getByText('1 dic 2026')).toBeTruthy();
    expect(button('Gestisci pagamenti')).toBeTruthy();
    expect(button('Cancella abbonamento')).toBeTruthy();
    expect(button(TAKE_BACK)).toBeNull();
  });

  it('says when it ends, and then offers neither to cancel nor to manage, but to take it back', async () => {
    await openWith({ cancel_at_period_end: true, can_cancel: false, can_manage: false });
    expect(screen.getByText('Cancellazione a fine periodo')).toBeTruthy();
    expect(screen.getByText('Finisce il')).toBeTruthy();
    expect(button('Gestisci pagamenti')).toBeNull();
    expect(button('Cancella abbonamento')).toBeNull();
    expect(button(TAKE_BACK)).toBeTruthy();
  });

  it('cannot be cancelled when it is the trial, which ends by itself', async () => {
    await openWith({ plan_type: 'trial', can_cancel: true });
    expect(screen.getByText('Finisce il')).toBeTruthy();
    expect(button('Cancella abbonamento')).toBeNull();
    expect(button(TAKE_BACK)).toBeNull();
  });

  it('offers only what the server allows', async () => {
    await openWith({ can_cancel: false, can_manage: false });
    expect(button('Gestisci pagamenti')).toBeNull();
    expect(button('Cancella abbonamento')).toBeNull();
  });

  it('is nothing for whom came here because of that', () => {
    open(BRUNO, {}, { state: { reason: 'Sottoscrizione richiesta' } });
    expect(screen.getByText('Nessun Piano')).toBeTruthy();
    expect(screen.getByText('Sottoscrizione richiesta')).toBeTruthy();
    expect(screen.queryByText('ATTIVO')).toBeNull();
  });

  it('is told to have ended, on its day', async () => {
    open(BRUNO, { [STATUS]: { body: { ...NO_PLAN, status: 'ended', plan_type: 'trial', current_period_end: '2026-11-08T09:00:00Z', trial_available: false } } });
    await screen.findByText('Il tuo piano è finito il 8 nov 2026.');
    expect(screen.getByText('La prova si fa una volta sola, per cominciare.')).toBeTruthy();
    expect(screen.queryByRole('link', { name: 'Prova per 7 giorni' })).toBeNull();
  });
});

describe('a payment that did not go through', () => {
  it.each([
    ['bank_confirmation', 'Conferma il pagamento', /^Conferma il pagamento/],
    ['payment_failed', "L'ultimo pagamento non è riuscito", /^Paga adesso/],
  ] as const)('because of %s says "%s", until when all works, and where to put it right', async (payment_problem, title, link) => {
    await openWith({ status: 'past_due', payment_problem, pay_url: 'https://pay.example/invoice', access_until: '2099-12-04T09:00:00Z' });
    expect(screen.getAllByText(title).length).toBeGreaterThan(0);
    expect(screen.getByText(/Puoi usare il servizio fino al 4 dic 2099\./)).toBeTruthy();
    expect(screen.getByRole('link', { name: link }).getAttribute('href')).toBe('https://pay.example/invoice');
    expect(screen.queryByText('ATTIVO')).toBeNull();
  });

  it('says so when the service has stopped', async () => {
    await openWith({ status: 'past_due', payment_problem: 'payment_failed', access_until: '2020-12-04T09:00:00Z' });
    expect(screen.getByText(/Il servizio si è fermato il 4 dic 2020/)).toBeTruthy();
  });

  it('can still be put right when the grace is over, and goes before another plan', async () => {
    const pay_url = 'https://pay.example/invoice';
    await openWith({ status: 'ended', is_active: false, payment_problem: 'payment_failed', pay_url, access_until: '2099-12-04T09:00:00Z', can_manage: true });
    expect(screen.getByText('Nessun Piano')).toBeTruthy();
    expect(screen.getByText(/Il servizio si è fermato il 4 dic 2099\. Riparte/)).toBeTruthy();
    expect(screen.getByRole('link', { name: /^Paga adesso/ }).getAttribute('href')).toBe(pay_url);
    expect(screen.getAllByText('Prima completa il pagamento in sospeso, qui sopra.')).toHaveLength(2);
    expect(screen.queryByRole('link', { name: 'Scegli il mensile' })).toBeNull();
  });

  it('keeps nobody from another plan once nothing waits for it any more', async () => {
    await openWith({ status: 'ended', is_active: false, payment_problem: 'payment_failed', pay_url: 'https://pay.example/invoice', can_manage: false });
    expect(screen.getByRole('link', { name: 'Scegli il mensile' })).toBeTruthy();
  });
});

describe('the plans', () => {
  it('lead to their orders', () => {
    open(BRUNO);
    const to = (name: string) => screen.getByRole('link', { name }).getAttribute('href');
    expect(to('Prova per 7 giorni')).toBe('/account/ordine?plan=trial');
    expect(to('Scegli il mensile')).toBe('/account/ordine?plan=monthly');
    expect(to("Scegli l'annuale")).toBe('/account/ordine?plan=annual');
  });

  it('are one at a time: whoever holds one is told how to change it', async () => {
    await openWith({});
    expect(screen.getByText('È il piano che hai adesso.')).toBeTruthy();
    expect(screen.getByText('Per cambiare piano premi “Gestisci pagamenti”, qui sopra.')).toBeTruthy();
    expect(screen.queryByRole('link', { name: "Scegli l'annuale" })).toBeNull();
  });

  it('stay open to whoever is trying', async () => {
    await openWith({ plan_type: 'trial' });
    expect(screen.getByRole('link', { name: "Scegli l'annuale" })).toBeTruthy();
    expect(screen.getByText('È il piano che hai adesso.')).toBeTruthy();
  });
});

describe('withdrawing', () => {
  const CONTRACT = { contract: 'c1', plan: 'monthly' };
  it('is offered beside cancelling while there is a contract to withdraw from', async () => {
    await openWith({}, { [WITHDRAWAL]: { body: { contracts: [CONTRACT], receipts: [] } } });
    expect((await screen.findByRole('link', { name: 'Recedi dal contratto qui' })).getAttribute('href')).toBe('/account/recesso');
    expect(screen.queryByRole('link', { name: 'Le tue ricevute di recesso' })).toBeNull();
  });

  it('is offered also when the plan has ended already', async () => {
    open(BRUNO, { [STATUS]: { body: NO_PLAN }, [WITHDRAWAL]: { body: { contracts: [CONTRACT], receipts: [] } } });
    await screen.findByRole('link', { name: 'Recedi dal contratto qui' });
  });

  it('is offered to nobody else; receipts stay within reach', async () => {
    await openWith({}, { [WITHDRAWAL]: { body: { contracts: [], receipts: [{ receipt: 'r1' }] } } });
    await screen.findByRole('link', { name: 'Le tue ricevute di recesso' });
    expect(screen.queryByRole('link', { name: 'Recedi dal contratto qui' })).toBeNull();
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
    ['Abbonamento cancellato con successo. Avrai accesso fino alla fine del periodo corrente.', { body: { ...MONTHLY, cancel_at_period_end: true } }],
    ["Non c'è niente da cancellare.", { status: 409, body: { detail: "Non c'è niente da cancellare.", code: 'no_subscription' } }],
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
  const answer = { body: { portal_url: 'https://pay.example/portal' } };

  it('is opened in a new tab, which has no hold on this page', async () => {
    const tab = { opener: window as unknown, location: { href: '' } };
    const openTab = vi.fn((_address?: string, _target?: string) => tab);
    vi.stubGlobal('open', openTab);
    open(ANNA, { [PORTAL]: answer });
    press('Gestisci pagamenti');
    await waitFor(() => expect(tab.location.href).toBe('https://pay.example/portal'));
    expect(openTab).toHaveBeenCalledWith('', '_blank');
    expect(tab.opener).toBeNull();
  });

  it('is opened here when the browser lets no tab open', async () => {
    const opened: string[] = [];
    vi.stubGlobal('open', () => null);
    vi.spyOn(browser, 'open').mockImplementation((address) => void opened.push(address));
    open(ANNA, { [PORTAL]: answer });
    press('Gestisci pagamenti');
    await waitFor(() => expect(opened).toEqual(['https://pay.example/portal']));
  });

  it('is where a cancelling is taken back', async () => {
    const opened: string[] = [];
    vi.spyOn(browser, 'openBeside').mockImplementation((address) => void opened.push(address));
    await openWith({ cancel_at_period_end: true }, { [PORTAL]: answer });
    press(TAKE_BACK);
    await waitFor(() => expect(opened).toEqual(['https://pay.example/portal']));
  });

  it.each<[TestServer['answers'][string]]>([[{ body: {} }], [{ status: 502, body: { detail: 'x', code: 'provider_failed' } }]])('says when it cannot be', async (failure) => {
    open(ANNA, { [PORTAL]: failure });
    press('Gestisci pagamenti');
    await screen.findByText('Errore nella creazione del portale');
  });
});

describe('coming back from a checkout', () => {
  const PAID = { address: '/account/subscription?success=true' };
  const WAITING = { ...NO_PLAN, payment_pending: true };
  const RECEIVED = 'Pagamento ricevuto, attivo tra poco.';
  const ACTIVE = 'Pagamento completato con successo! Il tuo abbonamento è ora attivo.';
  const pass = (milliseconds: number) =>
    act(async () => {
      await vi.advanceTimersByTimeAsync(milliseconds);
    });
  const syncs = (server: TestServer) => server.asked.filter((call) => call === SYNC).length;
  const text = () => document.querySelector('main')?.textContent ?? '';

  it('that was paid: clears the query, tells the other tabs, syncs at once and after 2 s, and shows the plan', async () => {
    vi.useFakeTimers();
    const server = open(BRUNO, { [SYNC]: { body: WAITING } }, PAID);
    expect(text()).not.toContain('Nessun Piano');
    await pass(0);
    expect(document.querySelector('code')?.textContent).toBe('/account/subscription');
    expect(localStorage.getItem('checkout_success')).toBe('true');
    expect(syncs(server)).toBe(1);
    expect(text()).toContain(RECEIVED);
    expect(text()).not.toContain('Nessun Piano');
    expect(text()).not.toContain(ACTIVE);
    server.answers[ME] = { body: ANNA };
    server.answers[SYNC] = { body: MONTHLY };
    server.answers[STATUS] = { body: MONTHLY };
    await pass(CHECKOUT_REFRESH);
    await pass(0);
    expect(syncs(server)).toBe(2);
    expect(text()).toContain(ACTIVE);
    expect(text()).not.toContain(RECEIVED);
    expect(screen.getByText('ATTIVO')).toBeTruthy();
    await pass(ASK_FOR);
    expect(syncs(server)).toBe(2);
  });

  it('says that it is active as soon as the server does, and still syncs again', async () => {
    vi.useFakeTimers();
    const server = open(ANNA, { [SYNC]: { body: MONTHLY }, [STATUS]: { body: MONTHLY } }, PAID);
    await pass(0);
    expect(text()).toContain(ACTIVE);
    await pass(CHECKOUT_REFRESH);
    expect(syncs(server)).toBe(2);
    expect(text()).toContain(ACTIVE);
  });

  it('keeps asking every 3 seconds for a minute, then asks for patience, and offers nothing to pay', async () => {
    vi.useFakeTimers();
    const server = open(BRUNO, { [SYNC]: { body: WAITING }, [STATUS]: { body: WAITING } }, PAID);
    await pass(0);
    await pass(CHECKOUT_REFRESH + 3 * ASK_EVERY);
    expect(syncs(server)).toBe(5);
    await pass(ASK_FOR);
    const asked = syncs(server);
    expect(asked).toBeLessThan(25);
    expect(text()).toContain('Non pagare di nuovo');
    expect(text()).not.toContain('Nessun Piano');
    expect(screen.queryByRole('link', { name: 'Scegli il mensile' })).toBeNull();
    await pass(ASK_FOR);
    expect(syncs(server)).toBe(asked);
  });

  it('goes on asking when the line breaks', async () => {
    vi.useFakeTimers();
    const server = open(BRUNO, { [SYNC]: new Error('the line is down') }, PAID);
    await pass(0);
    await pass(CHECKOUT_REFRESH);
    expect(text()).toContain(RECEIVED);
    server.answers[SYNC] = { body: MONTHLY };
    server.answers[STATUS] = { body: MONTHLY };
    await pass(ASK_EVERY);
    expect(text()).toContain(ACTIVE);
  });

  it('of which the server knows nothing is not called paid', async () => {
    vi.useFakeTimers();
    open(BRUNO, { [SYNC]: { body: NO_PLAN }, [STATUS]: { body: NO_PLAN } }, PAID);
    await pass(0);
    await pass(CHECKOUT_REFRESH);
    expect(text()).toContain('Non vediamo un pagamento nuovo.');
    expect(text()).not.toContain(ACTIVE);
    expect(text()).not.toContain(RECEIVED);
  });

  it('is awaited also when the page is opened anew while the payment is pending', async () => {
    vi.useFakeTimers();
    const server = open(BRUNO, { [SYNC]: { body: MONTHLY }, [STATUS]: { body: WAITING } });
    await pass(0);
    await pass(0);
    expect(syncs(server)).toBeGreaterThan(0);
    await pass(CHECKOUT_REFRESH);
    expect(text()).toContain(ACTIVE);
  });

  it('that was broken off: says so and leaves no trace', async () => {
    const server = open(BRUNO, {}, { address: '/account/subscription?canceled=true' });
    await screen.findByText('Pagamento annullato. Puoi riprovare quando vuoi.');
    expect(document.querySelector('code')?.textContent).toBe('/account/subscription');
    expect(localStorage.getItem('checkout_success')).toBeNull();
    expect(server.asked).not.toContain(SYNC);
  });
});
