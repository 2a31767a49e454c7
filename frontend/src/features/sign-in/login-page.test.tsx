import { render, screen, waitFor } from '@testing-library/preact';
import { MemoryRouter, useLocation } from 'react-router-dom';
import { afterEach, expect, it, vi } from 'vitest';

import { SessionProvider } from '../../session';
import { BRUNO, startServer, store } from '../../test-server';
import LoginPage from './login-page';

function Where() {
  const { pathname, search } = useLocation();
  return <code>{pathname + search}</code>;
}

function open(address: string) {
  startServer({ 'GET /api/v1/auth/me': { body: BRUNO } });
  render(
    <MemoryRouter initialEntries={[address]}>
      <SessionProvider>
        <Where />
        <LoginPage />
      </SessionProvider>
    </MemoryRouter>,
  );
}

afterEach(() => vi.unstubAllGlobals());

it.each([
  ['/login?plan=annual', '/api/v1/auth/google/login?plan=annual'],
  ['/login?plan=gold', '/api/v1/auth/google/login'],
  ['/login', '/api/v1/auth/google/login'],
])('%s takes along a plan that there is', async (address, google) => {
  open(address);
  expect((await screen.findByRole('link', { name: 'Accedi con Google' })).getAttribute('href')).toBe(google);
});

it.each([
  ['/login?plan=annual', '/account/ordine?plan=annual'],
  ['/login?plan=gold', '/app'],
  ['/login', '/app'],
])('%s leads whoever is signed in on to %s', async (address, onward) => {
  store('token', BRUNO);
  open(address);
  await waitFor(() => expect(document.querySelector('code')?.textContent).toBe(onward));
});
