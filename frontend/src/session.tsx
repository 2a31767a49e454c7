// Who is here. A person counts as signed in when the browser holds both an access token and a readable user record.
// Both are looked at again when another tab changes them and when the window comes back into view; the record is
// fetched anew then, at the start, and every 30 seconds. A 401 clears both.

import type { ComponentChildren } from 'preact';
import { createContext } from 'preact';
import { useCallback, useContext, useEffect, useMemo, useRef, useState } from 'react';

import { STORED_SESSION_CHANGED, forgetSession, keepSession, keepUser, sessionNumber, storedToken, storedUserText } from './api/access-token';
import { api, take } from './api/client';
import type { User } from './api/contract';
import { Problem } from './api/problem';

/** Milliseconds. */
export const USER_REFRESH = 30_000;
/** Milliseconds after another tab came back from a checkout. */
export const CHECKOUT_REFRESH = 2_000;
/** Set to 'true' by the page to which a checkout returns. */
export const CHECKOUT_SUCCESS_KEY = 'checkout_success';
/** A name of the person's own choosing, which goes before the server's. */
export const DISPLAY_NAME_KEY = 'user_display_name';

export interface Session {
  /** `loading` until the stored session has been looked at for the first time. */
  state: 'loading' | 'anonymous' | 'signed-in';
  user: User | undefined;
  /** How the person is called; undefined when nothing is known. */
  name: string | undefined;
  /** Keeps what an exchange gave. */
  signIn: (token: string, user: User) => void;
  /** Ends the session at the server too, as far as it can be reached, and forgets it here in any case. */
  signOut: () => Promise<void>;
  /** Fetches the record of the user anew. */
  refresh: () => Promise<void>;
  /** Puts a record that a call just gave in the place of the stored one. */
  replaceUser: (user: User) => void;
}

const SessionContext = createContext<Session | undefined>(undefined);

/** The stored user, if there are a token and a record that can be read. */
export function storedUser(): User | undefined {
  const text = storedUserText();
  if (!storedToken() || !text) return undefined;
  try {
    const record: unknown = JSON.parse(text);
    return typeof record === 'object' && record !== null && !Array.isArray(record) ? (record as User) : undefined;
  } catch {
    return undefined;
  }
}

function chosenName(): string {
  try {
    return localStorage.getItem(DISPLAY_NAME_KEY)?.trim() ?? '';
  } catch {
    // No storage, no chosen name.
    return '';
  }
}

/** How the person is called on the screen; undefined when nothing is known. */
export function displayName(user: User | undefined): string | undefined {
  return chosenName() || user?.display_name || user?.full_name || user?.name || undefined;
}

/** Keeps the name that the person wants to be called by; an empty one gives way to the server's. */
export function chooseDisplayName(name: string) {
  try {
    if (name.trim()) localStorage.setItem(DISPLAY_NAME_KEY, name.trim());
    else localStorage.removeItem(DISPLAY_NAME_KEY);
  } catch {
    // Storage is refused: the server's name stays.
  }
  dispatchEvent(new Event(STORED_SESSION_CHANGED));
}

export function SessionProvider({ children }: { children: ComponentChildren }) {
  const [user, setUser] = useState(storedUser);
  const [chosen, setChosen] = useState(chosenName);
  const [looked, setLooked] = useState(false);
  const shown = useRef(storedUserText());

  const look = useCallback(() => {
    // The same text is the same user: nothing is drawn anew every 30 seconds for nothing.
    const text = storedToken() ? storedUserText() : null;
    if (text !== shown.current) {
      shown.current = text;
      setUser(storedUser());
    }
    setChosen(chosenName());
    setLooked(true);
  }, []);

  const refresh = useCallback(async () => {
    const token = storedToken();
    if (!token) {
      look();
      return;
    }
    try {
      const before = sessionNumber();
      const fresh = await take(api.GET('/api/v1/auth/me'));
      // Signed out meanwhile, or in as somebody else: an answer that comes late brings nobody back.
      if (storedToken() && before === sessionNumber()) keepUser(fresh);
    } catch (caught) {
      // A 401 has cleared the session already; anything else keeps the stored user, who may be on a train.
      if (!(caught instanceof Problem)) throw caught;
      if (caught.status !== 401) console.warn(`The user could not be fetched anew: ${caught.code}`);
    }
  }, [look]);

  useEffect(() => {
    let afterCheckout: ReturnType<typeof setTimeout> | undefined;
    const lookAndRefresh = () => {
      look();
      void refresh();
    };
    const onStorage = (event: StorageEvent) => {
      if (event.key === CHECKOUT_SUCCESS_KEY && event.newValue === 'true') {
        clearTimeout(afterCheckout);
        afterCheckout = setTimeout(() => {
          localStorage.removeItem(CHECKOUT_SUCCESS_KEY);
          void refresh();
        }, CHECKOUT_REFRESH);
        return;
      }
      lookAndRefresh();
    };
    lookAndRefresh();
    addEventListener(STORED_SESSION_CHANGED, look);
    addEventListener('storage', onStorage);
    addEventListener('focus', lookAndRefresh);
    const everySoOften = setInterval(() => void refresh(), USER_REFRESH);
    return () => {
      clearTimeout(afterCheckout);
      clearInterval(everySoOften);
      removeEventListener(STORED_SESSION_CHANGED, look);
      removeEventListener('storage', onStorage);
      removeEventListener('focus', lookAndRefresh);
    };
  }, [look, refresh]);

  const session = useMemo<Session>(
    () => ({
      state: !looked ? 'loading' : user ? 'signed-in' : 'anonymous',
      user,
      name: user && displayName(user),
      signIn: keepSession,
      signOut: async () => {
        const leaving = take(api.POST('/api/v1/auth/logout'));
        // The request has its token already; here the person is out at once, whatever the line does.
        forgetSession();
        await leaving.catch((caught: unknown) => {
          if (!(caught instanceof Problem)) throw caught;
        });
      },
      refresh,
      replaceUser: keepUser,
    }),
    // The chosen name is read with the user's.
    [looked, user, chosen, refresh],
  );
  return <SessionContext.Provider value={session}>{children}</SessionContext.Provider>;
}

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('no SessionProvider above');
  return session;
}
