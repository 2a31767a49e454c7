// How long a plan lasts that is paid for at a given moment; for the order, before the server knows of any.

import type { PlanName } from '../../plans';

const DAY = 86_400_000;

/** The end of the first period. The 31st becomes the last day of a shorter month, as the payment provider counts. */
export function firstPeriodEnd(plan: PlanName, start: Date): Date {
  if (plan === 'trial') return new Date(start.getTime() + 7 * DAY);
  const months = plan === 'monthly' ? 1 : 12;
  const end = new Date(start);
  end.setUTCDate(1);
  end.setUTCMonth(end.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(end.getUTCFullYear(), end.getUTCMonth() + 1, 0)).getUTCDate();
  end.setUTCDate(Math.min(start.getUTCDate(), lastDay));
  return end;
}
