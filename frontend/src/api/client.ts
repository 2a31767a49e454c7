// The way to the server. Calls are typed by the server's own description; `take` gives the data or throws a `Problem`:
//
//     const usage = await take(api.GET('/api/v1/usage', { signal }));
//
// The access token goes along by itself, a renewed one is kept, and a 401 to a token that is still the stored one
// forgets it, whichever call it was; the session notices and leads on from there.

import createClient from 'openapi-fetch';

import { forgetSession, keepToken, storedToken } from './access-token';
import type { paths as Awaited } from './contract';
import { isAbort, networkProblem, problemOf } from './problem';
import type { paths as Described } from './schema';

/** What the server describes, and the calls of the next milestone, which it does not know yet. */
type Calls = Described & Omit<Awaited, keyof Described>;

const RENEWED_TOKEN = 'x-access-token';

/**
 * `fetch` with the session's rules; for calls that are no JSON, such as an upload or an event stream. An answer that
 * is no success is the caller's to read, with `problemOf`.
 */
export async function send(input: Request): Promise<Response> {
  const token = storedToken();
  const request = new Request(input);
  if (token) request.headers.set('authorization', `Bearer ${token}`);
  let response: Response;
  try {
    response = await fetch(request);
  } catch (caught) {
    throw isAbort(caught) ? caught : networkProblem();
  }
  // Somebody may have signed in anew, here or in another tab, while this call was on its way.
  if (token && token === storedToken()) {
    const renewed = response.headers.get(RENEWED_TOKEN);
    if (response.status === 401) forgetSession();
    else if (renewed) keepToken(renewed);
  }
  return response;
}

export const api = createClient<Calls>({
  // Relative addresses are none for `Request` outside a browser, so the origin is written out.
  baseUrl: location.origin,
  // Late, so that what is put in fetch's place by a test is found.
  fetch: (request) => send(request),
});

interface Outcome<Data> {
  data?: Data;
  error?: unknown;
  response: Response;
}

/** The data of a call. @throws {Problem} whatever else happened. */
export async function take<Data>(call: Promise<Outcome<Data>>): Promise<Data> {
  let outcome: Outcome<Data>;
  try {
    outcome = await call;
  } catch (caught) {
    // The body was promised as JSON and is none: a proxy in between answered, most likely.
    throw caught instanceof SyntaxError ? networkProblem() : caught;
  }
  if (!outcome.response.ok) throw problemOf(outcome.response, outcome.error);
  return outcome.data as Data;
}
