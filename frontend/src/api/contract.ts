// The calls of the server, as its own description gives them (`schema.d.ts`, generated, never edited), and short names
// for what they carry.

import type { components, paths as Served } from './schema';

type Schemas = components['schemas'];

/** `test_mode`: the payments are the provider's test payments, and no money moves. */
export type About = Schemas['About'] & { test_mode?: boolean };
/** `price_id`: what the payment provider calls the price. */
export type Prices = { [Plan in keyof Schemas['Prices']]: Schemas['Prices'][Plan] & { price_id?: string } };
export type Subscription = Schemas['Subscription'];
export type Usage = Schemas['Usage'];
export type User = Schemas['User'];

type Plan = 'trial' | 'monthly' | 'annual';

/** What somebody holds, what is wrong with it, and what can be done about it. */
export interface PlanStatus {
  has_subscription: boolean;
  status: 'active' | 'past_due' | 'ended' | 'none';
  plan_type?: Plan;
  is_active: boolean;
  current_period_start?: string;
  current_period_end?: string;
  cancel_at_period_end: boolean;
  /** The last moment of access, the grace included. */
  access_until?: string;
  payment_problem?: 'bank_confirmation' | 'payment_failed';
  /** The provider's page on which the open invoice is paid or confirmed. */
  pay_url?: string;
  can_cancel: boolean;
  can_manage: boolean;
  trial_available: boolean;
  /** A checkout was paid or is being confirmed, and its plan is not active yet. */
  payment_pending: boolean;
}

/** A contract from which one can still withdraw. */
export interface Contract {
  contract: string;
  plan: Plan;
  bought_at: string;
  /** Withdrawal is possible before it. */
  deadline: string;
  paid_cents: number;
  refund_cents: number;
  days_used: number;
  days_total: number;
  immediate_start: boolean;
}

/** What is given for a withdrawal. */
export interface Receipt {
  receipt: string;
  contract: string;
  plan: Plan;
  name: string;
  address: string;
  bought_at: string;
  declared_at: string;
  paid_cents: number;
  refund_cents: number;
  refund_status: 'done' | 'pending';
}

type Answered<Answer> = { parameters: object; responses: { 200: { content: { 'application/json': Answer } } } };

type Promised<Answer, Body = never> = {
  post: Answered<Answer> & ([Body] extends [never] ? object : { requestBody: { content: { 'application/json': Body } } });
};

interface WayBack {
  success_url: string;
  cancel_url: string;
}

/** What the screens call already and a server may not know yet; it then answers 404, and the screen says so. */
interface Payment {
  '/api/v1/payment/create-checkout': Promised<{ checkout_url?: string }, WayBack & { plan_type: string; price_id?: string; immediate_start?: boolean }>;
  '/api/v1/payment/create-checkout-test': Promised<{ checkout_url?: string }, WayBack & { price_id: string }>;
  '/api/v1/payment/create-portal': Promised<{ portal_url?: string }>;
  '/api/v1/payment/cancel-subscription': Promised<PlanStatus>;
  '/api/v1/payment/sync-subscription': Promised<PlanStatus>;
  '/api/v1/payment/withdrawal': { get: Answered<{ contracts: Contract[]; receipts: Receipt[] }> } & Promised<
    Receipt,
    { contract: string; name: string; address: string }
  >;
}

export type paths = Served & Payment;
