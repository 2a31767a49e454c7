// The wait, with what is being done and what is already known. What comes in is shown at once and told to those who
// listen only when the answer is whole, so that nobody is talked at.

import type { PartialAnswer } from '../../api/assistant';
import { Card } from '../../ui/card';
import { Spinner } from '../../ui/spinner';
import styles from './solution.module.css';

export interface WaitingProps {
  question: string;
  progress: string;
  partial: PartialAnswer;
}

export function Waiting({ question, progress, partial }: WaitingProps) {
  const steps = partial.steps ?? [];
  return (
    <div class={styles.waiting}>
      <Spinner text="Sto analizzando il problema..." />
      <p class={styles.progress} role="status">
        {progress}
      </p>
      <p class={styles.quiet}>Di solito bastano pochi secondi. Puoi anche chiudere la pagina: la risposta ti aspetta in «Le mie richieste».</p>
      <div class={styles.shadow}>
        <Card kind="slip" aria-busy="true">
          <p class={styles.question}>“{question}”</p>
          {partial.problem_analysis && <p>{partial.problem_analysis}</p>}
          {partial.diagnosis && <p class={styles.after}>{partial.diagnosis}</p>}
          {steps.length > 0 && (
            <ol class={styles.after}>
              {steps.map((step) => (
                <li key={step}>{step}</li>
              ))}
            </ol>
          )}
          {!partial.problem_analysis && (
            <div class={styles.lines} aria-hidden="true">
              <span />
              <span />
              <span />
            </div>
          )}
        </Card>
      </div>
    </div>
  );
}
