// What the server says of the plan, and how a payment that was just made becomes one. After a checkout the server is
// asked at once, again after 2 seconds, and then every 3 seconds for a minute, until it has settled the payment.

import { useEffect, useState } from 'react';

import type { PlanStatus } from '../../api/contract';
import { subscriptionStatus, syncSubscription } from '../../api/payment';
import { Problem } from '../../api/problem';
import { tellPending } from '../../pending-payment';
import { CHECKOUT_REFRESH, useSession } from '../../session';

/** Milliseconds. */
export const ASK_EVERY = 3_000;
export const ASK_FOR = 60_000;

/**
 * How a payment stands: none is awaited; awaited; awaited for longer than usual; active; or the server knows of none.
 */
export type Settling = 'no' | 'waiting' | 'slow' | 'active' | 'nothing';

export interface PlanNews {
  status: PlanStatus | undefined;
  settling: Settling;
  /** Puts what a call has just said in the place of what was known. */
  put: (status: PlanStatus) => void;
}

const quietly = (caught: unknown): undefined => {
  if (!(caught instanceof Problem)) throw caught;
  return undefined;
};

/** @param paid Whether the browser has just come back from a checkout that was paid. */
export function usePlanStatus(paid: boolean): PlanNews {
  const { user, refresh } = useSession();
  const [status, setStatus] = useState<PlanStatus>();
  const [settling, setSettling] = useState<Settling>(paid ? 'waiting' : 'no');
  const [awaited, setAwaited] = useState(paid);
  const pending = status?.payment_pending === true;
  // Whatever changes in the record of the user has changed here too.
  const held = JSON.stringify(user?.subscription);

  useEffect(() => {
    if (awaited) return;
    let gone = false;
    const look = () => {
      subscriptionStatus().then((fresh) => {
        if (!gone) setStatus(fresh);
      }, quietly);
    };
    look();
    // Back from the provider's portal, in another tab.
    addEventListener('focus', look);
    return () => {
      gone = true;
      removeEventListener('focus', look);
    };
  }, [awaited, held]);

  useEffect(() => {
    if (pending) setAwaited(true);
  }, [pending]);

  useEffect(() => {
    if (!awaited) return;
    let gone = false;
    let timer: ReturnType<typeof setTimeout>;
    setSettling('waiting');
    const begun = Date.now();
    const ask = async (round: number) => {
      const fresh = await syncSubscription().catch(quietly);
      if (!gone) await refresh();
      if (gone) return;
      if (fresh) setStatus(fresh);
      const over = fresh !== undefined && !fresh.payment_pending;
      if (over && fresh.is_active) setSettling('active');
      // The first answer may be a moment too early; the second is believed.
      if (over && round > 0) {
        if (!fresh.is_active) setSettling('nothing');
        setAwaited(false);
        return;
      }
      if (Date.now() - begun >= ASK_FOR) {
        setSettling('slow');
        setAwaited(false);
        return;
      }
      timer = setTimeout(() => void ask(round + 1), round === 0 ? CHECKOUT_REFRESH : ASK_EVERY);
    };
    void ask(0);
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [awaited, refresh]);

  useEffect(() => {
    if (settling === 'waiting' || settling === 'slow') tellPending(true);
    else if (status && !status.payment_pending) tellPending(false);
  }, [settling, status]);

  return { status, settling, put: setStatus };
}
