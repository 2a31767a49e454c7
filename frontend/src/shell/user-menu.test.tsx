import { act, fireEvent, render, screen, waitFor } from '@testing-library/preact';
import { MemoryRouter, useLocation } from 'react-router-dom';
import { afterEach, describe, expect, it, vi } from 'vitest';

import type { User } from '../api/contract';
import { browser } from '../checkout';
import { SessionProvider } from '../session';
import { ANNA, BRUNO, startServer, store, type TestServer } from '../test-server';
import { UserMenu } from './user-menu';

const CHECKOUT = 'POST /api/v1/payment/create-checkout';

function Where() {
  return <code>{useLocation().pathname}</code>;
}

function open(user: User, answers: TestServer['answers'] = {}) {
  store('token', user);
  const server = startServer({ 'GET /api/v1/auth/me': { body: user }, 'POST /api/v1/auth/logout': { status: 204 }, ...answers });
  render(
    <MemoryRouter initialEntries={['/account/settings']}>
      <SessionProvider>
        <Where />
        <UserMenu user={user} />
        <button>outside</button>
      </SessionProvider>
    </MemoryRouter>,
  );
  return server;
}

const opener = () => screen.getByRole('button', { name: /^Menu di/ });
const unfold = () => act(() => opener().click());

afterEach(() => vi.unstubAllGlobals());

describe('the user menu', () => {
  it('says who is here and what they hold before it is opened', () => {
    open(ANNA);
    expect(opener().textContent).toContain('Anna Bianchi');
    expect(opener().textContent).toContain('PRO');
    expect(opener().textContent).toContain('Piano Mensile');
    expect(opener().getAttribute('aria-expanded')).toBe('false');
    expect(screen.queryByText('anna.bianchi@posta.example')).toBeNull();
  });

  it.each([
    ['trial', 'Prova 7 Giorni'],
    ['annual', 'Piano Annuale'],
    ['gold', 'gold'],
  ])('calls the plan %s "%s"', (plan, name) => {
    if (!ANNA.subscription) throw new Error('Anna holds a plan');
    open({ ...ANNA, subscription: { ...ANNA.subscription, plan } });
    expect(opener().textContent).toContain(name);
  });

  it('calls whom it cannot name Utente', () => {
    open({ ...ANNA, full_name: '', name: '' });
    expect(opener().textContent).toContain('Utente');
  });

  it('leads to everything that is one\'s own, and the dashboard only superusers', () => {
    open(ANNA);
    unfold();
    const links = () => screen.getAllByRole('link').map((link) => `${link.textContent?.trim()} ${link.getAttribute('href')}`);
    expect(links()).toEqual(['Gestisci Abbonamento /account/subscription', 'Le mie richieste /richieste', 'Impostazioni /account/settings']);
  });

  it('shows superusers the way to the dashboard', () => {
    open({ ...ANNA, is_superuser: true });
    unfold();
    expect(screen.getByRole('link', { name: 'Admin Dashboard' }).getAttribute('href')).toBe('/admin/dashboard');
  });

  it('closes on Escape with the focus back on its button, and on a press outside', () => {
    open(ANNA);
    unfold();
    const link = screen.getByRole('link', { name: 'Impostazioni' });
    link.focus();
    fireEvent.keyDown(link, { key: 'Escape' });
    expect(opener().getAttribute('aria-expanded')).toBe('false');
    expect(document.activeElement).toBe(opener());
    unfold();
    fireEvent.pointerDown(screen.getByRole('button', { name: 'outside' }));
    expect(opener().getAttribute('aria-expanded')).toBe('false');
  });

  it('shows the picture, and the sign of a person when it cannot be loaded', () => {
    open({ ...ANNA, picture: 'https://lh3.googleusercontent.com/a' });
    const picture = opener().querySelector('img');
    expect(picture?.getAttribute('src')).toBe('https://lh3.googleusercontent.com/a');
    if (picture) fireEvent.error(picture);
    expect(opener().querySelector('img')).toBeNull();
  });

  it('signs out: home, session forgotten, server told', async () => {
    const server = open(ANNA);
    unfold();
    act(() => screen.getByRole('button', { name: 'Esci' }).click());
    await waitFor(() => expect(document.querySelector('code')?.textContent).toBe('/'));
    expect(localStorage.getItem('access_token')).toBeNull();
    expect(server.asked).toContain('POST /api/v1/auth/logout');
  });
});

describe('the plans for whom has none', () => {
  const choose = (name: RegExp) => act(() => screen.getByRole('button', { name }).click());
  const unfoldPlans = () => {
    unfold();
    act(() => screen.getByRole('button', { name: 'Attiva un Piano' }).click());
  };

  it('are three, with description and the price of this installation', async () => {
    open(BRUNO, { 'GET /api/v1/payment/prices': { body: { trial: { amount: 2 }, monthly: { amount: 9.99 }, annual: { amount: 95.9 } } } });
    expect(opener().textContent).toContain('Nessun Piano');
    unfoldPlans();
    await screen.findByText(/^2\s€ per 7 giorni$/);
    expect(screen.getByRole('button', { name: /Piano Mensile.*9,99\s€ al mese/ })).toBeTruthy();
    expect(screen.getByRole('button', { name: /Piano Annuale.*95,90\s€ all'anno/ })).toBeTruthy();
  });

  it('open one checkout, say that it is being opened, and go there', async () => {
    const opened: string[] = [];
    vi.spyOn(browser, 'open').mockImplementation((address) => void opened.push(address));
    const server = open(BRUNO, { [CHECKOUT]: { body: { checkout_url: 'https://pay.example/1' } } });
    unfoldPlans();
    choose(/Piano Annuale/);
    choose(/Caricamento/);
    await waitFor(() => expect(opened).toEqual(['https://pay.example/1']));
    const asked = server.requests.filter((request) => request.url.endsWith('/create-checkout'));
    expect(asked).toHaveLength(1);
    expect(await asked[0]?.json()).toEqual({
      plan_type: 'annual',
      success_url: `${location.origin}/account/subscription?success=true`,
      cancel_url: `${location.origin}/account/subscription?canceled=true`,
    });
  });

  const problem = (status: number, detail = 'Una frase.') => ({ status, body: { detail, code: 'some_code' } });
  it.each<[string, TestServer['answers'][string]]>([
    ['Si è verificato un errore. Riprova più tardi.', problem(404)],
    ['Sessione scaduta. Ricarica la pagina e accedi di nuovo.', problem(401)],
    ['Dati del piano non validi. Contatta il supporto.', problem(422)],
    ['Piano selezionato non valido. Riprova.', problem(422, 'Invalid price_id')],
    ['Errore del server. Riprova tra qualche minuto.', problem(500)],
    ['Hai già usato la prova. Scegli un altro piano.', problem(409, 'Hai già usato la prova. Scegli un altro piano.')],
    ['Errore di connessione. Riprova più tardi.', new Error('the line is down')],
    ['URL di checkout non ricevuto dal server', { body: {} }],
  ])('say "%s" when it fails so', async (text, answer) => {
    open(BRUNO, { [CHECKOUT]: answer });
    unfoldPlans();
    choose(/Piano Mensile/);
    await screen.findByText(text);
    expect(screen.queryByText('Caricamento...')).toBeNull();
  });
});
