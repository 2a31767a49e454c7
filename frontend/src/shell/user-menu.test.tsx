import { act, fireEvent, render, screen, waitFor } from '@testing-library/preact';
import { MemoryRouter, useLocation } from 'react-router-dom';
import { afterEach, describe, expect, it, vi } from 'vitest';

import type { User } from '../api/contract';
import { tellPending } from '../pending-payment';
import { SessionProvider } from '../session';
import { ANNA, BRUNO, startServer, store, type TestServer } from '../test-server';
import { UserMenu } from './user-menu';

function Where() {
  const { pathname, search } = useLocation();
  return <code>{pathname + search}</code>;
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
  const unfoldPlans = () => {
    unfold();
    act(() => screen.getByRole('button', { name: 'Attiva un Piano' }).click());
  };

  it('are three, with description and the price of this installation', async () => {
    open(BRUNO, { 'GET /api/v1/payment/prices': { body: { trial: { amount: 2 }, monthly: { amount: 9.99 }, annual: { amount: 95.9 } } } });
    expect(opener().textContent).toContain('Nessun Piano');
    unfoldPlans();
    await screen.findByText(/^2\s€ per 7 giorni$/);
    expect(screen.getByRole('link', { name: /Piano Mensile.*9,99\s€ al mese/ })).toBeTruthy();
    expect(screen.getByRole('link', { name: /Piano Annuale.*95,90\s€ all'anno/ })).toBeTruthy();
  });

  it('lead to the order, and the menu closes behind them', () => {
    const server = open(BRUNO);
    unfoldPlans();
    act(() => screen.getByRole('link', { name: /Piano Annuale/ }).click());
    expect(document.querySelector('code')?.textContent).toBe('/account/ordine?plan=annual');
    expect(opener().getAttribute('aria-expanded')).toBe('false');
    expect(server.asked).not.toContain('POST /api/v1/payment/create-checkout');
  });
});

describe('a payment', () => {
  afterEach(() => tellPending(false));

  it('that is on its way is never called no plan', () => {
    tellPending(true);
    open(BRUNO);
    unfold();
    expect(opener().textContent).toContain('Attivo tra poco');
    expect(screen.getByText('Pagamento ricevuto, attivo tra poco.')).toBeTruthy();
    expect(screen.queryByText('Nessun Piano')).toBeNull();
    expect(screen.queryByRole('button', { name: 'Attiva un Piano' })).toBeNull();
  });

  it('that did not go through is told, with the way to put it right', () => {
    if (!ANNA.subscription) throw new Error('Anna holds a plan');
    open({ ...ANNA, subscription: { ...ANNA.subscription, status: 'past_due' } });
    unfold();
    expect(screen.getByRole('link', { name: "C'è un pagamento da sistemare" }).getAttribute('href')).toBe('/account/subscription');
    expect(screen.queryByText(/Si rinnova il/)).toBeNull();
  });
});
