// An answer, as it is read, followed, heard and printed.

import { useId, useState } from 'react';

import type { Answer, Outcome } from '../../api/assistant';
import { Button } from '../../ui/button';
import { Card } from '../../ui/card';
import { PrintIcon, SpeakerIcon, StopIcon } from '../../ui/icons';
import { Notice } from '../../ui/notice';
import type { Solution as Shown } from './conversation';
import { useReadAloud } from './read-aloud';
import styles from './solution.module.css';
import { Steps } from './steps';

/** How sure the answer is, in words and as a percentage. */
export function confidenceText(level: number): string {
  const percent = `${Math.round(Math.min(Math.max(level, 0), 1) * 100)}%`;
  if (level >= 0.75) return `molto probabile (${percent})`;
  if (level >= 0.45) return `probabile (${percent})`;
  return `incerta (${percent})`;
}

const SECONDS = new Intl.NumberFormat('it-IT', { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** What is read aloud: the answer in the order of the page. */
export function spoken(answer: Answer): string[] {
  const steps = answer.steps.map((step, index) => `Passaggio ${index + 1}. ${step}`);
  return [...answer.warnings, answer.problem_analysis, answer.diagnosis, ...steps, answer.additional_tips].filter((one) => one.trim() !== '');
}

export interface SolutionProps {
  solution: Shown;
  onOutcome?: (step: number, outcome: Outcome | null) => void;
}

export function Solution({ solution, onOutcome }: SolutionProps) {
  const { answer, question } = solution;
  const voice = useReadAloud();
  const id = useId();
  return (
    <article class={styles.solution}>
      <div class={styles.tools} data-print="never">
        {voice.possible && (
          <Button
            icon={voice.reading ? StopIcon : SpeakerIcon}
            onClick={() => (voice.reading ? voice.stop() : voice.read(spoken(answer)))}
          >
            {voice.reading ? 'Ferma la lettura' : 'Leggi ad alta voce'}
          </Button>
        )}
        <Button icon={PrintIcon} onClick={() => window.print()}>
          Stampa
        </Button>
      </div>

      {answer.warnings.length > 0 && (
        <Notice kind="warning">
          {answer.warnings.map((warning) => (
            <p key={warning}>{warning}</p>
          ))}
        </Notice>
      )}

      <div class={styles.shadow}>
        <Card kind="slip">
          <p class={styles.question}>“{question}”</p>
          <h2 class={styles.part}>Che cosa succede</h2>
          <p>{answer.problem_analysis}</p>
          <h2 class={styles.part}>
            Perché succede
            <span class={styles.confidence}>Diagnosi {confidenceText(answer.confidence_level)}</span>
          </h2>
          <p>{answer.diagnosis}</p>
          {answer.codes.length > 0 && (
            <ul role="list" class={styles.codes} aria-label="Codici riconosciuti">
              {answer.codes.map(({ code, name }) => (
                <li key={code}>
                  <code>{code}</code> {name && <code>{name}</code>}
                </li>
              ))}
            </ul>
          )}
        </Card>
      </div>

      <section aria-labelledby={`${id}-steps`}>
        <h2 id={`${id}-steps`}>Che cosa fare</h2>
        <p class={styles.quiet}>Un passaggio alla volta, in quest'ordine. Se il problema è risolto, fermati pure.</p>
        <Steps steps={answer.steps} classes={answer.step_classes} outcomes={solution.outcomes} onOutcome={onOutcome} />
      </section>

      {answer.additional_tips && (
        <section aria-labelledby={`${id}-tips`} class={styles.tips}>
          <h2 id={`${id}-tips`}>Altri consigli</h2>
          <p>{answer.additional_tips}</p>
        </section>
      )}

      <Foot answer={answer} />
    </article>
  );
}

function Foot({ answer }: { answer: Answer }) {
  return (
    <footer class={styles.foot}>
      {answer.fell_back && <p>L'intelligenza artificiale non era disponibile: ha risposto il manuale, e non ti è costato una richiesta.</p>}
      {answer.sources.length > 0 && <p>Fonte nel manuale: {answer.sources.map((source) => source.title).join('; ')}.</p>}
      <p>
        {answer.generated_by}. Modello: {answer.model_used}. Tempo di risposta: {SECONDS.format(answer.response_time)} secondi.
      </p>
      {answer.sent && <WhatWeSent sent={answer.sent} />}
    </footer>
  );
}

const KINDS: Record<string, string> = {
  email: 'indirizzi email',
  phone: 'numeri di telefono',
  iban: 'IBAN',
  card: 'numeri di carta',
  fiscal_code: 'codici fiscali',
  product_key: 'codici di prodotto',
  password: 'password',
};

function WhatWeSent({ sent }: { sent: NonNullable<Answer['sent']> }) {
  const [open, setOpen] = useState(false);
  const id = useId();
  return (
    <div data-print="never">
      <Button variant="quiet" aria-expanded={open} aria-controls={id} onClick={() => setOpen(!open)}>
        Cosa inviamo
      </Button>
      <div id={id} hidden={!open} class={styles.sent}>
        <p>A {sent.provider} è arrivato questo testo{sent.image ? ', insieme alla tua immagine' : ''}:</p>
        <blockquote>{sent.text}</blockquote>
        <p>
          {sent.hidden.length === 0
            ? 'Non c\'era niente da nascondere.'
            : `Prima abbiamo nascosto: ${sent.hidden.map(({ kind, count }) => `${KINDS[kind] ?? kind} (${count})`).join(', ')}.`}
        </p>
      </div>
    </div>
  );
}
