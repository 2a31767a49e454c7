// The last page of ours before the payment: what is bought, what it costs now and later, how to get out of it, and the
// one button that orders it. Whatever leads to a checkout leads here first.

import { useEffect, useRef, useState } from 'react';
import { Link, useNavigate, useSearchParams } from 'react-router-dom';

import { CheckoutError, openCheckout } from '../../checkout';
import { useInstallation } from '../../installation';
import { useOffers } from '../../offers';
import { PERIODS, dayText, euro, isPlan, type Offer, type PlanName } from '../../plans';
import { useSession } from '../../session';
import { Button, ButtonLink } from '../../ui/button';
import { Card } from '../../ui/card';
import { Checkbox } from '../../ui/field';
import { NewTab } from '../../ui/new-tab';
import { Page } from '../../ui/page';
import styles from './order.module.css';
import { firstPeriodEnd } from './periods';
import { TestCards } from './test-cards';
import { ToldError } from './told-error';

const IMMEDIATE_START = 'Chiedo che il servizio cominci subito. Se recedo entro 14 giorni pago solo i giorni che ho usato.';
const WITHOUT_IT = 'Se non metti il segno, il servizio comincia lo stesso e, se recedi entro 14 giorni, ti torna tutto.';

/** What can be done about a refusal, by the server's name for it. */
const WAYS_OUT: Record<string, { to: string; text: string }> = {
  trial_used: { to: '/account/subscription#plans', text: 'Guarda gli altri piani' },
  plan_active: { to: '/account/subscription', text: 'Vai al tuo abbonamento' },
};

export default function OrderPage() {
  const [query] = useSearchParams();
  const plan = query.get('plan');
  const offer = useOffers().find((one) => one.plan === plan);
  if (!isPlan(plan) || !offer) return <WhichPlan />;
  return <Order key={plan} offer={offer} />;
}

function WhichPlan() {
  return (
    <Page title="Quale piano vuoi?" lead="Qui manca il nome del piano, o non lo conosciamo. Niente paura: non hai ordinato niente.">
      <p class="actions">
        <ButtonLink variant="primary" size="large" to="/account/subscription#plans">
          Scegli un piano
        </ButtonLink>
      </p>
    </Page>
  );
}

function Order({ offer }: { offer: Offer }) {
  const { about } = useInstallation();
  const { refresh } = useSession();
  const navigate = useNavigate();
  const [immediateStart, setImmediateStart] = useState(false);
  const [opening, setOpening] = useState(false);
  const [error, setError] = useState<CheckoutError>();
  const left = useLeaving(() => setOpening(false));

  async function order(event: Event) {
    event.preventDefault();
    if (opening) return;
    setOpening(true);
    setError(undefined);
    try {
      // Busy until the provider's page is there: nobody presses twice because nothing seems to happen.
      await openCheckout(offer.plan, immediateStart, { signal: left() });
    } catch (caught) {
      setOpening(false);
      if (!(caught instanceof CheckoutError)) throw caught;
      setError(caught);
      // The new terms are shown as soon as the record of the user says so.
      if (caught.code === 'consent_required') void refresh();
    }
  }

  const wayOut = error?.code ? WAYS_OUT[error.code] : undefined;
  return (
    <Page title="Il tuo ordine" heading="Controlla il tuo ordine" lead="Leggi con calma. Finché non premi “Ordina e paga”, non compri niente.">
      <form class={styles.stack} onSubmit={(event) => void order(event)} noValidate>
        <Card kind="slip">
          <h2 class={styles.plan}>{offer.name}</h2>
          <p class={styles.price}>
            <strong>{euro(offer.amount)}</strong> <span>{PERIODS[offer.plan]}, IVA inclusa</span>
          </p>
          <Conditions offer={offer} />
          <p class={styles.small}>
            Vale quello che dicono i <NewTab to="/terms">Termini di Servizio</NewTab> e la <NewTab to="/privacy">Privacy Policy</NewTab>.
          </p>
        </Card>
        <Checkbox label={IMMEDIATE_START} hint={WITHOUT_IT} checked={immediateStart} onChange={(event) => setImmediateStart(event.currentTarget.checked)} />
        {about?.test_mode && <TestCards />}
        {error && (
          <ToldError>
            <p>{error.message}</p>
            {wayOut && (
              <p>
                <Link to={wayOut.to}>{wayOut.text}</Link>
              </p>
            )}
          </ToldError>
        )}
        <div class={styles.buttons}>
          <Button type="submit" variant="primary" size="large" busy={opening} busyText="Caricamento...">
            Ordina e paga
          </Button>
          {/* From wherever somebody came; the plans, for whoever came from the sign-in. */}
          <Button variant="quiet" onClick={() => (canGoBack() ? navigate(-1) : navigate('/account/subscription#plans'))}>
            Torna indietro
          </Button>
        </div>
        <p class={styles.quiet}>Si paga con la carta, sulla pagina sicura del servizio di pagamento: noi non vediamo il numero della tua carta.</p>
      </form>
    </Page>
  );
}

/** Whether the page before this one in the tab is one of ours, other than the end of the sign-in, which is replaced. */
function canGoBack(): boolean {
  const state: unknown = window.history.state;
  return typeof state === 'object' && state !== null && 'idx' in state && Number(state.idx) > 0;
}

/**
 * Gives a signal that is raised when the page is left for another of ours; and tells when the browser shows this page
 * again as it was, after the provider's own "back".
 */
function useLeaving(onReturn: () => void): () => AbortSignal {
  const leaving = useRef<AbortController>(null);
  leaving.current ??= new AbortController();
  useEffect(() => {
    leaving.current = new AbortController();
    const shown = (event: PageTransitionEvent) => {
      if (event.persisted) onReturn();
    };
    addEventListener('pageshow', shown);
    return () => {
      leaving.current?.abort();
      removeEventListener('pageshow', shown);
    };
    // `onReturn` only sets a state: the first one does as well as the last.
  }, []);
  return () => (leaving.current ??= new AbortController()).signal;
}

const LENGTHS: Record<PlanName, string> = { trial: '7 giorni', monthly: '1 mese', annual: '1 anno' };

function Conditions({ offer: { plan, amount } }: { offer: Offer }) {
  const end = dayText(firstPeriodEnd(plan, new Date()).toISOString());
  const yours = <Link to="/account/subscription">Il tuo abbonamento</Link>;
  return (
    <dl class={styles.conditions}>
      <div>
        <dt>Quanto dura</dt>
        <dd>
          {LENGTHS[plan]}: se paghi oggi, fino al {end}.
        </dd>
      </div>
      <div>
        <dt>Si rinnova?</dt>
        <dd>
          {plan === 'trial'
            ? 'No. Finisce da sola dopo 7 giorni e non paghi più niente.'
            : `Sì, da solo, ogni ${plan === 'monthly' ? 'mese' : 'anno'}, a ${euro(amount)}. La prima volta il ${end}, se paghi oggi.`}
        </dd>
      </div>
      <div>
        <dt>Come si disdice</dt>
        <dd>
          {plan === 'trial' ? (
            <>Non devi fare niente: finisce da sola. La trovi quando vuoi in “{yours}”.</>
          ) : (
            <>Quando vuoi, da “{yours}”. Il piano resta attivo fino alla fine del periodo che hai pagato.</>
          )}
        </dd>
      </div>
      <div>
        <dt>Se ci ripensi</dt>
        <dd>Hai 14 giorni per recedere: in “Il tuo abbonamento” premi “Recedi dal contratto qui”. Ti torna quello che non hai usato.</dd>
      </div>
    </dl>
  );
}
