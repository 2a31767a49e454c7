// The calls of the server, as its own description gives them (`schema.d.ts`, generated, never edited), and short names
// for what they carry.

import type { components } from './schema';

type Schemas = components['schemas'];

export type { paths } from './schema';
export type About = Schemas['About'];
export type Prices = Schemas['Prices'];
export type Subscription = Schemas['Subscription'];
export type Usage = Schemas['Usage'];
export type User = Schemas['User'];
/** What somebody holds, what is wrong with it, and what can be done about it. */
export type PlanStatus = Schemas['SubscriptionStatus'];
/** A contract from which one can still withdraw. */
export type Contract = Schemas['WithdrawalOffer'];
/** What is given for a withdrawal. */
export type Receipt = Schemas['WithdrawalReceipt'];
