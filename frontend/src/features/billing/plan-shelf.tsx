// The three plans on the pages of the account: each leads to its order, except where an order would be refused.

import { useInstallation } from '../../installation';
import { useOffers } from '../../offers';
import { PlanCards } from '../../plan-cards';
import { orderAddress, type Offer } from '../../plans';
import { ButtonLink } from '../../ui/button';
import type { Holding } from './holding';
import styles from './subscription.module.css';

export interface PlanShelfProps {
  holding: Holding | undefined;
  /** False when the trial was used before. */
  trialAvailable: boolean;
  /** A plan has stopped because its renewal is not paid yet: that one goes before another. */
  paymentDue?: boolean;
}

/** Why a plan cannot be ordered now; undefined when it can. */
export function whyNot(offer: Offer, { holding, trialAvailable, paymentDue }: PlanShelfProps): string | undefined {
  if (offer.plan === holding?.plan) return 'È il piano che hai adesso.';
  if (offer.plan === 'trial') return holding || !trialAvailable ? 'La prova si fa una volta sola, per cominciare.' : undefined;
  if (paymentDue) return 'Prima completa il pagamento in sospeso, qui sopra.';
  if (!holding || holding.plan === 'trial') return undefined;
  // One plan at a time: the other one waits, or is chosen in the provider's portal.
  return holding.cancelling ? 'Puoi prenderlo quando finisce il piano che hai.' : 'Per cambiare piano premi “Gestisci pagamenti”, qui sopra.';
}

export function PlanShelf(held: PlanShelfProps) {
  const offers = useOffers();
  const { about } = useInstallation();
  return (
    <>
      <PlanCards
        offers={offers}
        current={held.holding?.plan}
        action={(offer) => {
          const reason = whyNot(offer, held);
          if (reason) return <p class={styles.held}>{reason}</p>;
          return (
            <ButtonLink variant={offer.popular ? 'primary' : 'secondary'} wide to={orderAddress(offer.plan)}>
              {offer.action}
            </ButtonLink>
          );
        }}
      />
      <p class={styles.note}>
        Si paga con la carta, sulla pagina sicura del servizio di pagamento: noi non vediamo il numero della tua carta.
        {about && (
          <>
            {' '}
            Hai un dubbio? Scrivi a <a href={`mailto:${about.support_address}`}>{about.support_address}</a>.
          </>
        )}
      </p>
    </>
  );
}
