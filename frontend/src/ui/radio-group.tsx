// One of several, each with what tells it from the others. The whole row is pressed, not the dot alone.

import type { ComponentChildren } from 'preact';
import { useId } from 'react';

import styles from './radio-group.module.css';

export interface RadioChoice {
  value: string;
  label: ComponentChildren;
  hint?: ComponentChildren;
}

export interface RadioGroupProps {
  legend: string;
  choices: readonly RadioChoice[];
  selected: string | undefined;
  onSelect: (value: string) => void;
}

export function RadioGroup({ legend, choices, selected, onSelect }: RadioGroupProps) {
  const name = useId();
  return (
    <fieldset class={styles.group}>
      <legend class={styles.legend}>{legend}</legend>
      {choices.map(({ value, label, hint }) => (
        <label key={value} class={styles.choice}>
          <input type="radio" name={name} value={value} checked={value === selected} onChange={() => onSelect(value)} />
          <span class={styles.dot} aria-hidden="true" />
          <span>
            <span class={styles.label}>{label}</span>
            {hint && <span class={styles.hint}>{hint}</span>}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
