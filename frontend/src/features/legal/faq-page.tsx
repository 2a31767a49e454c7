// The eight questions that people ask before they begin.

import { ButtonLink } from '../../ui/button';
import { ArrowLeftIcon, ArrowRightIcon, ChevronDownIcon } from '../../ui/icons';
import { Page } from '../../ui/page';
import styles from './legal.module.css';

const QUESTIONS = [
  ['Devo essere pratico di computer?', 'No. Scrivi come parli: “lo schermo è diventato blu”, “la stampante non va”. Le parole giuste le troviamo noi.'],
  ['Con quali apparecchi mi aiutate?', 'Computer con Windows, macOS o Linux, telefoni e tablet Android, iPhone e iPad, stampanti, modem e WiFi.'],
  ['Come faccio a mandare una foto dello schermo?', 'Va benissimo una foto fatta con il telefono. Nella pagina dell\'assistente c\'è un riquadro: toccalo e scegli la foto.'],
  ['Chi scrive le risposte?', 'Un\'intelligenza artificiale o il nostro manuale: è scritto sotto ogni risposta. Tutte passano un controllo che toglie i passi pericolosi.'],
  ['E se un passo non funziona?', 'Premi “Non ha funzionato” o “Non lo trovo” e fai un\'altra domanda: la risposta riparte da dove sei.'],
  ['I miei dati sono al sicuro?', 'Nascondiamo password, carte e numeri di telefono prima che il testo parta. Le immagini si cancellano dopo 30 giorni.'],
  ['Quanto costa la prova, e poi?', 'Costa 1 euro e dura 7 giorni. Poi finisce da sola: se vuoi continuare, scegli tu un piano.'],
  ['Come disdico?', 'Apri il tuo menu in alto, “Gestisci Abbonamento”, e premi “Cancella abbonamento”. Puoi usare tutto fino alla fine del periodo pagato.'],
] as const;

export default function FaqPage() {
  return (
    <Page title="Domande frequenti" lead="Le risposte brevi a quello che ci chiedono più spesso.">
      <p class={styles.back}>
        <ButtonLink variant="quiet" icon={ArrowLeftIcon} to="/">
          Torna alla Home
        </ButtonLink>
      </p>
      <div class={styles.questions}>
        {QUESTIONS.map(([question, answer]) => (
          <details key={question} class={styles.question}>
            <summary>
              {question} <ChevronDownIcon />
            </summary>
            <p class={styles.answer}>{answer}</p>
          </details>
        ))}
      </div>
      <p class={styles.more}>
        <ButtonLink variant="primary" size="large" icon={ArrowRightIcon} to="/app">
          Chiedi all'assistente
        </ButtonLink>
      </p>
    </Page>
  );
}
