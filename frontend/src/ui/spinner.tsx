// Somebody waits: a turning ring, and always the words that say for what.

import styles from './spinner.module.css';

export interface SpinnerProps {
  /** What is being done, such as 'Verifica accesso...'. */
  text: string;
  /** `page` stands alone in the middle; `inline` stands in a line. */
  place?: 'page' | 'inline';
}

export function Spinner({ text, place = 'inline' }: SpinnerProps) {
  return (
    <div class={place === 'page' ? styles.page : styles.inline} role="status">
      <span class={styles.ring} aria-hidden="true" />
      <span>{text}</span>
    </div>
  );
}
