// From a plan to the payment provider's page. What can go wrong on the way is said in the specification's own words;
// one sentence for each thing that the person can do about it.

import { api, take } from './api/client';
import { Problem } from './api/problem';
import type { PlanName } from './plans';

/** A checkout that could not be opened. The message is the sentence for the person. */
export class CheckoutError extends Error {
  override name = 'CheckoutError';
}

const DEFAULT_TEXT = 'Si è verificato un errore. Riprova più tardi.';

/** The sentence for a failed call. */
export function checkoutErrorText(problem: Problem): string {
  const { status, detail } = problem;
  if (problem.isNetwork) return 'Errore di connessione. Riprova più tardi.';
  if (detail.includes('Invalid price_id')) return 'Piano selezionato non valido. Riprova.';
  if (status === 401) return 'Sessione scaduta. Ricarica la pagina e accedi di nuovo.';
  if (status === 422) return 'Dati del piano non validi. Contatta il supporto.';
  if (status >= 500) return 'Errore del server. Riprova tra qualche minuto.';
  // The server knows what to do instead: a trial that was used, a plan that is active already.
  if (status === 409) return detail;
  return DEFAULT_TEXT;
}

/** Where the browser goes; the provider's page is outside the product. */
export const browser = {
  open: (address: string) => location.assign(address),
};

/**
 * Opens the provider's checkout for a plan. When it returns, the browser is on its way.
 * @throws {CheckoutError}
 */
export async function openCheckout(plan: PlanName): Promise<void> {
  const back = `${location.origin}/account/subscription`;
  let address: string | undefined;
  try {
    const answer = await take(
      api.POST('/api/v1/payment/create-checkout', {
        body: { plan_type: plan, success_url: `${back}?success=true`, cancel_url: `${back}?canceled=true` },
      }),
    );
    address = answer?.checkout_url;
  } catch (caught) {
    if (!(caught instanceof Problem)) throw caught;
    throw new CheckoutError(checkoutErrorText(caught));
  }
  if (!address) throw new CheckoutError('URL di checkout non ricevuto dal server');
  browser.open(address);
}
