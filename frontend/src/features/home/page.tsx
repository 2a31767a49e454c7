// What a stranger sees first: what this is, how it goes, what it is good for, what it costs. Whoever is signed in has
// no use for it and is led to the assistant.

import type { ComponentChildren } from 'preact';
import { Link, Navigate } from 'react-router-dom';

import { useOffers } from '../../offers';
import { PlanCards } from '../../plan-cards';
import { euro } from '../../plans';
import { useSession } from '../../session';
import { ButtonLink } from '../../ui/button';
import { leaveDraft } from '../../ui/draft';
import { PersonIcon, RepeatIcon, ShieldIcon, type Icon } from '../../ui/icons';
import { Page, PageHeading } from '../../ui/page';
import { Spinner } from '../../ui/spinner';
import styles from './home.module.css';
import { SampleSlip } from './sample-slip';

/** What stands on each drawer, and what stands in the form of the assistant for whoever opened it. */
const PROBLEMS = [
  { name: 'Il PC è diventato lento', text: 'Il mio computer è diventato molto lento.', sign: 'Ci mette minuti ad accendersi, o ad aprire una finestra.' },
  { name: 'Il WiFi non va', text: 'Il WiFi non funziona: non riesco a navigare.', sign: 'Il telefono naviga, il computer no. O viceversa.' },
  { name: 'La stampante è offline', text: 'La stampante risulta offline e non stampa.', sign: 'È accesa, ma dal computer non esce niente.' },
  { name: 'La posta è bloccata', text: 'La posta elettronica è bloccata: non riesco a inviare né a ricevere.', sign: 'Le email non partono, o chiede sempre la password.' },
  { name: 'Il disco è pieno', text: 'Il disco del computer è pieno.', sign: 'Non si salva più niente, e non sai che cosa togliere.' },
  { name: 'La webcam dà errore', text: 'La webcam dà errore e gli altri non mi vedono.', sign: 'Nelle videochiamate gli altri non ti vedono.' },
] as const;

/** The name of the draft in the form of the assistant. */
const PROBLEM_DRAFT = 'problem';

const STEPS = [
  { name: 'Racconta che cosa succede', text: 'Con parole tue, come lo diresti a un nipote. Se sullo schermo c\'è una scritta, basta una foto.' },
  { name: 'Leggi perché succede', text: 'Una spiegazione breve, senza paroloni, con quanto ne siamo sicuri.' },
  { name: 'Segui un passo alla volta', text: 'Ogni passo ha un tasto: “Fatto”, “Non ha funzionato”, “Non lo trovo”. Se ti blocchi, si riparte da lì.' },
] as const;

const PROMISES: readonly { icon: Icon; name: string; text: string }[] = [
  { icon: ShieldIcon, name: 'I tuoi dati restano tuoi', text: 'Password, numeri di carta e telefono vengono nascosti prima di ogni richiesta.' },
  { icon: RepeatIcon, name: 'Niente mosse azzardate', text: 'Se un passo può cambiare qualcosa, te lo diciamo prima e ti spieghiamo come tornare indietro.' },
  { icon: PersonIcon, name: 'Se serve un tecnico, lo diciamo', text: 'Certe cose non si riparano da soli. In quel caso te lo scriviamo chiaro.' },
];

export default function HomePage() {
  const { state } = useSession();
  if (state === 'signed-in') {
    return (
      <>
        <Spinner place="page" text="Reindirizzamento all'applicazione..." />
        <Navigate to="/app" replace />
      </>
    );
  }
  return <Home />;
}

function Home() {
  const offers = useOffers();
  const trial = offers.find((offer) => offer.plan === 'trial');
  return (
    <Page title="Rimedio: aiuto per computer e telefono, un passo alla volta" heading="none" width="full">
      <div class={styles.hero}>
        <div class={styles.heroInside}>
          <div class={styles.pitch}>
            <PageHeading class={styles.title}>Il computer fa i capricci? C'è rimedio.</PageHeading>
            <p class={styles.lead}>Scrivi che cosa succede, o manda una foto dello schermo. Ti diciamo perché, e ti guidiamo un passo alla volta.</p>
            <div class={styles.choices}>
              <ButtonLink variant="primary" size="large" to="/login?plan=trial">
                {`Prova 7 giorni con ${trial ? euro(trial.amount) : '1 €'}`}
              </ButtonLink>
              <a class={styles.more} href="#piani">
                Vedi Tutti i Piani
              </a>
            </div>
            <p class={styles.quiet}>La prova finisce da sola: non si rinnova.</p>
          </div>
          <SampleSlip />
        </div>
      </div>

      <Section id="problemi" heading="Che cosa non va?" lead="Apri un cassetto: per ognuno c'è un rimedio. E se il tuo problema non è qui, scrivilo lo stesso.">
        <ul role="list" class={styles.drawers}>
          {PROBLEMS.map(({ name, sign, text }) => (
            <li key={name}>
              <Link to="/login" class={styles.drawer} onClick={() => leaveDraft(PROBLEM_DRAFT, text)}>
                <span class={styles.label}>
                  <strong>{name}</strong>
                  <span>{sign}</span>
                </span>
                <span class={styles.knob} aria-hidden="true" />
              </Link>
            </li>
          ))}
        </ul>
      </Section>

      <Section id="come-funziona" heading="Come funziona">
        <ol role="list" class={styles.steps}>
          {STEPS.map(({ name, text }) => (
            <li key={name}>
              <h3>{name}</h3>
              <p>{text}</p>
            </li>
          ))}
        </ol>
      </Section>

      <Section id="fiducia" heading="Di chi ti puoi fidare" sunk>
        <ul role="list" class={styles.promises}>
          {PROMISES.map(({ icon: Sign, name, text }) => (
            <li key={name}>
              <Sign class={styles.promiseSign} />
              <h3>{name}</h3>
              <p>{text}</p>
            </li>
          ))}
        </ul>
        <p class={styles.honest}>
          Le risposte le scrive un'intelligenza artificiale, oppure vengono dal nostro manuale: sotto ogni risposta c'è scritto. Prima di arrivare a te
          passano un controllo di sicurezza.
        </p>
      </Section>

      <Section id="piani" heading="Quanto costa" lead="Tre piani, nessuna sorpresa. Si paga con la carta e si disdice quando vuoi.">
        <PlanCards
          offers={offers}
          action={(offer) => (
            <ButtonLink wide variant={offer.popular ? 'primary' : 'secondary'} to={`/login?plan=${offer.plan}`}>
              {offer.action}
            </ButtonLink>
          )}
        />
      </Section>
    </Page>
  );
}

interface SectionProps {
  id: string;
  heading: string;
  lead?: string;
  /** Sunk into the page, to rest the eye between two others. */
  sunk?: boolean;
  children: ComponentChildren;
}

function Section({ id, heading, lead, sunk, children }: SectionProps) {
  return (
    <section id={id} aria-labelledby={`${id}-heading`} class={sunk ? styles.sunk : undefined}>
      <div class={styles.inside}>
        <h2 id={`${id}-heading`} class={styles.heading}>
          {heading}
        </h2>
        {lead && <p class={styles.sectionLead}>{lead}</p>}
        {children}
      </div>
    </section>
  );
}
