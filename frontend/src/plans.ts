// How the plans are called, wherever one is named.

import type { Price } from './api/contract';

export const PLANS = ['trial', 'monthly', 'annual'] as const;
export type PlanName = (typeof PLANS)[number];

export function isPlan(name: string | null | undefined): name is PlanName {
  return PLANS.some((plan) => plan === name);
}

const NAMES: Record<PlanName, string> = { trial: 'Prova 7 Giorni', monthly: 'Piano Mensile', annual: 'Piano Annuale' };

/** None gives 'Nessun Piano'; a plan that this page does not know is shown as it is. */
export function planName(plan: string | undefined): string {
  if (!plan) return 'Nessun Piano';
  return isPlan(plan) ? NAMES[plan] : plan;
}

/** How long the price is for. */
export const PERIODS: Record<PlanName, string> = { trial: 'per 7 giorni', monthly: 'al mese', annual: "all'anno" };

const EURO = new Intl.NumberFormat('it-IT', { style: 'currency', currency: 'EUR' });

export function euro(amount: number): string {
  return EURO.format(amount);
}

/** The price in words, such as '9,99 € al mese'. */
export function priceText(plan: PlanName, price: Price): string {
  return `${euro(price.amount)} ${PERIODS[plan]}`;
}

const DAY = new Intl.DateTimeFormat('it-IT', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'Europe/Rome' });

/** A day as the subscription screens show it: '3 dic 2026'. */
export function dayText(time: string): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? time : DAY.format(date);
}
