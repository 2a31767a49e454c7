// What somebody has typed survives a reload, an expired session and an error of the page: it is kept in the tab's own
// storage until it was sent. It goes when the tab is closed, and never leaves the browser.

import { useCallback, useState } from 'react';

const keyOf = (name: string) => `draft:${name}`;

/** The text of a field as it is kept; empty when there is none. */
export function keptDraft(name: string): string {
  try {
    return sessionStorage.getItem(keyOf(name)) ?? '';
  } catch {
    // A browser that refuses storage: the text lives as long as the page.
    return '';
  }
}

/** Leaves a text for a field of another page, unless something was typed there already. */
export function leaveDraft(name: string, text: string) {
  try {
    if (!keptDraft(name)) sessionStorage.setItem(keyOf(name), text);
  } catch {
    // As above: then the field is empty.
  }
}

/** Forgets a text that was sent. */
export function forgetDraft(name: string) {
  try {
    sessionStorage.removeItem(keyOf(name));
  } catch {
    // Nothing could have been kept there.
  }
}

/** The text of one field, by a name of its own, and the way to change it; an empty text leaves nothing behind. */
export function useDraft(name: string): [text: string, change: (text: string) => void] {
  const [text, setText] = useState(() => keptDraft(name));
  const change = useCallback(
    (changed: string) => {
      setText(changed);
      try {
        if (changed) sessionStorage.setItem(keyOf(name), changed);
        else sessionStorage.removeItem(keyOf(name));
      } catch {
        // As above.
      }
    },
    [name],
  );
  return [text, change];
}
