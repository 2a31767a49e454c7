import { render, screen } from '@testing-library/preact';
import { MemoryRouter } from 'react-router-dom';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { InstallationProvider } from '../installation';
import { SessionProvider } from '../session';
import { ANNA, startServer, store, type TestServer } from '../test-server';
import { Shell } from './shell';

const ABOUT = 'GET /api/v1/about';
const about = { name: 'Rimedio', tagline: 'Il tuo assistente IT personale', support_address: 'aiuto@rimedio.example' };

function open(answers: TestServer['answers']) {
  startServer(answers);
  render(
    <MemoryRouter>
      <InstallationProvider>
        <SessionProvider>
          <Shell>
            <main />
          </Shell>
        </SessionProvider>
      </InstallationProvider>
    </MemoryRouter>,
  );
}

beforeEach(() => {
  vi.stubGlobal('matchMedia', () => new EventTarget());
});
afterEach(() => vi.unstubAllGlobals());

it('names the product, the way in, and where to write', async () => {
  open({ [ABOUT]: { body: about } });
  expect(screen.getByRole('link', { name: 'Accedi' }).getAttribute('href')).toBe('/login');
  // Styled away on a narrow window, and so no link to this test's eyes.
  expect(screen.getByText('FAQ').getAttribute('href')).toBe('/faq');
  expect((await screen.findByRole('link', { name: 'Scrivici' })).getAttribute('href')).toBe('mailto:aiuto@rimedio.example');
  expect(screen.getByText('© 2024 Rimedio – Il tuo assistente IT personale')).toBeTruthy();
  expect(screen.queryByRole('complementary')).toBeNull();
});

it('shows the banner of a demonstration', async () => {
  open({ [ABOUT]: { body: { ...about, banner: 'Questa è una dimostrazione.' } } });
  await screen.findByText('Questa è una dimostrazione.');
});

it('shows who is here in the place of the way in', async () => {
  store('token', ANNA);
  open({ [ABOUT]: { body: about }, 'GET /api/v1/auth/me': { body: ANNA } });
  await screen.findByRole('button', { name: /Menu di Anna Bianchi/ });
  expect(screen.queryByRole('link', { name: 'Accedi' })).toBeNull();
});

it('says when the service cannot be reached', async () => {
  open({ [ABOUT]: new Error('the line is down') });
  await screen.findByText(/Non riusciamo a collegarci al servizio/);
});
