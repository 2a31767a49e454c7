// The plans of the two test pages: each opens a checkout at once, without an order before it.

import { useState } from 'react';
import { Link } from 'react-router-dom';

import { CheckoutError } from '../../checkout';
import { useOffers } from '../../offers';
import { PlanCards } from '../../plan-cards';
import type { Offer, PlanName } from '../../plans';
import { Button } from '../../ui/button';
import { TestCards } from './test-cards';
import { ToldError } from './told-error';

/** The code of a checkout that needs a sign-in first. */
export const SIGN_IN_FIRST = 'sign_in_first';

/** `open` brings the browser to the checkout, or throws a `CheckoutError`. */
export function TestShelf({ open }: { open: (offer: Offer) => Promise<void> }) {
  const offers = useOffers();
  const [opening, setOpening] = useState<PlanName>();
  const [error, setError] = useState<CheckoutError>();

  async function choose(offer: Offer) {
    if (opening) return;
    setOpening(offer.plan);
    setError(undefined);
    try {
      await open(offer);
    } catch (caught) {
      setOpening(undefined);
      if (!(caught instanceof CheckoutError)) throw caught;
      setError(caught);
    }
  }

  return (
    <>
      {error && (
        <ToldError>
          <p>{error.message}</p>
          {error.code === SIGN_IN_FIRST && (
            <p>
              <Link to="/login">Accedi</Link>
            </p>
          )}
        </ToldError>
      )}
      <PlanCards
        offers={offers}
        heading="h2"
        action={(offer) => (
          <Button
            wide
            variant={offer.popular ? 'primary' : 'secondary'}
            busy={opening === offer.plan}
            busyText="Caricamento..."
            disabled={opening !== undefined && opening !== offer.plan}
            onClick={() => void choose(offer)}
          >
            {offer.action}
          </Button>
        )}
      />
      <TestCards />
    </>
  );
}
