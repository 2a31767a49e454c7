// How much of the plan is used, and what comes when it runs out.

import { useEffect, useState } from 'react';

import type { Usage } from '../../api/assistant';
import { api, take } from '../../api/client';
import { Problem } from '../../api/problem';
import { isPlan, planName } from '../../plans';
import { ButtonLink } from '../../ui/button';
import { classNames } from '../../ui/class-names';
import { WarningIcon } from '../../ui/icons';
import styles from './usage.module.css';

const NUMBER = new Intl.NumberFormat('it-IT');

/** The bar's colour: by the specification's thresholds, in percent. */
export function levelOf(percent: number): 'calm' | 'near' | 'full' {
  if (percent >= 90) return 'full';
  if (percent >= 70) return 'near';
  return 'calm';
}

/** What is said about the daily requests, in percent. */
export function warningFor(percent: number): string | undefined {
  if (percent >= 95) return "Limite quasi raggiunto! Considera l'upgrade.";
  if (percent >= 80) return 'Ti stai avvicinando al limite giornaliero.';
  return undefined;
}

/** Of a limit of none nothing is left. */
export function percentOf(used: number, limit: number): number {
  return limit > 0 ? Math.min((used / limit) * 100, 100) : 100;
}

export interface UsagePanelProps {
  /** Changes when something was used. */
  changed: number;
}

export function UsagePanel({ changed }: UsagePanelProps) {
  const [usage, setUsage] = useState<Usage>();
  const [failure, setFailure] = useState<string>();

  useEffect(() => {
    const gone = new AbortController();
    take(api.GET('/api/v1/usage', { signal: gone.signal })).then(
      (known) => {
        setUsage(known);
        setFailure(undefined);
      },
      (caught: unknown) => {
        if (gone.signal.aborted) return;
        if (!(caught instanceof Problem)) throw caught;
        setFailure(caught.isNetwork ? 'Errore di connessione' : 'Errore nel caricamento dei dati di utilizzo');
      },
    );
    return () => gone.abort();
  }, [changed]);

  return (
    <section class={styles.panel} aria-labelledby="utilizzo" data-print="never">
      <h2 id="utilizzo" class={styles.heading}>
        Il tuo utilizzo
      </h2>
      {failure && <p role="status">{failure}</p>}
      {!failure && !usage && <p class={styles.quiet}>Caricamento...</p>}
      {usage && !failure && <Figures usage={usage} />}
    </section>
  );
}

function Figures({ usage }: { usage: Usage }) {
  const { plan, limits, remaining } = usage;
  const { today, month } = usage.usage;
  const warning = warningFor(percentOf(today.requests, limits.daily_requests));
  const left = remaining.today.requests;
  return (
    <>
      <p class={styles.plan}>
        <span class={classNames(styles.dot, isPlan(plan) && styles[plan])} aria-hidden="true" />
        {isPlan(plan) ? planName(plan) : 'Piano Sconosciuto'}
      </p>
      <Bar label="Richieste di oggi" used={today.requests} limit={limits.daily_requests} />
      <Bar label="Richieste del mese" used={month.requests} limit={limits.monthly_requests} />
      <Bar label="Parole del modello oggi (token)" used={today.tokens} limit={limits.daily_tokens} />
      <div aria-live="polite">
        {warning && (
          <p class={styles.warning}>
            <WarningIcon /> {warning}
          </p>
        )}
      </div>
      {plan === 'trial' && (
        <>
          <p>Hai ancora {left} richieste oggi</p>
          <ButtonLink to="/account/subscription">Passa a un piano più ampio</ButtonLink>
        </>
      )}
    </>
  );
}

function Bar({ label, used, limit }: { label: string; used: number; limit: number }) {
  const percent = percentOf(used, limit);
  return (
    <div class={styles.bar}>
      <p class={styles.figures}>
        <span>{label}</span>
        <span>
          {NUMBER.format(used)} di {NUMBER.format(limit)}
        </span>
      </p>
      <div
        class={styles.track}
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(percent)}
        aria-valuetext={`${NUMBER.format(used)} di ${NUMBER.format(limit)}`}
      >
        <div class={classNames(styles.used, styles[levelOf(percent)])} style={{ width: `${percent}%` }} />
      </div>
    </div>
  );
}
