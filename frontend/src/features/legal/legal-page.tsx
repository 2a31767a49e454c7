// A text that binds: headings and paragraphs for reading, the date, and the way home.

import type { ComponentChildren } from 'preact';

import { useInstallation } from '../../installation';
import { ButtonLink } from '../../ui/button';
import { ArrowLeftIcon } from '../../ui/icons';
import { Page } from '../../ui/page';
import styles from './legal.module.css';

export interface LegalPageProps {
  title: string;
  lead: string;
  sections: readonly { heading: string; text: ComponentChildren }[];
}

export function LegalPage({ title, lead, sections }: LegalPageProps) {
  const { about } = useInstallation();
  return (
    <Page title={title} lead={lead}>
      <p class={styles.back}>
        <ButtonLink variant="quiet" icon={ArrowLeftIcon} to="/">
          Torna alla Home
        </ButtonLink>
      </p>
      <div class={styles.text}>
        {sections.map(({ heading, text }, index) => (
          <section key={heading} class={styles.text}>
            <h2>
              {index + 1}. {heading}
            </h2>
            {text}
          </section>
        ))}
        <section class={styles.text}>
          <h2>{sections.length + 1}. Come scriverci</h2>
          <p>
            {about ? (
              <>
                Per qualsiasi domanda scrivi a <a href={`mailto:${about.support_address}`}>{about.support_address}</a>.
              </>
            ) : (
              'Trovi il nostro indirizzo in fondo a ogni pagina.'
            )}
          </p>
        </section>
      </div>
    </Page>
  );
}
