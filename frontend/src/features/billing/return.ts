// With what the payment provider sent the browser back. The query goes at once, so that a reload says nothing twice.

import { useEffect, useState } from 'react';
import { useSearchParams } from 'react-router-dom';

import { CHECKOUT_SUCCESS_KEY } from '../../session';

export type Return = 'paid' | 'turned-back' | undefined;

/** Tells the other tabs, and the assistant, that something was paid. */
export function leaveSuccessFlag() {
  try {
    localStorage.setItem(CHECKOUT_SUCCESS_KEY, 'true');
  } catch {
    // The other tabs learn it at their next look.
  }
}

/** `plan` is what the query says was bought, where it does. */
export function useReturn(): { back: Return; plan: string | undefined } {
  const [query, setQuery] = useSearchParams();
  // Read once: clearing the query must not forget the answer.
  const [{ back, plan }] = useState<{ back: Return; plan: string | undefined }>(() => ({
    back: query.get('success') === 'true' ? 'paid' : query.get('canceled') === 'true' ? 'turned-back' : undefined,
    plan: query.get('plan') ?? undefined,
  }));
  useEffect(() => {
    if (!back) return;
    setQuery({}, { replace: true });
    if (back === 'paid') leaveSuccessFlag();
    // Once, when the page is opened; the router gives a new `setQuery` with each address.
  }, [back]);
  return { back, plan };
}
