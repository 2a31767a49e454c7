// The cards of the payment provider's test mode, for whoever tries the product out.

import { Notice } from '../../ui/notice';
import styles from './test-cards.module.css';

const CARDS = [
  { number: '4242 4242 4242 4242', outcome: 'va a buon fine' },
  { number: '4000 0025 0000 3155', outcome: 'chiede la conferma della banca' },
  { number: '4000 0000 0000 9995', outcome: 'fondi insufficienti' },
  { number: '4000 0000 0000 0002', outcome: 'rifiutata' },
] as const;

export function TestCards() {
  return (
    <Notice kind="info" title="Pagamento di prova: non si muovono soldi">
      <p>Usa una di queste carte, con una scadenza futura e un codice qualsiasi di tre cifre.</p>
      <ul role="list" class={styles.cards}>
        {CARDS.map(({ number, outcome }) => (
          <li key={number}>
            <strong class={styles.number}>{number}</strong> <span>{outcome}</span>
          </li>
        ))}
      </ul>
    </Notice>
  );
}
