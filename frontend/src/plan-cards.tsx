// The three plans side by side, as three labels on a shelf. What their buttons do is the page's business.

import type { ComponentChildren } from 'preact';

import styles from './plan-cards.module.css';
import { PERIODS, euro, type Offer } from './plans';
import { classNames } from './ui/class-names';
import { CheckIcon } from './ui/icons';

export interface PlanCardsProps {
  offers: readonly Offer[];
  /** The plan that the person holds, if any. */
  current?: string;
  /** The level of the names among the headings. */
  heading?: 'h2' | 'h3';
  action: (offer: Offer) => ComponentChildren;
}

export function PlanCards({ offers, current, heading: Heading = 'h3', action }: PlanCardsProps) {
  return (
    <div class={styles.shelf}>
      <ul role="list" class={styles.cards}>
        {offers.map((offer) => (
          <li key={offer.plan} class={classNames(styles.card, offer.popular && styles.popular)}>
            <p class={styles.ribbon}>{offer.plan === current ? 'Il tuo piano' : offer.popular ? 'Il più scelto' : ''}</p>
            <Heading class={styles.name}>{offer.name}</Heading>
            <p class={styles.price}>
              <strong>{euro(offer.amount)}</strong> <span>{PERIODS[offer.plan]}</span>
            </p>
            <p class={styles.savings}>
              {offer.savings && (
                <>
                  <span class="visually-hidden">Invece di </span>
                  <s>{euro(offer.savings.instead)}</s> {offer.savings.text}
                </>
              )}
            </p>
            <p>{offer.description}</p>
            <ul role="list" class={styles.features}>
              {offer.features.map((feature) => (
                <li key={feature}>
                  <CheckIcon /> <span>{feature}</span>
                </li>
              ))}
            </ul>
            <div class={styles.action}>{action(offer)}</div>
          </li>
        ))}
      </ul>
    </div>
  );
}
