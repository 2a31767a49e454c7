// What a page must know of this installation before anybody has signed in: name, support address, banner, who writes
// the answers. Asked once at the start; as long as the server cannot be reached it is asked again, by itself.

import type { ComponentChildren } from 'preact';
import { createContext } from 'preact';
import { useContext, useEffect, useMemo, useState } from 'react';

import { api, take } from './api/client';
import type { About } from './api/contract';
import { Problem } from './api/problem';

/** Milliseconds between two tries, ending with the longest. */
export const RETRIES = [1_000, 2_000, 5_000, 10_000] as const;

/** What the product says below its name, until the server says its own. */
export const TAGLINE = 'Il tuo assistente IT personale';

export interface Installation {
  state: 'asking' | 'known' | 'unreachable';
  about: About | undefined;
  /** Asks at once instead of waiting for the next try. */
  askNow: () => void;
}

const InstallationContext = createContext<Installation>({ state: 'asking', about: undefined, askNow: () => {} });

export function InstallationProvider({ children }: { children: ComponentChildren }) {
  const [about, setAbout] = useState<About>();
  const [failures, setFailures] = useState(0);
  const [round, setRound] = useState(0);

  useEffect(() => {
    const gone = new AbortController();
    let again: ReturnType<typeof setTimeout> | undefined;
    const ask = async (tries: number) => {
      try {
        setAbout(await take(api.GET('/api/v1/about', { signal: gone.signal })));
        setFailures(0);
      } catch (caught) {
        if (gone.signal.aborted) return;
        if (!(caught instanceof Problem)) throw caught;
        setFailures(tries + 1);
        again = setTimeout(() => void ask(tries + 1), RETRIES[Math.min(tries, RETRIES.length - 1)]);
      }
    };
    const atOnce = () => setRound((one) => one + 1);
    void ask(0);
    addEventListener('online', atOnce);
    return () => {
      gone.abort();
      clearTimeout(again);
      removeEventListener('online', atOnce);
    };
  }, [round]);

  const installation = useMemo<Installation>(
    () => ({
      state: about ? 'known' : failures > 0 ? 'unreachable' : 'asking',
      about,
      askNow: () => setRound((one) => one + 1),
    }),
    [about, failures],
  );
  return <InstallationContext.Provider value={installation}>{children}</InstallationContext.Provider>;
}

export function useInstallation(): Installation {
  return useContext(InstallationContext);
}
