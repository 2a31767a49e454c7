import { act, render, screen } from '@testing-library/preact';
import { MemoryRouter, useLocation, useNavigate } from 'react-router-dom';
import { expect, it, vi } from 'vitest';

import { ErrorBoundary } from './error-boundary';

function Breaks(): never {
  throw new Error('something of ours');
}

function Pages() {
  const { pathname } = useLocation();
  const navigate = useNavigate();
  return (
    <>
      <button onClick={() => navigate('/whole')}>elsewhere</button>
      <ErrorBoundary place={pathname}>{pathname === '/broken' ? <Breaks /> : <p>a whole page</p>}</ErrorBoundary>
    </>
  );
}

it('shows a sentence and a way on in the place of a page that breaks, and lets the next page be', async () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {});
  const reload = vi.spyOn(location, 'reload').mockImplementation(() => {});
  render(
    <MemoryRouter initialEntries={['/broken']}>
      <Pages />
    </MemoryRouter>,
  );
  await screen.findByRole('heading', { name: 'Qualcosa non ha funzionato' });
  expect(document.body.textContent).not.toContain('something of ours');
  expect(log).toHaveBeenCalled();
  act(() => screen.getByRole('button', { name: 'Ricarica la pagina' }).click());
  expect(reload).toHaveBeenCalledOnce();
  act(() => screen.getByRole('button', { name: 'elsewhere' }).click());
  await screen.findByText('a whole page');
});
