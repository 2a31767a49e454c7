// Who writes the answers and who gets what is written, before the first word is sent.

import { useInstallation } from '../../installation';
import { ShieldIcon } from '../../ui/icons';
import styles from './form.module.css';

export function WhoAnswers() {
  const { about } = useInstallation();
  if (!about) return null;
  const lines =
    about.engine === 'model'
      ? [
          `Ti risponde un'intelligenza artificiale. Può sbagliare: per questo ogni risposta passa un controllo di sicurezza.`,
          `Il tuo testo e la tua immagine arrivano a ${about.model_provider ?? 'chi gestisce il modello'}, con la richiesta di non conservarli.`,
          'Prima nascondiamo email, telefoni, IBAN, carte, codici fiscali e password. Ciò che si legge in una foto resta visibile.',
        ]
      : [
          'Ti risponde il manuale di Rimedio: guide scritte prima, scelte per te da un programma.',
          'Quello che scrivi resta su questo servizio: non va a nessun altro.',
          'Le password non servono mai: non scriverle.',
        ];
  return (
    <aside class={styles.who} aria-label="Chi ti risponde">
      <ShieldIcon />
      <ul role="list">
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </aside>
  );
}
