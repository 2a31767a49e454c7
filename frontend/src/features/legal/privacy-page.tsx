// What happens to what people entrust us with.

import { LegalPage } from './legal-page';

const SECTIONS = [
  { heading: 'Che cosa sappiamo di te', text: <p>Da Google riceviamo il nome, l'indirizzo email e la foto. Il resto lo scrivi tu: le richieste, le foto dello schermo, le tue scelte.</p> },
  { heading: 'A che cosa ci serve', text: <p>A farti entrare, a risponderti, a ritrovare le tue richieste e a contare quelle del tuo piano. A nient'altro.</p> },
  {
    heading: 'Chi legge quello che scrivi',
    text: (
      <p>
        Se la risposta la scrive un'intelligenza artificiale, il testo va al suo fornitore. Prima nascondiamo email, numeri di telefono, carte, IBAN, codici
        fiscali e password. Accanto a ogni risposta puoi vedere che cosa è stato inviato.
      </p>
    ),
  },
  {
    heading: 'Per quanto tempo lo teniamo',
    text: (
      <ul>
        <li>Le immagini: 30 giorni.</li>
        <li>Le conversazioni: 24 mesi.</li>
        <li>I registri tecnici: 90 giorni.</li>
        <li>I dati dei pagamenti: 7 anni, perché lo chiede la legge.</li>
      </ul>
    ),
  },
  { heading: 'I pagamenti', text: <p>Il numero della carta lo vede solo il servizio di pagamento. A noi arriva se il pagamento è riuscito, e per quale piano.</p> },
  { heading: 'I tuoi diritti', text: <p>Puoi vedere, correggere, portare via o far cancellare i tuoi dati. Puoi anche reclamare al Garante per la protezione dei dati personali.</p> },
  { heading: 'Nel tuo browser', text: <p>Nel tuo browser restano l'accesso, i colori, la dimensione del testo e le tue scelte. Nessun cookie di pubblicità, nessun tracciamento.</p> },
] as const;

export default function PrivacyPage() {
  return <LegalPage title="Privacy Policy" lead="Che cosa facciamo dei tuoi dati, in parole semplici." sections={SECTIONS} />;
}
