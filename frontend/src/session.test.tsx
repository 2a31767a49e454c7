import { act, render, screen } from '@testing-library/preact';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { SessionProvider, USER_REFRESH, CHECKOUT_REFRESH, chooseDisplayName, useSession, type Session } from './session';
import { ANNA, BRUNO, startServer, store } from './test-server';

let session: Session;

function Watcher() {
  session = useSession();
  return (
    <p>
      {session.state} {session.name}
    </p>
  );
}

const open = () =>
  render(
    <SessionProvider>
      <Watcher />
    </SessionProvider>,
  );

/** Lets so many milliseconds pass, and everything happen that follows from it. */
const pass = (milliseconds: number) =>
  act(async () => {
    await vi.advanceTimersByTimeAsync(milliseconds);
  });
const settle = () => pass(0);
const ME = 'GET /api/v1/auth/me';

/** An answer that comes when the test says so. */
function later() {
  let arrive: (body: unknown) => void = () => {};
  const answer = new Promise<{ body: unknown }>((resolve) => {
    arrive = (body) => resolve({ body });
  });
  return { answer, arrive };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('who is here', () => {
  it('is nobody without a token, without a user, or with a user that cannot be read', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    startServer({ [ME]: { status: 503, body: { detail: 'Riprova', code: 'unavailable' } } });
    for (const [token, user] of [['', JSON.stringify(ANNA)], ['token', ''], ['token', '{no'], ['token', '[]'], ['token', 'null']] as const) {
      localStorage.clear();
      if (token) localStorage.setItem('access_token', token);
      if (user) localStorage.setItem('user', user);
      const { unmount } = open();
      await settle();
      expect(session.state, `${token} ${user}`).toBe('anonymous');
      unmount();
    }
  });

  it('is whom the browser holds, and the record is fetched at the start and every 30 seconds', async () => {
    store('token', ANNA);
    const server = startServer({ [ME]: { body: ANNA } });
    open();
    await settle();
    expect(screen.getByText('signed-in Anna Bianchi')).toBeTruthy();
    expect(server.asked).toEqual([ME]);
    expect(server.requests[0]?.headers.get('authorization')).toBe('Bearer token');
    await pass(USER_REFRESH);
    expect(server.asked).toEqual([ME, ME]);
  });

  it('is looked at again when the window comes back into view and when another tab changed something', async () => {
    store('token', ANNA);
    const server = startServer({ [ME]: { body: { ...ANNA, full_name: 'Anna Rossi' } } });
    open();
    await settle();
    expect(session.name).toBe('Anna Rossi');
    act(() => void dispatchEvent(new Event('focus')));
    await settle();
    expect(server.asked).toHaveLength(2);
    store('other', BRUNO);
    server.answers[ME] = { body: BRUNO };
    act(() => void dispatchEvent(new StorageEvent('storage', { key: 'user' })));
    await settle();
    expect(session.name).toBe('Bruno Conti');
  });

  it('is nobody after a 401, and both token and user are gone', async () => {
    store('token', ANNA);
    startServer({ [ME]: { status: 401, body: { detail: 'La sessione è scaduta.', code: 'session_expired' } } });
    open();
    await settle();
    expect(session.state).toBe('anonymous');
    expect([localStorage.getItem('access_token'), localStorage.getItem('user')]).toEqual([null, null]);
  });

  it('stays when the server fails or cannot be reached', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    store('token', ANNA);
    const server = startServer({ [ME]: { status: 500, body: { detail: 'Riprova', code: 'internal' } } });
    open();
    await settle();
    server.answers[ME] = new Error('the line is down');
    await pass(USER_REFRESH);
    expect(session.state).toBe('signed-in');
    expect(localStorage.getItem('access_token')).toBe('token');
    expect(warn).toHaveBeenCalledTimes(2);
  });

  it('keeps a token that was renewed on the way', async () => {
    store('token', ANNA);
    startServer({ [ME]: { body: ANNA, headers: { 'x-access-token': 'fresh' } } });
    open();
    await settle();
    expect(localStorage.getItem('access_token')).toBe('fresh');
  });

  it('does not bring back somebody who signed out while the answer was on its way', async () => {
    store('token', ANNA);
    const late = later();
    startServer({ [ME]: () => late.answer, 'POST /api/v1/auth/logout': { status: 204 } });
    open();
    await settle();
    await act(() => session.signOut());
    late.arrive(ANNA);
    await settle();
    expect(session.state).toBe('anonymous');
    expect(localStorage.getItem('user')).toBeNull();
  });

  it('does not put the old person in the place of the one who signed in meanwhile', async () => {
    store('token', ANNA);
    const late = later();
    startServer({ [ME]: () => late.answer });
    open();
    await settle();
    act(() => session.signIn('other', BRUNO));
    late.arrive(ANNA);
    await settle();
    expect(session.name).toBe('Bruno Conti');
  });

  it('is fetched anew 2 seconds after another tab came back from a checkout, whose flag then goes', async () => {
    store('token', ANNA);
    const server = startServer({ [ME]: { body: ANNA } });
    open();
    await settle();
    localStorage.setItem('checkout_success', 'true');
    act(() => void dispatchEvent(new StorageEvent('storage', { key: 'checkout_success', newValue: 'true' })));
    await pass(CHECKOUT_REFRESH - 1);
    expect(server.asked).toHaveLength(1);
    await pass(1);
    expect(server.asked).toHaveLength(2);
    expect(localStorage.getItem('checkout_success')).toBeNull();
  });
});

describe('signing out', () => {
  it('tells the server with the token that ends, and forgets at once even when the line is down', async () => {
    store('token', ANNA);
    const server = startServer({ [ME]: { body: ANNA }, 'POST /api/v1/auth/logout': new Error('the line is down') });
    open();
    await settle();
    await act(() => session.signOut());
    expect(session.state).toBe('anonymous');
    expect(server.asked).toContain('POST /api/v1/auth/logout');
    expect(server.requests.at(-1)?.headers.get('authorization')).toBe('Bearer token');
  });
});

describe('the name on the screen', () => {
  it('is the chosen one before all others, as soon as it is chosen', async () => {
    store('token', { ...ANNA, display_name: 'Annina' });
    startServer({ [ME]: { status: 503 } });
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    open();
    await settle();
    expect(session.name).toBe('Annina');
    act(() => chooseDisplayName('  Nonna Anna '));
    expect(session.name).toBe('Nonna Anna');
    expect(localStorage.getItem('user_display_name')).toBe('Nonna Anna');
    act(() => chooseDisplayName(''));
    expect(session.name).toBe('Annina');
  });
});
