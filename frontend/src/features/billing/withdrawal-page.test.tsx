import { act, fireEvent, render, screen, waitFor } from '@testing-library/preact';
import { MemoryRouter } from 'react-router-dom';
import { afterEach, describe, expect, it, vi } from 'vitest';

import type { Contract, Receipt } from '../../api/contract';
import { SessionProvider } from '../../session';
import { ANNA, startServer, store, type TestServer } from '../../test-server';
import { receiptText } from './receipt-slip';
import WithdrawalPage from './withdrawal-page';
import { declarationErrors, refundReason } from './withdrawal-rules';

const LIST = 'GET /api/v1/payment/withdrawal';
const WITHDRAW = 'POST /api/v1/payment/withdrawal';

const MONTHLY: Contract = {
  contract: 'con_1',
  plan: 'monthly',
  bought_at: '2026-12-01T09:04:00Z',
  deadline: '2026-12-15T22:59:59Z',
  paid_cents: 999,
  refund_cents: 899,
  days_used: 3,
  days_total: 30,
  immediate_start: true,
};
const TRIAL: Contract = { ...MONTHLY, contract: 'con_0', plan: 'trial', paid_cents: 100, refund_cents: 100, immediate_start: false };
const RECEIPT: Receipt = {
  receipt: 'R-2026-7',
  contract: 'con_1',
  plan: 'monthly',
  name: 'Anna Bianchi',
  address: 'anna.bianchi@posta.example',
  bought_at: MONTHLY.bought_at,
  declared_at: '2026-12-04T10:30:00Z',
  paid_cents: 999,
  refund_cents: 899,
  refund_status: 'done',
};

function open(contracts: Contract[], answers: TestServer['answers'] = {}, receipts: Receipt[] = []) {
  store('token', ANNA);
  const server = startServer({ 'GET /api/v1/auth/me': { body: ANNA }, [LIST]: { body: { contracts, receipts } }, ...answers });
  render(
    <MemoryRouter initialEntries={['/account/recesso']}>
      <SessionProvider>
        <WithdrawalPage />
      </SessionProvider>
    </MemoryRouter>,
  );
  return server;
}

const page = () => document.querySelector('main')?.textContent ?? '';
const ready = () => screen.findByRole('button', { name: 'Conferma recesso' });
const confirmIt = () => act(() => screen.getByRole('button', { name: 'Conferma recesso' }).click());
const sent = (server: TestServer) => server.requests[server.asked.indexOf(WITHDRAW)]?.json();
const name = () => screen.getByLabelText('Nome e cognome') as HTMLInputElement;
const address = () => screen.getByLabelText('Indirizzo email per la ricevuta') as HTMLInputElement;

afterEach(() => vi.unstubAllGlobals());

describe('withdrawing', () => {
  it('shows the contract, what comes back and why, and knows who is here', async () => {
    open([MONTHLY]);
    await ready();
    expect(page()).toContain('Piano Mensile');
    expect(page()).toMatch(/Ti torna 8,99\s€/);
    expect(page()).toContain('Hai usato 3 giorni su 30');
    expect(name().value).toBe('Anna Bianchi');
    expect(address().value).toBe('anna.bianchi@posta.example');
    expect(screen.queryByRole('radio')).toBeNull();
  });

  it('sends the declaration once, and gives the receipt with the focus on it', async () => {
    const server = open([MONTHLY], { [WITHDRAW]: { body: RECEIPT } });
    await ready();
    confirmIt();
    server.answers[LIST] = { body: { contracts: [], receipts: [RECEIPT] } };
    await screen.findByRole('heading', { name: 'Ricevuta di recesso' });
    expect(await sent(server)).toEqual({ contract: 'con_1', name: 'Anna Bianchi', address: 'anna.bianchi@posta.example' });
    for (const text of ['R-2026-7', 'Anna Bianchi', 'anna.bianchi@posta.example', 'con_1']) expect(page()).toContain(text);
    expect(page()).toMatch(/4 dicembre 2026.*11:30/);
    expect(page()).toMatch(/Ti torna8,99\s€/);
    expect(document.activeElement?.textContent).toContain('Ricevuta di recesso');
    expect(screen.getByRole('button', { name: 'Stampa' })).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Salva' })).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Conferma recesso' })).toBeNull();
    await waitFor(() => expect(server.asked.filter((call) => call === LIST)).toHaveLength(2));
  });

  it('lets choose among several contracts', async () => {
    const server = open([MONTHLY, TRIAL], { [WITHDRAW]: { body: RECEIPT } });
    await ready();
    const radios = screen.getAllByRole('radio') as HTMLInputElement[];
    expect(radios.map((radio) => radio.checked)).toEqual([true, false]);
    act(() => radios[1]?.click());
    expect(page()).toContain('Ti torna tutto quello che hai pagato');
    confirmIt();
    await screen.findByRole('heading', { name: 'Ricevuta di recesso' });
    expect(await sent(server)).toMatchObject({ contract: 'con_0' });
  });

  it('says what is missing, goes there, and sends nothing', async () => {
    const server = open([MONTHLY]);
    await ready();
    fireEvent.input(name(), { target: { value: ' ' } });
    fireEvent.input(address(), { target: { value: 'anna' } });
    confirmIt();
    expect(screen.getByText('Scrivi il tuo nome e cognome.')).toBeTruthy();
    expect(screen.getByText(/manca la chiocciola/)).toBeTruthy();
    expect(document.activeElement).toBe(name());
    expect(server.asked).not.toContain(WITHDRAW);
  });

  it.each([
    [409, 'withdrawal_over', 'I 14 giorni sono passati.'],
    [502, 'provider_failed', 'Il rimborso non è partito. Riprova.'],
  ])('that is refused with %s says why, with the focus there', async (status, code, detail) => {
    const server = open([MONTHLY], { [WITHDRAW]: { status, body: { detail, code } } });
    await ready();
    confirmIt();
    await screen.findByText(detail);
    expect(document.activeElement?.contains(screen.getByRole('alert'))).toBe(true);
    await waitFor(() => expect(server.asked.filter((call) => call === LIST)).toHaveLength(status === 409 ? 2 : 1));
  });

  it('says when there is nothing to withdraw from', async () => {
    open([]);
    await screen.findByText(/non c'è un contratto da cui recedere/);
  });

  it('can be tried again when the list does not come', async () => {
    const server = open([MONTHLY], { [LIST]: new Error('the line is down') });
    await screen.findByText('Errore di connessione. Riprova più tardi.');
    server.answers[LIST] = { body: { contracts: [MONTHLY], receipts: [] } };
    act(() => screen.getByRole('button', { name: 'Riprova' }).click());
    await ready();
  });
});

describe('the receipts', () => {
  it('that were given before can be opened again', async () => {
    open([], {}, [RECEIPT]);
    const opener = await screen.findByRole('button', { name: 'Piano Mensile, 4 dic 2026' });
    expect(page()).not.toContain('R-2026-7');
    act(() => opener.click());
    expect(page()).toContain('R-2026-7');
    act(() => opener.click());
    expect(page()).not.toContain('R-2026-7');
  });

  it('are printed', async () => {
    const print = vi.fn();
    vi.stubGlobal('print', print);
    open([], {}, [RECEIPT]);
    const opener = await screen.findByRole('button', { name: 'Piano Mensile, 4 dic 2026' });
    act(() => opener.click());
    act(() => screen.getByRole('button', { name: 'Stampa' }).click());
    expect(print).toHaveBeenCalledOnce();
  });

  it('are saved as plain text with everything that stands on them', () => {
    const text = receiptText(RECEIPT, 'Rimedio');
    expect(text.split('\r\n')[0]).toBe('Rimedio - Ricevuta di recesso');
    expect(text).toContain('Numero: R-2026-7');
    expect(text).toMatch(/Ti torna: 8,99\s€/);
    expect(receiptText({ ...RECEIPT, refund_status: 'pending' }, 'Rimedio')).toContain('Rimborso: In corso.');
    expect(receiptText({ ...RECEIPT, refund_cents: 0 }, 'Rimedio')).toContain('Nessun rimborso');
  });
});

describe('the words of a withdrawal', () => {
  it.each<[Partial<Contract>, string]>([
    [{ days_used: 0, refund_cents: 999 }, 'Non hai ancora usato nessun giorno: ti torna tutto, 9,99\u00a0€.'],
    [{ days_used: 1 }, 'Hai usato 1 giorno su 30:'],
    [{ days_used: 30, refund_cents: 0 }, 'Hai usato 30 giorni su 30: non resta niente da rimborsare.'],
    [{ immediate_start: false, refund_cents: 999 }, 'Ti torna tutto'],
  ])('tell how %o was computed', (change, text) => {
    expect(refundReason({ ...MONTHLY, ...change })).toContain(text);
  });

  it.each([
    ['', /Scrivi l'indirizzo/],
    ['anna', /chiocciola/],
    ['anna@posta', /non è completo/],
    ['an na@posta.it', /non è completo/],
  ])('say what is wrong with the address %s', (written, text) => {
    expect(declarationErrors({ name: 'Anna', address: written }).address).toMatch(text);
  });

  it('have nothing to say of a good one', () => {
    expect(declarationErrors({ name: 'Anna', address: ' anna@posta.it ' })).toEqual({});
  });
});
