// The steps, one large card each, with what can be said of it: done, did not help, not found.

import { useEffect, useRef, useState } from 'react';

import type { Outcome, StepClass } from '../../api/assistant';
import { Button } from '../../ui/button';
import { classNames } from '../../ui/class-names';
import { CheckIcon, CopyIcon, CrossIcon, GearIcon, SearchIcon, WarningIcon, type Icon } from '../../ui/icons';
import styles from './solution.module.css';

/** Milliseconds. */
export const COPIED_FOR = 2_000;

const OUTCOMES: readonly { outcome: Outcome; label: string; icon: Icon }[] = [
  { outcome: 'done', label: 'Fatto', icon: CheckIcon },
  { outcome: 'failed', label: 'Non ha funzionato', icon: CrossIcon },
  { outcome: 'not_found', label: 'Non lo trovo', icon: SearchIcon },
];

const CLASSES: Record<StepClass, { label: string; icon: Icon } | undefined> = {
  safe: undefined,
  careful: { label: 'Con attenzione: cambia qualcosa', icon: WarningIcon },
  technician: { label: 'Meglio con un tecnico', icon: GearIcon },
};

export interface StepsProps {
  steps: readonly string[];
  classes: readonly StepClass[];
  outcomes: readonly (Outcome | null)[];
  /** Absent where nothing can be said any more. */
  onOutcome?: (step: number, outcome: Outcome | null) => void;
}

export function Steps({ steps, classes, outcomes, onOutcome }: StepsProps) {
  return (
    <ol role="list" class={styles.steps}>
      {steps.map((step, index) => (
        <Step
          key={`${index} ${step}`}
          number={index + 1}
          text={step}
          kind={classes[index] ?? 'safe'}
          outcome={outcomes[index] ?? null}
          onOutcome={onOutcome && ((outcome) => onOutcome(index, outcome))}
        />
      ))}
    </ol>
  );
}

interface StepProps {
  number: number;
  text: string;
  kind: StepClass;
  outcome: Outcome | null;
  onOutcome?: (outcome: Outcome | null) => void;
}

function Step({ number, text, kind, outcome, onOutcome }: StepProps) {
  const about = CLASSES[kind];
  const said = OUTCOMES.find((one) => one.outcome === outcome);
  return (
    <li class={classNames(styles.step, outcome && styles[outcome])}>
      <h3 class={styles.number}>
        <span class="visually-hidden">Passaggio </span>
        {number}
        {said && <span class="visually-hidden">: {said.label}</span>}
      </h3>
      <div class={styles.body}>
        {about && (
          <p class={classNames(styles.class, styles[kind])}>
            <about.icon /> {about.label}
          </p>
        )}
        <p class={styles.text}>{text}</p>
        <div class={styles.controls} data-print="never">
          {onOutcome && (
            <div class={styles.outcomes} role="group" aria-label={`Com'è andato il passaggio ${number}?`}>
              {OUTCOMES.map(({ outcome: one, label, icon: Sign }) => (
                <button
                  key={one}
                  type="button"
                  class={styles.outcome}
                  aria-pressed={outcome === one}
                  onClick={() => onOutcome(outcome === one ? null : one)}
                >
                  <Sign /> {label}
                </button>
              ))}
            </div>
          )}
          <CopyButton text={text} number={number} />
        </div>
      </div>
    </li>
  );
}

async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // No permission, or a page without https.
    return false;
  }
}

function CopyButton({ text, number }: { text: string; number: number }) {
  const [state, setState] = useState<'ready' | 'copied' | 'refused'>('ready');
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <Button
      variant="quiet"
      icon={state === 'copied' ? CheckIcon : CopyIcon}
      aria-label={state === 'copied' ? `Passaggio ${number} copiato` : `Copia il passaggio ${number}`}
      onClick={() => {
        void copy(text).then((copied) => {
          setState(copied ? 'copied' : 'refused');
          clearTimeout(timer.current);
          timer.current = setTimeout(() => setState('ready'), COPIED_FOR);
        });
      }}
    >
      {{ ready: 'Copia', copied: 'Copiato', refused: 'Non riesco a copiare' }[state]}
    </Button>
  );
}
