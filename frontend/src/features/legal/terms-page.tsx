// The rules between the person and us.

import { LegalPage } from './legal-page';

const SECTIONS = [
  { heading: 'Che cosa è il servizio', text: <p>Un assistente che ti aiuta a risolvere problemi di computer, telefono e internet, a parole e passo dopo passo. Non sostituisce un tecnico.</p> },
  { heading: 'Chi può usarlo', text: <p>Chi ha almeno 16 anni e un account Google. L'account è personale: non si presta.</p> },
  { heading: 'Chi scrive le risposte', text: <p>Un'intelligenza artificiale, oppure il nostro manuale: sotto ogni risposta c'è scritto quale dei due. Anche una risposta controllata può sbagliare: se un passo ti lascia dei dubbi, fermati e chiedi.</p> },
  {
    heading: 'I piani',
    text: (
      <ul>
        <li>La prova dura 7 giorni, si può fare una volta sola e finisce da sé.</li>
        <li>Il piano mensile e quello annuale si rinnovano finché non li disdici.</li>
        <li>Ogni piano ha un numero di richieste al giorno e al mese, che vedi nella pagina dell'assistente.</li>
      </ul>
    ),
  },
  { heading: 'Disdire', text: <p>Puoi disdire quando vuoi dalla pagina del tuo abbonamento. Resta tutto attivo fino alla fine del periodo già pagato.</p> },
  { heading: 'Cambiare idea', text: <p>Entro 14 giorni dall'acquisto puoi recedere dal contratto. Ti rimborsiamo la parte che non hai usato.</p> },
  { heading: 'Come usarlo bene', text: <p>Prima di un passo importante salva i tuoi documenti. Non scrivere password o dati di altre persone.</p> },
] as const;

export default function TermsPage() {
  return <LegalPage title="Termini di Servizio" lead="Le regole tra te e noi. Brevi, perché tu le possa leggere davvero." sections={SECTIONS} />;
}
