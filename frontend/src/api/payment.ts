// The calls about what somebody has bought, by name. The description of the server may lag behind the contract; what
// the screens rely on is what `contract.ts` says.

import { api, take } from './client';
import type { Contract, PlanStatus, Receipt } from './contract';

export function subscriptionStatus(): Promise<PlanStatus> {
  return take(api.GET('/api/v1/payment/subscription-status')) as Promise<PlanStatus>;
}

/** Has the server ask the payment provider, and says what is held after that. */
export function syncSubscription(): Promise<PlanStatus> {
  return take(api.POST('/api/v1/payment/sync-subscription')) as Promise<PlanStatus>;
}

/** Ends the plan with the period that is paid for. */
export function cancelSubscription(): Promise<PlanStatus> {
  return take(api.POST('/api/v1/payment/cancel-subscription')) as Promise<PlanStatus>;
}

/** The address of the provider's own page for the subscription; undefined when the answer holds none. */
export async function portalAddress(): Promise<string | undefined> {
  return (await take(api.POST('/api/v1/payment/create-portal')))?.portal_url;
}

export interface Withdrawals {
  /** From which one can still withdraw. */
  contracts: Contract[];
  /** Given before. */
  receipts: Receipt[];
}

export function withdrawals(): Promise<Withdrawals> {
  return take(api.GET('/api/v1/payment/withdrawal')) as Promise<Withdrawals>;
}

export function withdraw(declaration: { contract: string; name: string; address: string }): Promise<Receipt> {
  return take(api.POST('/api/v1/payment/withdrawal', { body: declaration })) as Promise<Receipt>;
}
