// Whether a payment is on its way to becoming a plan. The page to which a checkout returns finds it out; the menu reads
// it, so that nothing on the screen says that there is no plan to somebody who has just paid for one.

import { useEffect, useState } from 'react';

let pending = false;
const listeners = new Set<(pending: boolean) => void>();

export function tellPending(now: boolean) {
  if (now === pending) return;
  pending = now;
  listeners.forEach((listener) => listener(now));
}

export function usePendingPayment(): boolean {
  const [now, setNow] = useState(pending);
  useEffect(() => {
    setNow(pending);
    listeners.add(setNow);
    return () => void listeners.delete(setNow);
  }, []);
  return now;
}
