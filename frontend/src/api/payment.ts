// The calls about what somebody has bought, by name.

import { api, take } from './client';
import type { Contract, PlanStatus, Receipt } from './contract';

export function subscriptionStatus(): Promise<PlanStatus> {
  return take(api.GET('/api/v1/payment/subscription-status'));
}

/** Has the server ask the payment provider, and says what is held after that. */
export function syncSubscription(): Promise<PlanStatus> {
  return take(api.POST('/api/v1/payment/sync-subscription'));
}

/** Ends the plan with the period that is paid for. */
export function cancelSubscription(): Promise<PlanStatus> {
  return take(api.POST('/api/v1/payment/cancel-subscription'));
}

/** The address of the provider's own page for the subscription. */
export async function portalAddress(): Promise<string> {
  return (await take(api.POST('/api/v1/payment/create-portal'))).portal_url;
}

export interface Withdrawals {
  /** From which one can still withdraw. */
  contracts: Contract[];
  /** Given before. */
  receipts: Receipt[];
}

export function withdrawals(): Promise<Withdrawals> {
  return take(api.GET('/api/v1/payment/withdrawal'));
}

export function withdraw(declaration: { contract: string; name: string; address: string }): Promise<Receipt> {
  return take(api.POST('/api/v1/payment/withdrawal', { body: declaration }));
}
