// The choice of the text size, where the eye looks for it first.

import { useId } from 'react';

import { CheckIcon } from './icons';
import { TEXT_SIZES, useTextSize, type TextSize } from './text-size';
import styles from './text-size-control.module.css';

const NAMES: Record<TextSize, string> = { 100: 'Normale', 125: 'Grande', 150: 'Più grande', 200: 'Grandissimo' };

export function TextSizeControl() {
  const { size, choose } = useTextSize();
  const name = useId();
  return (
    <fieldset class={styles.choices}>
      <legend class={styles.legend}>Dimensione del testo</legend>
      {TEXT_SIZES.map((one) => (
        <label key={one} class={styles.choice}>
          <input type="radio" name={name} value={one} checked={one === size} onChange={() => choose(one)} />
          <span>{NAMES[one]}</span>
          <span class={styles.percent}>{one} %</span>
          <CheckIcon class={styles.chosen} />
        </label>
      ))}
    </fieldset>
  );
}
