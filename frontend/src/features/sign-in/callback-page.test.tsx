import { act, render, screen } from '@testing-library/preact';
import { MemoryRouter, useLocation } from 'react-router-dom';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { takeArrival, type Arrival } from '../../arrival';
import { browser } from '../../checkout';
import { SessionProvider } from '../../session';
import { ANNA, startServer, type TestServer } from '../../test-server';
import { BACK_TO_LOGIN, Callback, ONWARD } from './callback-page';

const EXCHANGE = 'POST /api/v1/auth/exchange';
const CHECKOUT = 'POST /api/v1/payment/create-checkout';
const ME = 'GET /api/v1/auth/me';

let opened: string[];
let tickets = 0;

/** Each test arrives with a ticket of its own: the page spends each once. */
const arriving = (with_: Partial<Arrival>): Arrival => ({ token: null, error: null, code: null, plan: null, query: '', ...with_ });
const ticket = () => `ticket-${(tickets += 1)}`;

function Where() {
  const { pathname, search } = useLocation();
  return <code>{pathname + search}</code>;
}
const where = () => document.querySelector('code')?.textContent;

function open(from: Arrival) {
  return render(
    <MemoryRouter initialEntries={['/auth/callback']}>
      <SessionProvider>
        <Where />
        <Callback from={from} />
      </SessionProvider>
    </MemoryRouter>,
  );
}

const pass = (milliseconds: number) =>
  act(async () => {
    await vi.advanceTimersByTimeAsync(milliseconds);
  });

const good = (user = ANNA): TestServer['answers'] => ({ [EXCHANGE]: { body: { access_token: 'fresh', user } }, [ME]: { body: user } });

beforeEach(() => {
  vi.useFakeTimers();
  opened = [];
  vi.spyOn(browser, 'open').mockImplementation((address) => void opened.push(address));
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('what stands in the address', () => {
  it('is taken out before anything else, on the two addresses of the sign-in only', () => {
    const replaceState = vi.fn();
    const taken = takeArrival({ pathname: '/auth/callback', search: '?token=a%2Bb&plan=trial' }, { replaceState });
    expect(taken).toMatchObject({ token: 'a+b', plan: 'trial', error: null, code: null });
    expect(replaceState).toHaveBeenCalledWith(null, '', '/auth/callback');
    const elsewhere = takeArrival({ pathname: '/faq', search: '?token=x' }, { replaceState });
    expect(elsewhere.token).toBeNull();
    expect(replaceState).toHaveBeenCalledOnce();
  });
});

describe('coming back from Google', () => {
  it('with a ticket: exchanges it once, keeps the session and goes to the assistant after 100 ms', async () => {
    const server = startServer(good());
    const token = ticket();
    open(arriving({ token }));
    expect(screen.getByText('Completamento autenticazione...')).toBeTruthy();
    await pass(0);
    await pass(ONWARD - 1);
    expect(await server.requests[0]?.json()).toEqual({ token });
    expect(localStorage.getItem('access_token')).toBe('fresh');
    expect(JSON.parse(localStorage.getItem('user') ?? '')).toEqual(ANNA);
    expect(where()).toBe('/auth/callback');
    await pass(1);
    expect(where()).toBe('/app');
    expect(server.asked.filter((call) => call === EXCHANGE)).toHaveLength(1);
  });

  it('with a plan: goes to its order, and opens no checkout by itself', async () => {
    const server = startServer(good());
    open(arriving({ token: ticket(), plan: 'annual' }));
    await pass(0);
    await pass(ONWARD);
    expect(where()).toBe('/account/ordine?plan=annual');
    expect(server.asked).not.toContain(CHECKOUT);
    expect(opened).toEqual([]);
  });

  it('with a plan that is none: goes to the assistant', async () => {
    const server = startServer(good());
    open(arriving({ token: ticket(), plan: 'gold' }));
    await pass(0);
    await pass(ONWARD);
    expect(server.asked).not.toContain(CHECKOUT);
    expect(where()).toBe('/app');
  });

  it('for the first time: asks for age and terms before it goes on', async () => {
    const server = startServer({
      ...good({ ...ANNA, consent_required: true, terms_version: '2026-11' }),
      'POST /api/v1/account/consent': { body: ANNA },
    });
    open(arriving({ token: ticket(), plan: 'monthly' }));
    await pass(ONWARD * 2);
    act(() => screen.getByRole('button', { name: 'Continua' }).click());
    expect(screen.getByText(/conferma la tua età/)).toBeTruthy();
    expect(server.asked).not.toContain('POST /api/v1/account/consent');
    act(() => screen.getByLabelText('Ho almeno 16 anni').click());
    act(() => screen.getByLabelText(/Ho letto e accetto/).click());
    act(() => screen.getByRole('button', { name: 'Continua' }).click());
    await pass(0);
    await pass(ONWARD);
    const consent = server.requests.find((request) => request.url.endsWith('/account/consent'));
    expect(await consent?.json()).toEqual({ terms_version: '2026-11', minimum_age_confirmed: true });
    expect(where()).toBe('/account/ordine?plan=monthly');
  });

  it('with an error: shows it as given and goes to the sign-in after 3 s', async () => {
    const server = startServer();
    open(arriving({ error: 'Hai annullato l\'accesso.', code: 'c', token: 't' }));
    await pass(0);
    expect(screen.getByRole('heading', { name: 'Errore di autenticazione' })).toBeTruthy();
    expect(screen.getByText("Hai annullato l'accesso.")).toBeTruthy();
    expect(screen.getByText('Reindirizzamento al login...')).toBeTruthy();
    await pass(BACK_TO_LOGIN - 1);
    expect(where()).toBe('/auth/callback');
    await pass(1);
    expect(where()).toBe('/login');
    expect(server.asked).toEqual([]);
  });

  it('with nothing: says that the token is missing', async () => {
    startServer();
    open(arriving({}));
    await pass(0);
    expect(screen.getByText('Token di autenticazione mancante')).toBeTruthy();
    await pass(BACK_TO_LOGIN);
    expect(where()).toBe('/login');
  });

  it('with a code: hands it to the server as it came', async () => {
    startServer();
    open(arriving({ code: 'abc', query: '?code=abc&state=x' }));
    await pass(0);
    expect(opened).toEqual(['/api/v1/auth/google/callback?code=abc&state=x']);
  });

  it('with a ticket that is no good: says so, and nobody is signed in', async () => {
    startServer({ [EXCHANGE]: { status: 401, body: { detail: 'Questo accesso è scaduto.', code: 'ticket_invalid' } } });
    open(arriving({ token: ticket() }));
    await pass(0);
    expect(screen.getByText('Questo accesso è scaduto.')).toBeTruthy();
    expect(localStorage.getItem('access_token')).toBeNull();
  });
});
