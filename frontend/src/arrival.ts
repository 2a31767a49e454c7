// With what the browser came back from signing in. Read and taken out of the address bar before anything else happens,
// so that the ticket stays in no history, no screenshot and no extension's view of the address.

export interface Arrival {
  token: string | null;
  error: string | null;
  code: string | null;
  plan: string | null;
  /** The whole query, for the server's own callback. */
  query: string;
}

const PATHS = ['/auth/callback', '/auth/success'];

export function takeArrival(at: Pick<Location, 'pathname' | 'search'>, history: Pick<History, 'replaceState'>): Arrival {
  const query = PATHS.includes(at.pathname) ? at.search : '';
  if (query) history.replaceState(null, '', at.pathname);
  const parameters = new URLSearchParams(query);
  const read = (name: string) => parameters.get(name) || null;
  return { token: read('token'), error: read('error'), code: read('code'), plan: read('plan'), query };
}

/** Taken when the first script runs; there is no second arrival without a new page. */
export const arrival = takeArrival(location, history);
