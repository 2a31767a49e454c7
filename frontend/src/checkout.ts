// From a plan to the payment provider's page. What can go wrong on the way is said in the specification's own words;
// one sentence for each thing that the person can do about it.

import { api, take } from './api/client';
import { Problem } from './api/problem';
import type { PlanName } from './plans';

/** A checkout that could not be opened. The message is the sentence for the person. */
export class CheckoutError extends Error {
  override name = 'CheckoutError';
  /** The server's name for what went wrong, for the way out that is shown beside the sentence. */
  readonly code: string | undefined;

  constructor(text: string, code?: string) {
    super(text);
    this.code = code;
  }
}

const DEFAULT_TEXT = 'Si è verificato un errore. Riprova più tardi.';

/** The sentence for a failed call; `otherwise` where the catalogue has none for it. */
export function checkoutErrorText(problem: Problem, otherwise = DEFAULT_TEXT): string {
  const { status, detail, code } = problem;
  if (problem.isNetwork) return 'Errore di connessione. Riprova più tardi.';
  if (code === 'invalid_price_id' || detail.includes('Invalid price_id')) return 'Piano selezionato non valido. Riprova.';
  if (status === 401) return 'Sessione scaduta. Ricarica la pagina e accedi di nuovo.';
  if (status === 422) return 'Dati del piano non validi. Contatta il supporto.';
  if (status >= 500) return 'Errore del server. Riprova tra qualche minuto.';
  // The server knows what to do instead: a trial that was used, a plan that is active already, terms to agree to.
  if (status === 403 || status === 409) return detail;
  return otherwise;
}

/** Where the browser goes; the provider's page is outside the product. */
export const browser = {
  open: (address: string) => location.assign(address),
  /** In a new tab; in this one when the browser lets no new one open. */
  openBeside: (address: string) => {
    const tab = window.open('', '_blank');
    if (!tab) {
      browser.open(address);
      return;
    }
    // What is opened has no hold on this page.
    tab.opener = null;
    tab.location.href = address;
  },
};

export interface CheckoutOptions {
  /** The page of ours to which the provider sends the browser back. */
  backTo?: string;
  /** The provider's name for the price, where the page knows it. */
  priceId?: string;
  /** The sentence for a failure that the catalogue has none for. */
  otherwise?: string;
  /** Given up when the page is left: then the browser goes nowhere. */
  signal?: AbortSignal;
}

/**
 * Opens the provider's checkout for a plan. When it returns, the browser is on its way.
 * @param immediateStart Whether the buyer asks that the service begin within the time for withdrawal, and be paid for then.
 * @throws {CheckoutError}
 */
export async function openCheckout(plan: PlanName, immediateStart: boolean, options: CheckoutOptions = {}): Promise<void> {
  const { backTo = '/account/subscription', priceId, otherwise, signal } = options;
  const back = `${location.origin}${backTo}`;
  let address: string | undefined;
  try {
    const answer = await take(
      api.POST('/api/v1/payment/create-checkout', {
        body: { plan_type: plan, price_id: priceId, success_url: `${back}?success=true`, cancel_url: `${back}?canceled=true`, immediate_start: immediateStart },
      }),
    );
    address = answer?.checkout_url;
  } catch (caught) {
    if (!(caught instanceof Problem)) throw caught;
    throw new CheckoutError(checkoutErrorText(caught, otherwise), caught.code);
  }
  if (!address) throw new CheckoutError('URL di checkout non ricevuto dal server');
  if (!signal?.aborted) browser.open(address);
}

/**
 * Opens a checkout that belongs to nobody, as long as the provider is in test mode.
 * @throws {CheckoutError}
 */
export async function openTestCheckout(plan: PlanName, priceId: string, backTo: string): Promise<void> {
  const back = `${location.origin}${backTo}?plan=${plan}`;
  let address: string | undefined;
  try {
    const body = { price_id: priceId, success_url: `${back}&success=true`, cancel_url: `${back}&canceled=true` };
    address = (await take(api.POST('/api/v1/payment/create-checkout-test', { body })))?.checkout_url;
  } catch (caught) {
    if (!(caught instanceof Problem)) throw caught;
    if (caught.status === 401) throw new CheckoutError('Devi prima effettuare il login');
    throw new CheckoutError(checkoutErrorText(caught, 'Errore durante la creazione del checkout'), caught.code);
  }
  if (!address) throw new CheckoutError('URL di checkout non ricevuto');
  browser.open(address);
}
