// For whoever sets the payments up, without an account: a checkout of each plan, that belongs to nobody. The server
// knows it only while the payment provider is in test mode.

import { CheckoutError, openTestCheckout } from '../../checkout';
import { planName, type Offer } from '../../plans';
import { Notice } from '../../ui/notice';
import { Page } from '../../ui/page';
import { PaymentNews } from './payment-news';
import { useReturn } from './return';
import styles from './subscription.module.css';
import { TestShelf } from './test-shelf';

const PAGE = '/stripe-test-simple';

async function open({ plan, priceId }: Offer) {
  if (!priceId) throw new CheckoutError('Piano selezionato non valido. Riprova.');
  await openTestCheckout(plan, priceId, PAGE);
}

export default function SimpleCheckoutTestPage() {
  const { back, plan } = useReturn();
  return (
    <Page title="Prova dei pagamenti senza accesso" width="wide" lead="Per chi prepara il servizio: ogni tasto apre il pagamento di prova e torna qui.">
      <div class={styles.stack}>
        {back === 'paid' ? (
          <Notice kind="success" announce="later">
            <p>Pagamento completato con successo!{plan && ` ${planName(plan)}.`}</p>
          </Notice>
        ) : (
          <PaymentNews back={back} settling="no" />
        )}
        <TestShelf open={open} />
      </div>
    </Page>
  );
}
