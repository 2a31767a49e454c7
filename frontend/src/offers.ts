// What the plans cost here. The list is fixed; the amounts are asked of the server once, because an operator may have
// set others.

import { useEffect, useState } from 'react';

import { api, take } from './api/client';
import type { Prices } from './api/contract';
import { Problem } from './api/problem';
import { OFFERS, type Offer } from './plans';

let asked: Promise<Prices> | undefined;

function prices(): Promise<Prices> {
  asked ??= take(api.GET('/api/v1/payment/prices')).catch((caught: unknown) => {
    // The next page that shows prices asks again.
    asked = undefined;
    throw caught;
  });
  return asked;
}

/** The plans with the prices of this installation, as far as they are known. */
export function useOffers(): readonly Offer[] {
  const [offers, setOffers] = useState(OFFERS);
  useEffect(() => {
    let gone = false;
    prices().then(
      (known) => {
        if (!gone) setOffers(OFFERS.map((offer) => ({ ...offer, amount: known[offer.plan]?.amount ?? offer.amount, priceId: known[offer.plan]?.price_id })));
      },
      (caught: unknown) => {
        if (!(caught instanceof Problem)) throw caught;
      },
    );
    return () => {
      gone = true;
    };
  }, []);
  return offers;
}
