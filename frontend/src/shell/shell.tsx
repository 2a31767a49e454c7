// What surrounds every page: the banner of a demonstration, the header, the footer.

import type { ComponentChildren } from 'preact';
import { Link } from 'react-router-dom';

import { TAGLINE, useInstallation } from '../installation';
import { PageAnnouncer, SkipLink } from '../ui/page';
import { Toasts } from '../ui/toasts';
import { Header } from './header';
import styles from './shell.module.css';

export function Shell({ children }: { children: ComponentChildren }) {
  return (
    <>
      <SkipLink />
      <Banner />
      <Header />
      <PageAnnouncer />
      {children}
      <Footer />
      <Toasts />
    </>
  );
}

function Banner() {
  const { state, about } = useInstallation();
  return (
    <>
      {about?.banner && (
        <aside class={styles.banner} aria-label="Nota su questa installazione" data-print="never">
          <p>{about.banner}</p>
        </aside>
      )}
      <div role="status" data-print="never">
        {state === 'unreachable' && <p class={styles.unreachable}>Non riusciamo a collegarci al servizio. Riproviamo da soli: non devi fare niente.</p>}
      </div>
    </>
  );
}

function Footer() {
  const { about } = useInstallation();
  return (
    <footer class={styles.footer} data-print="never">
      <div class={styles.footerInside}>
        <p>
          © 2024 {about?.name ?? 'Rimedio'} – {about?.tagline ?? TAGLINE}
        </p>
        <nav aria-label="Informazioni">
          <ul role="list" class={styles.links}>
            <li>
              <Link to="/faq">Domande frequenti</Link>
            </li>
            <li>
              <Link to="/privacy">Privacy Policy</Link>
            </li>
            <li>
              <Link to="/terms">Termini di Servizio</Link>
            </li>
            {about && (
              <li>
                <a href={`mailto:${about.support_address}`}>Scrivici</a>
              </li>
            )}
          </ul>
        </nav>
      </div>
    </footer>
  );
}
