import { act, fireEvent, render, screen } from '@testing-library/preact';
import { MemoryRouter } from 'react-router-dom';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { preferences } from '../../preferences';
import { SessionProvider } from '../../session';
import { ANNA, startServer, store } from '../../test-server';
import SettingsPage, { SAVED_SHOWN } from './settings-page';

const pass = (milliseconds: number) =>
  act(async () => {
    await vi.advanceTimersByTimeAsync(milliseconds);
  });

function open() {
  startServer({ 'GET /api/v1/auth/me': { body: ANNA } });
  render(
    <MemoryRouter>
      <SessionProvider>
        <SettingsPage />
      </SessionProvider>
    </MemoryRouter>,
  );
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('the settings', () => {
  it('wait as long as nobody is known', () => {
    open();
    expect(screen.getByText('Caricamento...')).toBeTruthy();
  });

  it('change the name after Modifica, keep it with Salva, and say so for 3 s', async () => {
    store('token', ANNA);
    open();
    await pass(0);
    const name = screen.getByLabelText<HTMLInputElement>('Come vuoi essere chiamato');
    expect(name.value).toBe('Anna Bianchi');
    expect(name.readOnly).toBe(true);
    act(() => screen.getByRole('button', { name: 'Modifica' }).click());
    expect(name.readOnly).toBe(false);
    fireEvent.input(name, { target: { value: 'Nonna Anna' } });
    expect(localStorage.getItem('user_display_name')).toBeNull();
    act(() => screen.getByRole('button', { name: 'Salva' }).click());
    await pass(0);
    expect(localStorage.getItem('user_display_name')).toBe('Nonna Anna');
    expect(name.value).toBe('Nonna Anna');
    expect(screen.getByText('Salvato')).toBeTruthy();
    await pass(SAVED_SHOWN);
    expect(screen.queryByText('Salvato')).toBeNull();
  });

  it('never let the address be changed', async () => {
    store('token', ANNA);
    open();
    await pass(0);
    act(() => screen.getByRole('button', { name: 'Modifica' }).click());
    expect(screen.getByLabelText<HTMLInputElement>('Email').readOnly).toBe(true);
  });

  it('keep what is chosen under the keys of the specification', async () => {
    store('token', ANNA);
    open();
    await pass(0);
    expect(preferences()).toEqual({ response_format: 'detailed', save_conversations: true, email_notifications: true, marketing_emails: false });
    for (const label of [/Breve/, /Conserva le mie richieste/, /Avvisi sul mio account/, /Novità e offerte/]) {
      act(() => screen.getByLabelText(label).click());
    }
    const keys = ['response_format', 'save_conversations', 'email_notifications', 'marketing_emails'];
    expect(keys.map((key) => localStorage.getItem(key))).toEqual(['concise', 'false', 'false', 'true']);
    expect(preferences()).toEqual({ response_format: 'concise', save_conversations: false, email_notifications: false, marketing_emails: true });
  });
});
