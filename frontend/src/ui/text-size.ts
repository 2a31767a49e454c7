// How large the text is: a percentage over the browser's own setting, remembered. Everything is measured in rem, so the
// whole page grows and not only its words.

import { useEffect, useState } from 'react';

/** Per cent. */
export const TEXT_SIZES = [100, 125, 150, 200] as const;
export type TextSize = (typeof TEXT_SIZES)[number];

const KEY = 'text_size';

export function savedTextSize(): TextSize {
  try {
    const saved = Number(localStorage.getItem(KEY));
    return TEXT_SIZES.find((size) => size === saved) ?? 100;
  } catch {
    // Storage is refused: the choice lasts as long as the page.
    return 100;
  }
}

function apply(size: TextSize) {
  if (size === 100) delete document.documentElement.dataset.textSize;
  else document.documentElement.dataset.textSize = String(size);
}

export function useTextSize(): { size: TextSize; choose: (size: TextSize) => void } {
  const [size, setSize] = useState(savedTextSize);
  useEffect(() => apply(size), [size]);
  useEffect(() => {
    const follow = (event: StorageEvent) => {
      if (event.key === KEY || event.key === null) setSize(savedTextSize());
    };
    addEventListener('storage', follow);
    return () => removeEventListener('storage', follow);
  }, []);
  return {
    size,
    choose: (chosen) => {
      try {
        localStorage.setItem(KEY, String(chosen));
      } catch {
        // As above.
      }
      setSize(chosen);
    },
  };
}
