// What somebody holds, as the screens show it: from the server's status, and until that has come, from the record of
// the user. The rules of what may be pressed stand here and nowhere else.

import type { PlanStatus, Subscription } from '../../api/contract';

export interface Holding {
  plan: string;
  status: string;
  start: string | undefined;
  end: string | undefined;
  /** It was cancelled and ends with the period. */
  cancelling: boolean;
  /** It ends at `end` instead of renewing itself. */
  ends: boolean;
  problem: PlanStatus['payment_problem'];
  payUrl: string | undefined;
  accessUntil: string | undefined;
  canManage: boolean;
  canCancel: boolean;
  /** Cancelling can be taken back. */
  canTakeBack: boolean;
}

/** What is held; undefined when nothing is, or no more. */
export function holdingOf(subscription: Subscription | undefined, status: PlanStatus | undefined): Holding | undefined {
  if (status) {
    if (!status.plan_type || (status.status !== 'active' && status.status !== 'past_due')) return undefined;
    return ruled(status.plan_type, status.status, {
      start: status.current_period_start,
      end: status.current_period_end,
      cancelling: status.cancel_at_period_end,
      problem: status.payment_problem ?? (status.status === 'past_due' ? 'payment_failed' : undefined),
      payUrl: status.pay_url,
      accessUntil: status.access_until,
      manage: status.can_manage,
      cancel: status.can_cancel,
    });
  }
  if (!subscription) return undefined;
  return ruled(subscription.plan, subscription.status, {
    start: subscription.current_period_start,
    end: subscription.current_period_end,
    cancelling: subscription.cancel_at_period_end,
    problem: subscription.status === 'past_due' ? 'payment_failed' : undefined,
    payUrl: undefined,
    accessUntil: undefined,
    manage: true,
    cancel: true,
  });
}

type Known = Pick<Holding, 'start' | 'end' | 'cancelling' | 'problem' | 'payUrl' | 'accessUntil'> & { manage: boolean; cancel: boolean };

function ruled(plan: string, status: string, { manage, cancel, ...known }: Known): Holding {
  // The trial ends by itself: there is nothing to cancel, and nothing to take back.
  const trial = plan === 'trial';
  const { cancelling } = known;
  return {
    ...known,
    plan,
    status,
    ends: cancelling || trial,
    canManage: manage && !cancelling,
    canCancel: cancel && !cancelling && !trial,
    canTakeBack: cancelling && !trial,
  };
}
