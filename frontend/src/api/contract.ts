// The calls that the screens use, in the shape that openapi-typescript generates. Written by hand only until
// openapi.json holds them all; then `client.ts` imports `paths` from './schema' and this file goes.

interface Call<Method extends string, Answer, Body = never, Parameters = object> {
  method: Method;
  answer: Answer;
  body: Body;
  parameters: Parameters;
}

type Answers<Answer> = { 200: { content: { 'application/json': Answer } } };

type Operation<C extends Call<string, unknown, unknown, object>> = {
  parameters: C['parameters'];
  responses: Answers<C['answer']>;
} & ([C['body']] extends [never] ? object : { requestBody: { content: { 'application/json': C['body'] } } });

type Get<Answer, Parameters = object> = { get: Operation<Call<'get', Answer, never, Parameters & object>> };
type Post<Answer, Body = never> = { post: Operation<Call<'post', Answer, Body>> };

export type Plan = 'trial' | 'monthly' | 'annual';

export interface About {
  name: string;
  tagline: string;
  support_address: string;
  banner?: string;
  engine: 'model' | 'handbook';
  model_provider?: string;
  terms_version: string;
  minimum_age: number;
  test_mode?: boolean;
  claims: 'sample' | 'measured' | 'off';
}

export interface Subscription {
  plan: string;
  status: string;
  current_period_start: string;
  current_period_end: string;
  cancel_at_period_end: boolean;
}

export interface User {
  email: string;
  full_name: string;
  name: string;
  display_name?: string;
  picture?: string;
  created_at: string;
  is_superuser: boolean;
  consent_required: boolean;
  terms_version?: string;
  subscription?: Subscription;
}

export interface Usage {
  plan: string;
  usage: { today: { requests: number; tokens: number }; month: { requests: number } };
  limits: { daily_requests: number; monthly_requests: number; daily_tokens: number };
  remaining: { today: { requests: number } };
}

export interface Price {
  /** Euro, with cents. */
  amount: number;
  description: string;
}

export interface Prices {
  trial: Price;
  monthly: Price;
  annual: Price & { savings: string };
}

export interface SubscriptionStatus {
  has_subscription: boolean;
  status: string;
  plan_type?: string;
  is_active: boolean;
  current_period_end?: string;
}

export interface paths {
  '/api/v1/about': Get<About>;
  '/api/v1/auth/exchange': Post<{ access_token: string; user: User }, { token: string }>;
  '/api/v1/auth/logout': Post<undefined>;
  '/api/v1/auth/me': Get<User>;
  '/api/v1/account/consent': Post<User, { terms_version: string; minimum_age_confirmed: boolean }>;
  '/api/v1/usage': Get<Usage>;
  '/api/v1/payment/create-checkout': Post<{ checkout_url?: string }, { plan_type: Plan; success_url: string; cancel_url: string }>;
  '/api/v1/payment/create-portal': Post<{ portal_url?: string }>;
  '/api/v1/payment/cancel-subscription': Post<unknown>;
  '/api/v1/payment/sync-subscription': Post<unknown>;
  '/api/v1/payment/prices': Get<Prices>;
  '/api/v1/payment/subscription-status': Get<SubscriptionStatus>;
}
