import { act, render, screen, waitFor } from '@testing-library/preact';
import { MemoryRouter, Route, Routes } from 'react-router-dom';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { browser } from '../../checkout';
import { InstallationProvider } from '../../installation';
import { dayText } from '../../plans';
import { SessionProvider } from '../../session';
import { BRUNO, startServer, store, type TestServer } from '../../test-server';
import OrderPage from './order-page';
import { firstPeriodEnd } from './periods';

const CHECKOUT = 'POST /api/v1/payment/create-checkout';
const PRICES = { trial: { amount: 1 }, monthly: { amount: 9.99 }, annual: { amount: 95.9 } };

let opened: string[];

function open(query: string, answers: TestServer['answers'] = {}) {
  store('token', BRUNO);
  const server = startServer({ 'GET /api/v1/auth/me': { body: BRUNO }, 'GET /api/v1/payment/prices': { body: PRICES }, ...answers });
  render(
    <MemoryRouter initialEntries={[`/account/ordine${query}`]}>
      <InstallationProvider>
        <SessionProvider>
          <Routes>
            <Route path="/account/ordine" element={<OrderPage />} />
            <Route path="*" element={<p>elsewhere</p>} />
          </Routes>
        </SessionProvider>
      </InstallationProvider>
    </MemoryRouter>,
  );
  return server;
}

const press = (name: string) => act(() => screen.getByRole('button', { name }).click());
const order = () => act(() => screen.getByRole('button', { name: /Ordina e paga|Caricamento/ }).click());
const calls = (server: TestServer) => server.requests.filter(({ url }) => url.endsWith('/create-checkout'));
const page = () => document.querySelector('main')?.textContent ?? '';

beforeEach(() => {
  opened = [];
  vi.spyOn(browser, 'open').mockImplementation((address) => void opened.push(address));
});
afterEach(() => vi.unstubAllGlobals());

describe('an order', () => {
  it.each([
    ['trial', 'Prova 7 Giorni', /1\s€ per 7 giorni, IVA inclusa/, 'No. Finisce da sola dopo 7 giorni'],
    ['monthly', 'Piano Mensile', /9,99\s€ al mese, IVA inclusa/, 'ogni mese'],
    ['annual', 'Piano Annuale', /95,90\s€ all'anno, IVA inclusa/, 'ogni anno'],
  ] as const)('of the plan %s says what is bought, for how much and for how long', (plan, name, price, renewal) => {
    open(`?plan=${plan}`);
    expect(screen.getByRole('heading', { level: 2 }).textContent).toBe(name);
    expect(page()).toMatch(price);
    expect(page()).toContain(renewal);
    expect(page()).toContain(dayText(firstPeriodEnd(plan, new Date()).toISOString()));
    expect(page()).toContain('Recedi dal contratto qui');
    expect(screen.getAllByRole('link', { name: 'Il tuo abbonamento' })[0]?.getAttribute('href')).toBe('/account/subscription');
    expect(screen.getByRole('link', { name: /Termini di Servizio/ }).getAttribute('href')).toBe('/terms');
    expect(screen.getByRole('link', { name: /Privacy Policy/ }).getAttribute('href')).toBe('/privacy');
  });

  it('says at what price a plan renews itself', () => {
    open('?plan=annual');
    expect(page()).toMatch(/ogni anno, a 95,90\s€/);
  });

  it('asks for the immediate start, and is not ticked', () => {
    open('?plan=monthly');
    const tick = screen.getByLabelText('Chiedo che il servizio cominci subito. Se recedo entro 14 giorni pago solo i giorni che ho usato.') as HTMLInputElement;
    expect(tick.checked).toBe(false);
  });

  it.each(['', '?plan=gold'])('of an unknown plan (%s) leads to the plans', (query) => {
    open(query);
    expect(screen.getByRole('link', { name: 'Scegli un piano' }).getAttribute('href')).toBe('/account/subscription#plans');
    expect(screen.queryByRole('button', { name: 'Ordina e paga' })).toBeNull();
  });

  it('can be left', async () => {
    open('?plan=monthly');
    press('Torna indietro');
    await screen.findByText('elsewhere');
  });

  it.each([
    [true, 'test cards', 1],
    [false, 'none', 0],
  ])('in test mode %s shows %s', async (test_mode, _what, count) => {
    const server = open('?plan=monthly', { 'GET /api/v1/about': { body: { name: 'Rimedio', test_mode } } });
    await waitFor(() => expect(server.asked).toContain('GET /api/v1/about'));
    await act(async () => {});
    for (const card of ['4242 4242 4242 4242', '4000 0025 0000 3155', '4000 0000 0000 9995', '4000 0000 0000 0002']) {
      await waitFor(() => expect(screen.queryAllByText(card)).toHaveLength(count));
    }
  });
});

describe('ordering', () => {
  it.each([false, true])('opens one checkout, with the immediate start asked for: %s', async (asked) => {
    const server = open('?plan=annual', { [CHECKOUT]: { body: { checkout_url: 'https://pay.example/1' } } });
    if (asked) act(() => screen.getByRole('checkbox').click());
    order();
    expect(screen.getByRole('button', { name: 'Caricamento...' }).getAttribute('aria-disabled')).toBe('true');
    order();
    await waitFor(() => expect(opened).toEqual(['https://pay.example/1']));
    expect(calls(server)).toHaveLength(1);
    expect(await calls(server)[0]?.json()).toEqual({
      plan_type: 'annual',
      success_url: `${location.origin}/account/subscription?success=true`,
      cancel_url: `${location.origin}/account/subscription?canceled=true`,
      immediate_start: asked,
    });
  });

  it('goes nowhere when the page was left meanwhile', async () => {
    let answer = () => {};
    const answered = new Promise<void>((resolve) => (answer = resolve));
    open('?plan=annual', {
      [CHECKOUT]: async () => {
        await answered;
        return { body: { checkout_url: 'https://pay.example/1' } };
      },
    });
    order();
    press('Torna indietro');
    await screen.findByText('elsewhere');
    answer();
    await act(() => new Promise((resolve) => setTimeout(resolve, 20)));
    expect(opened).toEqual([]);
  });

  it('can be done again when the browser shows the page as it was', async () => {
    open('?plan=annual', { [CHECKOUT]: { body: { checkout_url: 'https://pay.example/1' } } });
    order();
    await waitFor(() => expect(opened).toHaveLength(1));
    act(() => void dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true })));
    expect(screen.getByRole('button', { name: 'Ordina e paga' })).toBeTruthy();
  });

  const problem = (status: number, detail = 'Una frase.', code = 'some_code') => ({ status, body: { detail, code } });
  it.each<[string, TestServer['answers'][string]]>([
    ['Si è verificato un errore. Riprova più tardi.', problem(404)],
    ['Sessione scaduta. Ricarica la pagina e accedi di nuovo.', problem(401)],
    ['Dati del piano non validi. Contatta il supporto.', problem(422)],
    ['Piano selezionato non valido. Riprova.', problem(422, 'Invalid price_id')],
    ['Errore del server. Riprova tra qualche minuto.', problem(500)],
    ['Errore di connessione. Riprova più tardi.', new Error('the line is down')],
    ['URL di checkout non ricevuto dal server', { body: {} }],
  ])('says "%s" when it fails so, and takes the focus there', async (text, answer) => {
    open('?plan=monthly', { [CHECKOUT]: answer });
    order();
    await screen.findByText(text);
    const alert = screen.getByRole('alert');
    expect(alert.textContent).toContain(text);
    expect(document.activeElement?.contains(alert)).toBe(true);
    expect(screen.getByRole('button', { name: 'Ordina e paga' })).toBeTruthy();
  });

  it.each([
    ['trial_used', 'Hai già usato la prova.', 'Guarda gli altri piani', '/account/subscription#plans'],
    ['plan_active', 'Hai già un piano.', 'Vai al tuo abbonamento', '/account/subscription'],
  ])('that is refused with %s says what the server says, and shows the way out', async (code, detail, name, to) => {
    open('?plan=trial', { [CHECKOUT]: problem(409, detail, code) });
    order();
    await screen.findByText(detail);
    expect(screen.getByRole('link', { name }).getAttribute('href')).toBe(to);
  });
});

describe('the first period', () => {
  it.each([
    ['trial', '2026-12-28T10:00:00Z', '2027-01-04T10:00:00.000Z'],
    ['monthly', '2027-01-31T10:00:00Z', '2027-02-28T10:00:00.000Z'],
    ['monthly', '2026-12-15T10:00:00Z', '2027-01-15T10:00:00.000Z'],
    ['annual', '2028-02-29T10:00:00Z', '2029-02-28T10:00:00.000Z'],
  ] as const)('of the plan %s from %s ends at %s', (plan, start, end) => {
    expect(firstPeriodEnd(plan, new Date(start)).toISOString()).toBe(end);
  });
});
