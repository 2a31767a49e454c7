import { act, render, screen, waitFor } from '@testing-library/preact';
import type { ComponentType } from 'preact';
import { MemoryRouter, useLocation } from 'react-router-dom';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { browser } from '../../checkout';
import { SessionProvider } from '../../session';
import { ANNA, BRUNO, MONTHLY, NO_PLAN, startServer, store, type TestServer } from '../../test-server';
import CheckoutTestPage from './checkout-test-page';
import PaymentSuccessPage from './payment-success-page';
import SimpleCheckoutTestPage from './simple-checkout-test-page';

const SYNC = 'POST /api/v1/payment/sync-subscription';
const STATUS = 'GET /api/v1/payment/subscription-status';
const CHECKOUT = 'POST /api/v1/payment/create-checkout';
const TEST_CHECKOUT = 'POST /api/v1/payment/create-checkout-test';
const PRICES = {
  trial: { amount: 1, price_id: 'price_trial' },
  monthly: { amount: 9.99, price_id: 'price_monthly' },
  annual: { amount: 95.9, price_id: 'price_annual' },
};

let opened: string[];

function Where() {
  const { pathname, search } = useLocation();
  return <code>{pathname + search}</code>;
}

/** The prices are asked once for all pages; every test says the same ones. */
async function open(Page: ComponentType, address: string, answers: TestServer['answers'] = {}) {
  const server = startServer({ 'GET /api/v1/auth/me': { body: BRUNO }, 'GET /api/v1/payment/prices': { body: PRICES }, ...answers });
  render(
    <MemoryRouter initialEntries={[address]}>
      <SessionProvider>
        <Where />
        <Page />
      </SessionProvider>
    </MemoryRouter>,
  );
  await act(() => new Promise((resolve) => setTimeout(resolve, 20)));
  return server;
}

const where = () => document.querySelector('code')?.textContent;
const press = (name: string) => act(() => screen.getByRole('button', { name }).click());
const body = (server: TestServer, call: string) => server.requests[server.asked.indexOf(call)]?.json();

beforeEach(() => {
  opened = [];
  vi.spyOn(browser, 'open').mockImplementation((address) => void opened.push(address));
});
afterEach(() => vi.unstubAllGlobals());

describe('the return address of a checkout', () => {
  beforeEach(() => store('token', BRUNO));

  it('says what was bought, and leads to the assistant once it is active', async () => {
    await open(PaymentSuccessPage, '/payment-success?plan=monthly', { [SYNC]: { body: MONTHLY }, 'GET /api/v1/auth/me': { body: ANNA } });
    expect(screen.getByText('Piano Mensile')).toBeTruthy();
    expect(screen.getByText('Pagamento completato con successo! Il tuo abbonamento è ora attivo.')).toBeTruthy();
    expect(screen.getByRole('link', { name: "Vai all'assistente" }).getAttribute('href')).toBe('/app');
    expect(localStorage.getItem('checkout_success')).toBe('true');
  });

  it('does not lead there before', async () => {
    const server = await open(PaymentSuccessPage, '/payment-success?plan=annual', { [SYNC]: { body: { ...NO_PLAN, payment_pending: true } } });
    expect(server.asked).toContain(SYNC);
    expect(screen.getByText('Piano Annuale')).toBeTruthy();
    expect(screen.getByText('Pagamento ricevuto, attivo tra poco.')).toBeTruthy();
    expect(screen.queryByRole('link', { name: "Vai all'assistente" })).toBeNull();
  });

  it('names no plan that there is none of', async () => {
    await open(PaymentSuccessPage, '/payment-success?plan=gold', { [SYNC]: { body: { ...NO_PLAN, payment_pending: true } } });
    expect(document.querySelector('main')?.textContent).not.toContain('gold');
    expect(screen.queryByText('Hai comprato')).toBeNull();
  });
});

describe('the test page', () => {
  beforeEach(() => store('token', BRUNO));

  it('shows the status and the cards, and opens a checkout that comes back to it', async () => {
    const server = await open(CheckoutTestPage, '/stripe-test', { [STATUS]: { body: MONTHLY }, [CHECKOUT]: { body: { checkout_url: 'https://pay.example/1' } } });
    expect(screen.getAllByText('Piano Mensile').length).toBeGreaterThan(1);
    expect(screen.getByText('1 dic 2026')).toBeTruthy();
    expect(screen.getByText('4242 4242 4242 4242')).toBeTruthy();
    press('Scegli il mensile');
    await waitFor(() => expect(opened).toEqual(['https://pay.example/1']));
    expect(await body(server, CHECKOUT)).toEqual({
      plan_type: 'monthly',
      price_id: 'price_monthly',
      success_url: `${location.origin}/stripe-test?success=true`,
      cancel_url: `${location.origin}/stripe-test?canceled=true`,
      immediate_start: false,
    });
  });

  it('asks for a sign-in first when there is none any more', async () => {
    const server = await open(CheckoutTestPage, '/stripe-test');
    localStorage.removeItem('access_token');
    press('Scegli il mensile');
    await screen.findByText('Devi prima effettuare il login con Google');
    expect(screen.getByRole('link', { name: 'Accedi' }).getAttribute('href')).toBe('/login');
    expect(server.asked).not.toContain(CHECKOUT);
  });

  it.each<[string, TestServer['answers'][string]]>([
    ['Errore nella creazione del checkout', { status: 404, body: { detail: 'x', code: 'not_found' } }],
    ['Errore di connessione. Riprova più tardi.', new Error('the line is down')],
    ['Errore del server. Riprova tra qualche minuto.', { status: 502, body: { detail: 'x', code: 'provider_failed' } }],
  ])('says: %s', async (text, answer) => {
    await open(CheckoutTestPage, '/stripe-test', { [CHECKOUT]: answer });
    press('Scegli il mensile');
    await screen.findByText(text);
  });

  it('says how a checkout went', async () => {
    await open(CheckoutTestPage, '/stripe-test?success=true', { [SYNC]: { body: MONTHLY } });
    expect(screen.getByText('Pagamento completato con successo! Il tuo abbonamento è ora attivo.')).toBeTruthy();
    expect(where()).toBe('/stripe-test');
  });
});

describe('the test page without sign-in', () => {
  it('opens a checkout by its price, that comes back with the plan', async () => {
    const server = await open(SimpleCheckoutTestPage, '/stripe-test-simple', { [TEST_CHECKOUT]: { body: { checkout_url: 'https://pay.example/2' } } });
    expect(screen.getByText('4000 0000 0000 0002')).toBeTruthy();
    press("Scegli l'annuale");
    await waitFor(() => expect(opened).toEqual(['https://pay.example/2']));
    expect(await body(server, TEST_CHECKOUT)).toEqual({
      price_id: 'price_annual',
      success_url: `${location.origin}/stripe-test-simple?plan=annual&success=true`,
      cancel_url: `${location.origin}/stripe-test-simple?plan=annual&canceled=true`,
    });
  });

  it.each<[string, TestServer['answers'][string]]>([
    ['Devi prima effettuare il login', { status: 401, body: { detail: 'x', code: 'unauthenticated' } }],
    ['Errore durante la creazione del checkout', { status: 404, body: { detail: 'x', code: 'not_found' } }],
    ['Piano selezionato non valido. Riprova.', { status: 422, body: { detail: 'Invalid price_id', code: 'invalid_price_id' } }],
    ['URL di checkout non ricevuto', { body: {} }],
  ])('says: %s', async (text, answer) => {
    await open(SimpleCheckoutTestPage, '/stripe-test-simple', { [TEST_CHECKOUT]: answer });
    press('Prova per 7 giorni');
    await screen.findByText(text);
  });

  it.each([
    ['?plan=trial&success=true', 'Pagamento completato con successo! Prova 7 Giorni.'],
    ['?plan=trial&canceled=true', 'Pagamento annullato. Puoi riprovare quando vuoi.'],
  ])('says how a checkout went: %s', async (query, text) => {
    const server = await open(SimpleCheckoutTestPage, `/stripe-test-simple${query}`);
    expect(screen.getByText(text)).toBeTruthy();
    expect(where()).toBe('/stripe-test-simple');
    expect(server.asked).not.toContain(SYNC);
  });
});
