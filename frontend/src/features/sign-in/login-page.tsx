// The one way in: a Google account. The button leaves the product for Google's own page and comes back by itself.

import { Link, Navigate, useSearchParams } from 'react-router-dom';

import { isPlan, orderAddress } from '../../plans';
import { useSession } from '../../session';
import { ButtonAddress } from '../../ui/button';
import { Card } from '../../ui/card';
import { Page } from '../../ui/page';
import { Spinner } from '../../ui/spinner';
import { GoogleMark } from './google-mark';
import styles from './sign-in.module.css';

export default function LoginPage() {
  const { state } = useSession();
  const [query] = useSearchParams();
  const plan = query.get('plan');
  if (state === 'signed-in') {
    return (
      <>
        <Spinner place="page" text="Reindirizzamento all'applicazione..." />
        <Navigate to={isPlan(plan) ? orderAddress(plan) : '/app'} replace />
      </>
    );
  }
  return (
    <Page title="Accedi" heading="Accedi per farti aiutare" lead="Usi il tuo account Google, quello della posta Gmail o del telefono Android. Non devi inventare un'altra password.">
      <Card kind="slip">
        <div class={styles.form}>
          <ButtonAddress variant="primary" size="large" wide icon={GoogleMark} href={`/api/v1/auth/google/login${isPlan(plan) ? `?plan=${plan}` : ''}`}>
            Accedi con Google
          </ButtonAddress>
          <ol role="list" class={styles.steps}>
            <li>Si apre la pagina di Google.</li>
            <li>Scegli il tuo account.</li>
            <li>Torni qui da solo, già dentro.</li>
          </ol>
          <p class={styles.small}>
            Da Google riceviamo solo nome, indirizzo e foto. Se accedi vale quello che dicono i <Link to="/terms">Termini di Servizio</Link> e la{' '}
            <Link to="/privacy">Privacy Policy</Link>.
          </p>
        </div>
      </Card>
    </Page>
  );
}
