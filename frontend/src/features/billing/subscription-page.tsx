// What somebody holds, until when, and what else there is. The payment itself happens on the provider's pages; here is
// the way there, and what is said on the way back.

import { useEffect, useRef, useState } from 'react';
import { useLocation, useSearchParams } from 'react-router-dom';

import { api, take } from '../../api/client';
import type { Subscription } from '../../api/contract';
import { Problem } from '../../api/problem';
import { CheckoutError, browser, openCheckout } from '../../checkout';
import { useInstallation } from '../../installation';
import { useOffers } from '../../offers';
import { PlanCards } from '../../plan-cards';
import { dayText, planName, type Offer, type PlanName } from '../../plans';
import { CHECKOUT_REFRESH, CHECKOUT_SUCCESS_KEY, useSession } from '../../session';
import { Button, ButtonLink } from '../../ui/button';
import { Card } from '../../ui/card';
import { ArrowRightIcon, ExternalIcon } from '../../ui/icons';
import { Notice } from '../../ui/notice';
import { Page } from '../../ui/page';
import styles from './subscription.module.css';

const CANCEL_QUESTION = 'Sei sicuro di voler cancellare il tuo abbonamento? Avrai accesso fino alla fine del periodo corrente.';

interface Message {
  kind: 'success' | 'error' | 'info';
  text: string;
}

export default function SubscriptionPage() {
  const { user } = useSession();
  const back = useReturnFromCheckout();
  const reason = useReason();
  const subscription = user?.subscription;
  const [message, setMessage] = useState<Message>();
  const plans = useRef<HTMLElement>(null);
  const { hash } = useLocation();

  useEffect(() => {
    if (hash === '#plans') plans.current?.scrollIntoView();
  }, [hash]);

  return (
    <Page title="Il tuo abbonamento" width="wide">
      <div class={styles.stack}>
        {back === 'paid' && (
          <Notice kind="success" announce="later" title={subscription ? 'Fatto' : 'Pagamento ricevuto'}>
            <p>{subscription ? 'Pagamento completato con successo! Il tuo abbonamento è ora attivo.' : 'Pagamento ricevuto, attivo tra poco.'}</p>
          </Notice>
        )}
        {back === 'turned-back' && (
          <Notice kind="info" announce="later">
            <p>Pagamento annullato. Puoi riprovare quando vuoi.</p>
          </Notice>
        )}
        {reason && !subscription && back === undefined && (
          <Notice kind="info" title={reason} announce="later">
            <p>Per usare l'assistente serve un piano attivo. Scegli qui sotto quello che fa per te.</p>
          </Notice>
        )}
        {message && (
          <Notice kind={message.kind} announce="now">
            <p>{message.text}</p>
          </Notice>
        )}
        <Current subscription={subscription} tell={setMessage} />
        <section id="plans" ref={plans} aria-labelledby="plans-heading">
          <h2 id="plans-heading" class={styles.heading}>
            {subscription ? 'I piani' : 'Scegli il tuo piano'}
          </h2>
          <Plans subscription={subscription} tell={setMessage} />
        </section>
      </div>
    </Page>
  );
}

/** What the guard of the assistant says about why somebody is here. */
function useReason(): string | undefined {
  const { state } = useLocation();
  const reason: unknown = typeof state === 'object' && state !== null && 'reason' in state ? state.reason : undefined;
  return typeof reason === 'string' ? reason : undefined;
}

/** With what the payment provider sent the browser back. The query goes at once, so that a reload says nothing twice. */
function useReturnFromCheckout(): 'paid' | 'turned-back' | undefined {
  const { refresh } = useSession();
  const [query, setQuery] = useSearchParams();
  const [back, setBack] = useState<'paid' | 'turned-back'>();
  const paid = query.get('success') === 'true';
  const turnedBack = query.get('canceled') === 'true';

  useEffect(() => {
    if (!paid && !turnedBack) return;
    setBack(paid ? 'paid' : 'turned-back');
    setQuery({}, { replace: true });
    try {
      if (paid) localStorage.setItem(CHECKOUT_SUCCESS_KEY, 'true');
    } catch {
      // The other tabs learn it at their next look.
    }
  }, [paid, turnedBack, setQuery]);

  useEffect(() => {
    if (back !== 'paid') return;
    const timer = setTimeout(() => {
      take(api.POST('/api/v1/payment/sync-subscription'))
        .catch((caught: unknown) => {
          if (!(caught instanceof Problem)) throw caught;
        })
        .then(refresh);
    }, CHECKOUT_REFRESH);
    return () => clearTimeout(timer);
  }, [back, refresh]);

  return back;
}

function Current({ subscription, tell }: { subscription: Subscription | undefined; tell: (message: Message | undefined) => void }) {
  const [working, setWorking] = useState<'portal' | 'cancelling'>();
  const { refresh } = useSession();

  if (!subscription) {
    return (
      <Card kind="slip">
        <p class={styles.label}>Piano attuale</p>
        <p class={styles.plan}>{planName(undefined)}</p>
        <p>Con un piano puoi descrivere un problema, mandare una foto dello schermo e ricevere i passi per risolverlo.</p>
      </Card>
    );
  }

  const ends = subscription.cancel_at_period_end || subscription.plan === 'trial';

  async function work(what: 'portal' | 'cancelling', task: () => Promise<Message | undefined>, failure: string) {
    setWorking(what);
    tell(undefined);
    try {
      tell(await task());
    } catch (caught) {
      if (!(caught instanceof Problem)) throw caught;
      tell({ kind: 'error', text: caught.isNetwork ? 'Errore di connessione. Riprova più tardi.' : failure });
    } finally {
      setWorking(undefined);
    }
  }

  const openPortal = () =>
    work(
      'portal',
      async () => {
        const { portal_url: address } = (await take(api.POST('/api/v1/payment/create-portal'))) ?? {};
        if (!address) return { kind: 'error', text: 'Errore nella creazione del portale' };
        browser.open(address);
        return undefined;
      },
      'Errore nella creazione del portale',
    );

  const cancel = () => {
    if (!confirm(CANCEL_QUESTION)) return;
    void work(
      'cancelling',
      async () => {
        await take(api.POST('/api/v1/payment/cancel-subscription'));
        await refresh();
        return { kind: 'success', text: 'Abbonamento cancellato con successo. Avrai accesso fino alla fine del periodo corrente.' };
      },
      'Errore durante la cancellazione. Riprova più tardi.',
    );
  };

  return (
    <Card kind="slip">
      <p class={styles.label}>Piano attuale</p>
      <p class={styles.plan}>
        {planName(subscription.plan)}{' '}
        {subscription.status === 'active' && (
          <span class={styles.badge}>
            ATTIVO
          </span>
        )}
      </p>
      <dl class={styles.facts}>
        <div>
          <dt>Stato</dt>
          <dd>{subscription.status === 'active' ? 'Attivo' : subscription.status}</dd>
        </div>
        <div>
          <dt>Iniziato il</dt>
          <dd>{dayText(subscription.current_period_start)}</dd>
        </div>
        <div>
          <dt>{ends ? 'Finisce il' : 'Si rinnova il'}</dt>
          <dd>{dayText(subscription.current_period_end)}</dd>
        </div>
      </dl>
      {subscription.cancel_at_period_end && (
        <Notice kind="info" title="Cancellazione a fine periodo">
          <p>Puoi usare tutto fino al {dayText(subscription.current_period_end)}. Dopo non paghi più niente.</p>
        </Notice>
      )}
      <div class="actions">
        <ButtonLink variant="primary" to="/app" icon={ArrowRightIcon}>
          Vai all'assistente
        </ButtonLink>
        {!subscription.cancel_at_period_end && (
          <Button icon={ExternalIcon} busy={working === 'portal'} busyText="Caricamento..." onClick={() => void openPortal()}>
            Gestisci pagamenti
          </Button>
        )}
        {!ends && (
          <Button variant="quiet" busy={working === 'cancelling'} busyText="Caricamento..." onClick={cancel}>
            Cancella abbonamento
          </Button>
        )}
      </div>
    </Card>
  );
}

function Plans({ subscription, tell }: { subscription: Subscription | undefined; tell: (message: Message | undefined) => void }) {
  const offers = useOffers();
  const { about } = useInstallation();
  const [opening, setOpening] = useState<PlanName>();

  async function choose({ plan }: Offer) {
    if (opening) return;
    setOpening(plan);
    tell(undefined);
    try {
      await openCheckout(plan);
    } catch (caught) {
      setOpening(undefined);
      if (!(caught instanceof CheckoutError)) throw caught;
      tell({ kind: 'error', text: caught.message });
      scrollTo({ top: 0 });
    }
  }

  const action = (offer: Offer) => {
    if (offer.plan === subscription?.plan) return <p class={styles.held}>È il piano che hai adesso.</p>;
    // Once only, and nothing for whoever has more already.
    if (offer.plan === 'trial' && subscription) return <p class={styles.held}>La prova è per chi comincia.</p>;
    return (
      <Button
        variant={offer.popular ? 'primary' : 'secondary'}
        wide
        busy={opening === offer.plan}
        busyText="Caricamento..."
        disabled={opening !== undefined && opening !== offer.plan}
        onClick={() => void choose(offer)}
      >
        {offer.action}
      </Button>
    );
  };

  return (
    <>
      <PlanCards offers={offers} current={subscription?.plan} action={action} />
      <p class={styles.note}>
        Si paga con la carta, sulla pagina sicura del servizio di pagamento: noi non vediamo il numero della tua carta.
        {about && (
          <>
            {' '}
            Hai un dubbio? Scrivi a <a href={`mailto:${about.support_address}`}>{about.support_address}</a>.
          </>
        )}
      </p>
    </>
  );
}
