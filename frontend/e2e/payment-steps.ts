// What people do with money: buying on the pages of the stand-in for Stripe, the levers of its bench, and what the
// server says of it all, to be held against what the screen says.

import type { BrowserContext, Locator, Page } from '@playwright/test';

import { PEOPLE, choosePerson, expect, type PersonName, type Town } from './town.ts';

export type PlanName = 'trial' | 'monthly' | 'annual';

interface Plan {
  name: string;
  /** On its card. */
  action: string;
  /** On the button of the payment page. */
  pay: string;
  requestsADay: number;
}

export const PLANS: Record<PlanName, Plan> = {
  trial: { name: 'Prova 7 Giorni', action: 'Prova per 7 giorni', pay: 'Paga 1,00 €', requestsADay: 10 },
  monthly: { name: 'Piano Mensile', action: 'Scegli il mensile', pay: 'Paga 9,99 €', requestsADay: 40 },
  annual: { name: 'Piano Annuale', action: "Scegli l'annuale", pay: 'Paga 95,90 €', requestsADay: 60 },
};

export const CARDS = {
  good: '4242 4242 4242 4242',
  asksToConfirm: '4000 0025 0000 3155',
  declined: '4000 0000 0000 0002',
  failsLater: '4000 0000 0000 0341',
} as const;

export const PAID = 'Pagamento completato con successo! Il tuo abbonamento è ora attivo.';
export const TURNED_BACK = 'Pagamento annullato. Puoi riprovare quando vuoi.';
export const AWAITED = 'Pagamento ricevuto, attivo tra poco.';

export const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name });

/** The slip with the plan that somebody holds: the only one that says 'Piano attuale' outside of the menu. */
export const slip = (page: Page): Locator => page.getByRole('main').locator('div', { has: page.getByText('Piano attuale', { exact: true }) }).last();

/** From the shelf of the plans to the page of ours before the payment. */
export async function chooseOnShelf(page: Page, plan: PlanName) {
  await page.getByRole('main').getByRole('link', { name: PLANS[plan].action }).click();
  await expect(heading(page, 'Controlla il tuo ordine')).toBeVisible();
  await expect(page.getByRole('heading', { level: 2, name: PLANS[plan].name })).toBeVisible();
}

/** From there to the payment page. `immediateStart`: the wish that the service begin at once is ticked. */
export async function orderIt(page: Page, { immediateStart = false } = {}) {
  if (immediateStart) await page.getByLabel(/Chiedo che il servizio cominci subito/).check();
  await page.getByRole('button', { name: 'Ordina e paga' }).click();
  await expect(heading(page, 'Paga il tuo piano')).toBeVisible();
}

/** Writes the number of a card on the payment page and presses the button with the price. */
export async function payWith(page: Page, plan: PlanName, card: keyof typeof CARDS) {
  await page.getByLabel('Numero della carta di prova').fill(CARDS[card]);
  await page.getByRole('button', { name: PLANS[plan].pay }).click();
}

/** A whole purchase, from the plans to the page that says that it is active. */
export async function buy(page: Page, plan: PlanName, card: keyof typeof CARDS = 'good', wishes = {}) {
  await chooseOnShelf(page, plan);
  await orderIt(page, wishes);
  await payWith(page, plan, card);
  if (card === 'asksToConfirm') await page.getByRole('button', { name: 'Conferma' }).click();
  await expect(page.getByText(PAID)).toBeVisible();
}

const DAY = new Intl.DateTimeFormat('it-IT', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'Europe/Rome' });

/** A day as the screens write it: '3 dic 2026'. */
export const dayText = (time: string | number) => DAY.format(new Date(time));

export interface Status {
  status: string;
  plan_type?: PlanName;
  is_active: boolean;
  current_period_start: string;
  current_period_end: string;
  cancel_at_period_end: boolean;
  access_until: string;
  payment_problem?: string;
  can_cancel: boolean;
  can_manage: boolean;
  trial_available: boolean;
  payment_pending: boolean;
}

interface Usage {
  plan: PlanName;
  limits: { daily_requests: number };
}

/** Asks the server with the token of whoever is signed in on the page. */
async function ask(page: Page, path: string) {
  const token = await page.evaluate(() => localStorage.getItem('access_token'));
  return await page.request.get(path, { headers: { authorization: `Bearer ${token}` } });
}

export async function statusOf(page: Page): Promise<Status> {
  const answer = await ask(page, '/api/v1/payment/subscription-status');
  expect(answer.status()).toBe(200);
  return (await answer.json()) as Status;
}

/** Waits until what Stripe has told arrived. */
export async function expectStatus(page: Page, expected: Partial<Status>) {
  await expect(async () => expect(await statusOf(page)).toMatchObject(expected)).toPass();
}

/** 200 with a plan, 402 without one. */
export async function usageStatus(page: Page): Promise<number> {
  return (await ask(page, '/api/v1/usage')).status();
}

/** The server, the page of the plan, the menu and the assistant say one and the same. Ends on the assistant. */
export async function expectPlan(page: Page, plan: PlanName) {
  const { name, requestsADay } = PLANS[plan];
  const status = await statusOf(page);
  expect(status).toMatchObject({ status: 'active', plan_type: plan, is_active: true, payment_pending: false });
  if (plan === 'trial') expect(status.trial_available).toBe(false);
  const used = await ask(page, '/api/v1/usage');
  expect(used.status()).toBe(200);
  const usage = (await used.json()) as Usage;
  expect(usage.plan).toBe(plan);
  expect(usage.limits.daily_requests).toBe(requestsADay);

  await expect(slip(page)).toContainText(`${name} ATTIVO`);
  await expect(slip(page)).toContainText(`${plan === 'trial' ? 'Finisce il' : 'Si rinnova il'}${dayText(status.current_period_end)}`);
  const menu = page.getByRole('button', { name: /^Menu di/ });
  await expect(menu).toContainText('PRO');
  await expect(menu).toContainText(name);
  await page.getByRole('link', { name: "Vai all'assistente" }).click();
  await expect(heading(page, /Come posso aiutarti/)).toBeVisible();
  await expect(page.getByRole('meter', { name: 'Richieste di oggi' })).toHaveAttribute('aria-valuetext', `0 di ${requestsADay}`);
}

/** Nothing is held any more: by the server, on the page of the plan, in the menu, and the assistant is closed. */
export async function expectNoPlan(page: Page) {
  expect(await usageStatus(page)).toBe(402);
  await page.goto('/app');
  await expect(page).toHaveURL(/\/account\/subscription$/);
  await expect(page.getByText('Sottoscrizione richiesta')).toBeVisible();
  await expect(slip(page)).toContainText('Nessun Piano');
  const menu = page.getByRole('button', { name: /^Menu di/ });
  await expect(menu).toContainText('Nessun Piano');
  await expect(menu).not.toContainText('PRO');
}

/** The bench of the demonstration, in a tab of its own. */
export class Bench {
  private constructor(readonly page: Page) {}

  static async open(context: BrowserContext, town: Town): Promise<Bench> {
    // The stand-ins share a port, which the way to the sign-in leads to.
    const signIn = await fetch(`${town.address}/api/v1/auth/google/login`, { redirect: 'manual' });
    const { origin } = new URL(signIn.headers.get('location') ?? '');
    const page = await context.newPage();
    await page.goto(`${origin}/dashboard`);
    await expect(heading(page, 'Banco di prova dei pagamenti')).toBeVisible();
    return new Bench(page);
  }

  async press(name: string) {
    await this.page.getByRole('button', { name, exact: true }).click();
    await expect(heading(this.page, 'Banco di prova dei pagamenti')).toBeVisible();
  }

  /** Moves the clock of the whole town. */
  async moveOn(days: number) {
    for (const step of [31, 8, 7]) {
      for (; days >= step; days -= step) await this.press(`Avanti di ${step} giorni`);
    }
    for (; days > 0; days -= 1) await this.press('Avanti di 1 giorno');
  }

  /** Moves it to just after the end of the period that somebody has paid for. */
  async moveToRenewal({ current_period_start, current_period_end }: Status) {
    await this.moveOn(Math.ceil((Date.parse(current_period_end) - Date.parse(current_period_start)) / 86_400_000));
  }

  /** What it knows of somebody. */
  of(person: PersonName): Locator {
    return this.page.locator('section', { has: this.page.getByRole('heading', { name: PEOPLE[person].email }) });
  }
}

/** Opens the page of the plan, with a new sign-in if the session has ended meanwhile: it lasts 30 days. */
export async function comeBack(page: Page, person: PersonName, expected: Partial<Status> = {}) {
  await page.goto('/login');
  const link = page.getByRole('link', { name: 'Accedi con Google' });
  const landed = heading(page, /Come posso aiutarti|abbonamento/i);
  await expect(link.or(landed)).toBeVisible();
  if (await link.isVisible()) {
    await link.click();
    await choosePerson(page, person);
    await expect(landed).toBeVisible();
  }
  // What happened at the till is told by messages, a moment later.
  await expectStatus(page, expected);
  await page.goto('/account/subscription');
}

/** Opens what a button or a link opens in a tab of its own. */
export async function besides(page: Page, press: () => Promise<void>): Promise<Page> {
  const [beside] = await Promise.all([page.context().waitForEvent('page'), press()]);
  await beside.waitForLoadState();
  return beside;
}
