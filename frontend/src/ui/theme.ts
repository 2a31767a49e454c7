// Light or dark. The saved choice stands; where there is none, the operating system's, which is then followed when it
// changes. `public/first-paint.js` applies the same rule before the first paint.

import { useEffect, useState } from 'react';

export type Theme = 'dark' | 'light';

const KEY = 'theme';
const systemPrefersDark = () => matchMedia('(prefers-color-scheme: dark)');

function savedTheme(): Theme | undefined {
  try {
    const saved = localStorage.getItem(KEY);
    return saved === 'dark' || saved === 'light' ? saved : undefined;
  } catch {
    // A browser that refuses storage: the choice lasts as long as the page.
    return undefined;
  }
}

export function currentTheme(): Theme {
  return savedTheme() ?? (systemPrefersDark().matches ? 'dark' : 'light');
}

function apply(theme: Theme) {
  document.documentElement.classList.toggle('dark', theme === 'dark');
}

/** The theme that shows, and the way to choose the other one for good. */
export function useTheme(): { theme: Theme; choose: (theme: Theme) => void } {
  const [theme, setTheme] = useState(currentTheme);

  useEffect(() => apply(theme), [theme]);

  useEffect(() => {
    const system = systemPrefersDark();
    const follow = () => setTheme(currentTheme());
    const followOtherTab = (event: StorageEvent) => {
      if (event.key === KEY || event.key === null) setTheme(currentTheme());
    };
    system.addEventListener('change', follow);
    addEventListener('storage', followOtherTab);
    return () => {
      system.removeEventListener('change', follow);
      removeEventListener('storage', followOtherTab);
    };
  }, []);

  return {
    theme,
    choose: (chosen) => {
      try {
        localStorage.setItem(KEY, chosen);
      } catch {
        // As above.
      }
      setTheme(chosen);
    },
  };
}
