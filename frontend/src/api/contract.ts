// The calls of the server, as its own description gives them (`schema.d.ts`, generated, never edited), and short names
// for what they carry.

import type { components, paths as Served } from './schema';

type Schemas = components['schemas'];

export type About = Schemas['About'];
export type Prices = Schemas['Prices'];
export type Subscription = Schemas['Subscription'];
export type Usage = Schemas['Usage'];
export type User = Schemas['User'];

type Promised<Answer, Body = never> = {
  post: {
    parameters: object;
    responses: { 200: { content: { 'application/json': Answer } } };
  } & ([Body] extends [never] ? object : { requestBody: { content: { 'application/json': Body } } });
};

/** What the screens call already and a server may not know yet; it then answers 404, and the screen says so. */
interface Payment {
  '/api/v1/payment/create-checkout': Promised<{ checkout_url?: string }, { plan_type: string; success_url: string; cancel_url: string }>;
  '/api/v1/payment/create-portal': Promised<{ portal_url?: string }>;
  '/api/v1/payment/cancel-subscription': Promised<unknown>;
  '/api/v1/payment/sync-subscription': Promised<unknown>;
}

export type paths = Served & Payment;
