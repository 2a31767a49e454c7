// A server for the tests of the screens: answers by method and path, and remembers what was asked. It stands where
// `fetch` stands, so that everything above the network is the real thing.

import { vi } from 'vitest';

import type { PlanStatus, User } from './api/contract';

export interface Answer {
  status?: number;
  body?: unknown;
  headers?: Record<string, string>;
}

type Answering = Answer | Error | ((request: Request) => Answer | Promise<Answer>);

export interface TestServer {
  /** 'METHOD /path' of each request, in order. */
  asked: string[];
  requests: Request[];
  /** What it answers from now on to 'METHOD /path'; an Error is a line that breaks. */
  answers: Record<string, Answering>;
}

/** What is asked and has no answer gets 404, as from a server that does not know the call. */
export function startServer(answers: TestServer['answers'] = {}): TestServer {
  const server: TestServer = { asked: [], requests: [], answers };
  vi.stubGlobal('fetch', async (input: Request) => {
    const request = new Request(input);
    const call = `${request.method} ${new URL(request.url).pathname}`;
    server.asked.push(call);
    server.requests.push(request);
    const answering = server.answers[call];
    if (answering instanceof Error) throw new TypeError(answering.message);
    const { status = 200, body, headers } = (typeof answering === 'function' ? await answering(request) : answering) ?? {
      status: 404,
      body: { detail: 'Non trovato', code: 'not_found' },
    };
    return new Response(status === 204 ? null : JSON.stringify(body ?? {}), {
      status,
      headers: { 'content-type': 'application/json', ...headers },
    });
  });
  return server;
}

export const ANNA: User = {
  email: 'anna.bianchi@posta.example',
  full_name: 'Anna Bianchi',
  name: 'Anna Bianchi',
  created_at: '2026-11-01T09:00:00Z',
  is_superuser: false,
  consent_required: false,
  terms_version: '2026-11',
  subscription: {
    plan: 'monthly',
    status: 'active',
    current_period_start: '2026-11-01T09:00:00Z',
    current_period_end: '2026-12-01T09:00:00Z',
    cancel_at_period_end: false,
  },
};

export const BRUNO: User = { ...ANNA, email: 'bruno.conti@posta.example', full_name: 'Bruno Conti', name: 'Bruno Conti', subscription: undefined };

/** The status of Anna's plan. */
export const MONTHLY: PlanStatus = {
  has_subscription: true,
  status: 'active',
  plan_type: 'monthly',
  is_active: true,
  current_period_start: '2026-11-01T09:00:00Z',
  current_period_end: '2026-12-01T09:00:00Z',
  cancel_at_period_end: false,
  can_cancel: true,
  can_manage: true,
  trial_available: false,
  payment_pending: false,
};

/** The status of somebody who never bought anything. */
export const NO_PLAN: PlanStatus = {
  has_subscription: false,
  status: 'none',
  is_active: false,
  cancel_at_period_end: false,
  can_cancel: false,
  can_manage: false,
  trial_available: true,
  payment_pending: false,
};

/** As a browser in which somebody signed in before. */
export function store(token: string, user: unknown) {
  localStorage.setItem('access_token', token);
  localStorage.setItem('user', typeof user === 'string' ? user : JSON.stringify(user));
}
