import { afterEach, describe, expect, it, vi } from 'vitest';

import { startServer, store } from '../test-server';
import { keepSession } from './access-token';
import { api, send, take } from './client';
import { Problem } from './problem';

const ME = 'GET /api/v1/auth/me';
const me = () => take(api.GET('/api/v1/auth/me'));
const token = () => localStorage.getItem('access_token');

afterEach(() => vi.unstubAllGlobals());

async function problemOf(call: Promise<unknown>): Promise<Problem> {
  const caught: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(caught instanceof Problem)) throw new Error(`no problem: ${String(caught)}`);
  return caught;
}

describe('a call', () => {
  it('that fails becomes a problem with everything that the server said', async () => {
    startServer({
      [ME]: { status: 429, body: { detail: 'Aspetta.', code: 'rate_limited', request_id: 'r1' }, headers: { 'retry-after': '7' } },
    });
    expect(await problemOf(me())).toMatchObject({ status: 429, code: 'rate_limited', detail: 'Aspetta.', requestId: 'r1', retryAfter: 7 });
  });

  it('that the server answers without a sentence says the status', async () => {
    startServer({ [ME]: { status: 502, body: 'gone' } });
    expect(await problemOf(me())).toMatchObject({ status: 502, code: 'unreadable', detail: 'Errore HTTP 502' });
  });

  it('that does not reach the server is a problem of the line', async () => {
    startServer({ [ME]: new Error('the line is down') });
    const problem = await problemOf(me());
    expect(problem.isNetwork).toBe(true);
    expect(problem.status).toBe(0);
  });

  it('that was promised as JSON and is none is a problem of the line', async () => {
    vi.stubGlobal('fetch', async () => new Response('<!doctype html>', { status: 200, headers: { 'content-type': 'text/html' } }));
    expect((await problemOf(me())).isNetwork).toBe(true);
  });

  it('of a stranger carries no token', async () => {
    const server = startServer({ [ME]: { body: {} } });
    await me();
    expect(server.requests[0]?.headers.has('authorization')).toBe(false);
  });
});

describe('the token', () => {
  it('is forgotten after a 401, whichever call it was', async () => {
    store('old', {});
    startServer({ 'POST /api/v1/upload-image': { status: 401, body: {} } });
    const response = await send(new Request(`${location.origin}/api/v1/upload-image`, { method: 'POST' }));
    expect(response.status).toBe(401);
    expect(token()).toBeNull();
  });

  it('of a new session outlives the 401 and the renewal of an old one', async () => {
    for (const answer of [{ status: 401, body: {} }, { body: {}, headers: { 'x-access-token': 'renewed-old' } }]) {
      store('old', {});
      startServer({
        [ME]: () => {
          keepSession('new', {});
          return answer;
        },
      });
      await me().catch(() => {});
      expect(token()).toBe('new');
    }
  });
});
