// The plan that somebody holds, and the plans there are. Whoever comes to the assistant without a plan lands here and
// is told why; whoever comes back from the payment provider is told how it went.

import { useEffect, useRef, useState } from 'react';
import { Link, useLocation } from 'react-router-dom';

import type { PlanStatus } from '../../api/contract';
import { withdrawals, type Withdrawals } from '../../api/payment';
import { Problem } from '../../api/problem';
import { dayText, planName } from '../../plans';
import { useSession } from '../../session';
import { Card } from '../../ui/card';
import { Notice } from '../../ui/notice';
import { Page } from '../../ui/page';
import { CurrentPlan, WITHDRAWAL_PAGE, WithdrawLink, type Message } from './current-plan';
import { holdingOf } from './holding';
import { PaymentNews } from './payment-news';
import { PaymentProblem } from './payment-problem';
import { PlanShelf } from './plan-shelf';
import { usePlanStatus } from './plan-status';
import { useReturn } from './return';
import styles from './subscription.module.css';

export default function SubscriptionPage() {
  const { user } = useSession();
  const { back } = useReturn();
  const { status, settling, put } = usePlanStatus(back === 'paid');
  const { contracts, receipts } = useWithdrawals(status);
  const reason = useReason();
  const [message, setMessage] = useState<Message>();
  const plans = useRef<HTMLElement>(null);
  const { hash } = useLocation();
  const holding = holdingOf(user?.subscription, status);
  const pending = settling === 'waiting' || settling === 'slow';
  const withdrawable = contracts.length > 0;

  useEffect(() => {
    if (hash === '#plans') plans.current?.scrollIntoView();
  }, [hash]);

  return (
    <Page title="Il tuo abbonamento" width="wide">
      <div class={styles.stack}>
        <PaymentNews back={back} settling={settling} />
        {reason && !holding && !pending && back === undefined && (
          <Notice kind="info" title={reason} announce="later">
            <p>Per usare l'assistente serve un piano attivo. Scegli qui sotto quello che fa per te.</p>
          </Notice>
        )}
        {message && (
          <Notice kind={message.kind} announce="now">
            <p>{message.text}</p>
          </Notice>
        )}
        {holding ? (
          <CurrentPlan holding={holding} withdrawable={withdrawable} put={put} tell={setMessage} />
        ) : (
          <NoPlan pending={pending} status={status} withdrawable={withdrawable} />
        )}
        {receipts.length > 0 && (
          <p>
            <Link to={WITHDRAWAL_PAGE}>Le tue ricevute di recesso</Link>
          </p>
        )}
        {/* Nobody pays twice because the first payment takes a moment. */}
        {!pending && (
          <section id="plans" ref={plans} aria-labelledby="plans-heading">
            <h2 id="plans-heading" class={styles.heading}>
              {holding ? 'I piani' : 'Scegli il tuo piano'}
            </h2>
            <PlanShelf holding={holding} trialAvailable={status?.trial_available ?? true} paymentDue={!holding && waitsForPayment(status)} />
          </section>
        )}
      </div>
    </Page>
  );
}

/** Whether a renewal is still to be paid, so that the server would refuse to sell another plan. */
function waitsForPayment(status: PlanStatus | undefined): boolean {
  return status?.payment_problem !== undefined && status.can_manage;
}

/** What the guard of the assistant says about why somebody is here. */
function useReason(): string | undefined {
  const { state } = useLocation();
  const reason: unknown = typeof state === 'object' && state !== null && 'reason' in state ? state.reason : undefined;
  return typeof reason === 'string' ? reason : undefined;
}

/** The contracts from which one can withdraw, and the receipts; asked anew whenever the plan has changed. */
function useWithdrawals(status: PlanStatus | undefined): Withdrawals {
  const [known, setKnown] = useState<Withdrawals>({ contracts: [], receipts: [] });
  const state = `${status?.status} ${status?.plan_type} ${status?.payment_pending}`;
  useEffect(() => {
    let gone = false;
    withdrawals().then(
      (fresh) => {
        if (!gone) setKnown(fresh);
      },
      (caught: unknown) => {
        if (!(caught instanceof Problem)) throw caught;
      },
    );
    return () => {
      gone = true;
    };
  }, [state]);
  return known;
}

function NoPlan({ pending, status, withdrawable }: { pending: boolean; status: PlanStatus | undefined; withdrawable: boolean }) {
  if (pending) {
    return (
      <Card kind="slip">
        <p class={styles.label}>Piano attuale</p>
        <p class={styles.plan}>Il tuo piano sta arrivando</p>
        <p>Appena è attivo, lo trovi qui.</p>
      </Card>
    );
  }
  const ended = status?.status === 'ended' ? (status.access_until ?? status.current_period_end) : undefined;
  // The grace is over, but what is open can still be paid: then the plan goes on.
  const problem = status?.pay_url ? status.payment_problem : undefined;
  return (
    <Card kind="slip">
      <p class={styles.label}>Piano attuale</p>
      <p class={styles.plan}>{planName(undefined)}</p>
      {ended && (
        <p>
          <strong>Il tuo piano è finito il {dayText(ended)}.</strong> Le tue richieste sono ancora in “Le mie richieste”.
        </p>
      )}
      {problem && <PaymentProblem problem={problem} payUrl={status?.pay_url} accessUntil={status?.access_until} over />}
      <p>Con un piano puoi descrivere un problema, mandare una foto dello schermo e ricevere i passi per risolverlo.</p>
      {withdrawable && (
        <div class="actions">
          <WithdrawLink />
        </div>
      )}
    </Card>
  );
}
