// One of several, each with what tells it from the others. The whole row is pressed, not the dot alone.

import { useId } from 'react';

import styles from './radio-group.module.css';

export interface RadioGroupProps<Value extends string> {
  legend: string;
  value: Value;
  options: readonly { value: Value; name: string; hint?: string }[];
  onChoose: (value: Value) => void;
}

export function RadioGroup<Value extends string>({ legend, value, options, onChoose }: RadioGroupProps<Value>) {
  const name = useId();
  return (
    <fieldset class={styles.choices}>
      <legend class={styles.legend}>{legend}</legend>
      {options.map((one) => (
        <label key={one.value} class={styles.choice}>
          <input type="radio" name={name} checked={one.value === value} onChange={() => onChoose(one.value)} />
          <span>
            <strong>{one.name}</strong>
            {one.hint && <span class={styles.hint}>{one.hint}</span>}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
