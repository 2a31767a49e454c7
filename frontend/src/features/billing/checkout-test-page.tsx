// For whoever sets the payments up: what the server says of one's own plan, and a checkout of each plan that comes back
// to this page.

import { storedToken } from '../../api/access-token';
import { CheckoutError, openCheckout } from '../../checkout';
import { dayText, planName, type Offer } from '../../plans';
import { Card } from '../../ui/card';
import { Page } from '../../ui/page';
import { PaymentNews } from './payment-news';
import { usePlanStatus } from './plan-status';
import { useReturn } from './return';
import styles from './subscription.module.css';
import { SIGN_IN_FIRST, TestShelf } from './test-shelf';

const PAGE = '/stripe-test';

async function open({ plan, priceId }: Offer) {
  if (!storedToken()) throw new CheckoutError('Devi prima effettuare il login con Google', SIGN_IN_FIRST);
  await openCheckout(plan, false, { backTo: PAGE, priceId, otherwise: 'Errore nella creazione del checkout' });
}

export default function CheckoutTestPage() {
  const { back } = useReturn();
  const { status, settling } = usePlanStatus(back === 'paid');
  return (
    <Page title="Prova dei pagamenti" width="wide" lead="Per chi prepara il servizio: ogni tasto apre il pagamento e torna qui.">
      <div class={styles.stack}>
        <PaymentNews back={back} settling={settling} />
        <Card>
          <h2 class={styles.inCard}>Stato dell'abbonamento</h2>
          {status ? (
            <dl class={styles.facts}>
              <Fact name="Piano" text={planName(status.plan_type)} />
              <Fact name="Stato" text={status.status} />
              <Fact name="Attivo" text={status.is_active ? 'Sì' : 'No'} />
              {status.current_period_end && <Fact name="Fine del periodo" text={dayText(status.current_period_end)} />}
              <Fact name="Cancellazione a fine periodo" text={status.cancel_at_period_end ? 'Sì' : 'No'} />
              <Fact name="Pagamento in arrivo" text={status.payment_pending ? 'Sì' : 'No'} />
            </dl>
          ) : (
            <p>Caricamento...</p>
          )}
        </Card>
        <TestShelf open={open} />
      </div>
    </Page>
  );
}

function Fact({ name, text }: { name: string; text: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{text}</dd>
    </div>
  );
}
