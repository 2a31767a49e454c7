// Where the access token and the copy of the user live in the browser, and the one way to forget them. Everything else
// asks here, so that no key is spelled twice. A browser that refuses storage keeps them as long as the page is open.

const TOKEN_KEY = 'access_token';
const USER_KEY = 'user';

/** Told to the window when this page changed what is stored; `storage` events only reach the other tabs. */
export const STORED_SESSION_CHANGED = 'rimedio:stored-session-changed';

let sessions = 0;

/** Which session of this page it is: another number after each sign-in and sign-out, the same when a token is renewed. */
export function sessionNumber(): number {
  return sessions;
}

const whileOpen = new Map<string, string>();

function read(key: string): string | null {
  try {
    return localStorage.getItem(key) ?? whileOpen.get(key) ?? null;
  } catch {
    return whileOpen.get(key) ?? null;
  }
}

function write(key: string, value: string) {
  try {
    localStorage.setItem(key, value);
  } catch {
    whileOpen.set(key, value);
  }
}

function remove(key: string) {
  whileOpen.delete(key);
  try {
    localStorage.removeItem(key);
  } catch {
    // Nothing could have been stored there.
  }
}

export function storedToken(): string | null {
  return read(TOKEN_KEY);
}

/** The user's record as text; what cannot be read as JSON counts as nobody. */
export function storedUserText(): string | null {
  return read(USER_KEY);
}

/** Keeps a renewed token. The user stays. */
export function keepToken(token: string) {
  write(TOKEN_KEY, token);
}

export function keepSession(token: string, user: object) {
  sessions += 1;
  write(TOKEN_KEY, token);
  write(USER_KEY, JSON.stringify(user));
  dispatchEvent(new Event(STORED_SESSION_CHANGED));
}

export function keepUser(user: object) {
  write(USER_KEY, JSON.stringify(user));
  dispatchEvent(new Event(STORED_SESSION_CHANGED));
}

export function forgetSession() {
  sessions += 1;
  remove(TOKEN_KEY);
  remove(USER_KEY);
  dispatchEvent(new Event(STORED_SESSION_CHANGED));
}
