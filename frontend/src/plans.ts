// How the plans are called, wherever one is named.

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

/** The last page of ours before the payment. */
const ORDER = '/account/ordine';

export const orderAddress = (plan: PlanName) => `${ORDER}?plan=${plan}`;

/** Where a page sends whoever must sign in first; what was about to be ordered goes along. */
export function signInAddress({ pathname, search }: { pathname: string; search: string }): string {
  return pathname === ORDER ? `/login${search}` : '/login';
}

/** What a plan offers, in the order of the list. The prices are those of the specification until the server says its own. */
export interface Offer {
  plan: PlanName;
  name: string;
  amount: number;
  /** What the payment provider calls the price; known once the server has said it. */
  priceId?: string;
  /** What it is, in a sentence. */
  description: string;
  features: readonly string[];
  /** The words on its button. */
  action: string;
  popular: boolean;
  /** What is saved, with the price that is saved from. */
  savings?: { text: string; instead: number };
}

export const OFFERS: readonly Offer[] = [
  {
    plan: 'trial',
    name: NAMES.trial,
    amount: 1,
    description: 'Per provare con calma. Finisce da sola dopo 7 giorni e non si rinnova.',
    features: ['10 richieste al giorno', 'Anche con la foto dello schermo', 'Nessun rinnovo automatico'],
    action: 'Prova per 7 giorni',
    popular: false,
  },
  {
    plan: 'monthly',
    name: NAMES.monthly,
    amount: 9.99,
    description: 'Un aiuto sempre a portata di mano. Si disdice quando vuoi.',
    features: ['40 richieste al giorno', 'Anche con la foto dello schermo', 'Le tue richieste restano salvate'],
    action: 'Scegli il mensile',
    popular: true,
  },
  {
    plan: 'annual',
    name: NAMES.annual,
    amount: 95.9,
    description: 'Un anno intero, con 2 mesi gratis.',
    features: ['60 richieste al giorno', 'Anche con la foto dello schermo', 'Le tue richieste restano salvate'],
    action: "Scegli l'annuale",
    popular: false,
    savings: { text: 'Risparmi il 20%: 23,98 €', instead: 119.88 },
  },
];

/** How long the price is for. */
export const PERIODS: Record<PlanName, string> = { trial: 'per 7 giorni', monthly: 'al mese', annual: "all'anno" };

/** '9,99 €'; whole amounts without cents, as they are said. */
export function euro(amount: number): string {
  const minimumFractionDigits = Number.isInteger(amount) ? 0 : 2;
  return new Intl.NumberFormat('it-IT', { style: 'currency', currency: 'EUR', minimumFractionDigits }).format(amount);
}

const MOMENT = new Intl.DateTimeFormat('it-IT', { dateStyle: 'long', timeStyle: 'short', timeZone: 'Europe/Rome' });

/** A day with its time, for what is kept as a proof: '3 dicembre 2026 alle ore 10:04'. */
export function momentText(time: string): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? time : MOMENT.format(date);
}

const DAY = new Intl.DateTimeFormat('it-IT', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'Europe/Rome' });

/** A day as the subscription screens show it: '3 dic 2026'. */
export function dayText(time: string): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? time : DAY.format(date);
}
