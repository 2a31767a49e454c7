// The slip with the plan that somebody holds, and what can be done about it: pay what is open, manage, cancel, take the
// cancelling back, withdraw.

import { useState } from 'react';

import { cancelSubscription, portalAddress } from '../../api/payment';
import type { PlanStatus } from '../../api/contract';
import { Problem } from '../../api/problem';
import { browser } from '../../checkout';
import { dayText, planName } from '../../plans';
import { useSession } from '../../session';
import { Button, ButtonLink } from '../../ui/button';
import { Card } from '../../ui/card';
import { ArrowRightIcon, ExternalIcon } from '../../ui/icons';
import { Notice } from '../../ui/notice';
import type { Holding } from './holding';
import { PaymentProblem } from './payment-problem';
import styles from './subscription.module.css';

const CANCEL_QUESTION = 'Sei sicuro di voler cancellare il tuo abbonamento? Avrai accesso fino alla fine del periodo corrente.';
export const WITHDRAWAL_PAGE = '/account/recesso';

export interface Message {
  kind: 'success' | 'error' | 'info';
  text: string;
}

const STATES: Record<string, string> = { active: 'Attivo', past_due: 'Pagamento da sistemare' };

export interface CurrentPlanProps {
  holding: Holding;
  /** Whether there is a contract from which one can still withdraw. */
  withdrawable: boolean;
  put: (status: PlanStatus) => void;
  tell: (message: Message | undefined) => void;
}

export function CurrentPlan({ holding, withdrawable, put, tell }: CurrentPlanProps) {
  const [working, setWorking] = useState<'portal' | 'cancelling'>();
  const { refresh } = useSession();
  const { end } = holding;

  async function work(what: 'portal' | 'cancelling', task: () => Promise<Message | undefined>, failure: string) {
    if (working) return;
    setWorking(what);
    tell(undefined);
    try {
      tell(await task());
    } catch (caught) {
      if (!(caught instanceof Problem)) throw caught;
      const { isNetwork, status, detail } = caught;
      // 409: there is nothing to manage or to cancel, and the server says why.
      tell({ kind: 'error', text: isNetwork ? 'Errore di connessione. Riprova più tardi.' : status === 409 ? detail : failure });
    } finally {
      setWorking(undefined);
    }
  }

  const openPortal = () =>
    work(
      'portal',
      async () => {
        const address = await portalAddress();
        if (!address) return { kind: 'error', text: 'Errore nella creazione del portale' };
        browser.openBeside(address);
        return undefined;
      },
      'Errore nella creazione del portale',
    );

  const cancel = () => {
    if (!confirm(CANCEL_QUESTION)) return;
    void work(
      'cancelling',
      async () => {
        put(await cancelSubscription());
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
        {planName(holding.plan)} {holding.status === 'active' && <span class={styles.badge}>ATTIVO</span>}
      </p>
      <dl class={styles.facts}>
        <div>
          <dt>Stato</dt>
          <dd>{STATES[holding.status] ?? holding.status}</dd>
        </div>
        {holding.start && (
          <div>
            <dt>Iniziato il</dt>
            <dd>{dayText(holding.start)}</dd>
          </div>
        )}
        {end && (
          <div>
            <dt>{holding.ends ? 'Finisce il' : 'Si rinnova il'}</dt>
            <dd>{dayText(end)}</dd>
          </div>
        )}
      </dl>
      {holding.problem && <PaymentProblem problem={holding.problem} payUrl={holding.payUrl} accessUntil={holding.accessUntil} />}
      {holding.canTakeBack && (
        <Notice kind="info" title="Cancellazione a fine periodo">
          {end && <p>Puoi usare tutto fino al {dayText(end)}. Dopo non paghi più niente.</p>}
          <Button class={styles.inline} variant="quiet" busy={working === 'portal'} busyText="Caricamento..." onClick={() => void openPortal()}>
            Ho cambiato idea: riattiva il piano
          </Button>
        </Notice>
      )}
      <div class="actions">
        <ButtonLink variant="primary" to="/app" icon={ArrowRightIcon}>
          Vai all'assistente
        </ButtonLink>
        {holding.canManage && (
          <Button icon={ExternalIcon} busy={working === 'portal'} busyText="Caricamento..." onClick={() => void openPortal()}>
            Gestisci pagamenti
          </Button>
        )}
        {holding.canCancel && (
          <Button variant="quiet" busy={working === 'cancelling'} busyText="Caricamento..." onClick={cancel}>
            Cancella abbonamento
          </Button>
        )}
        {withdrawable && <WithdrawLink />}
      </div>
    </Card>
  );
}

export function WithdrawLink() {
  return (
    <ButtonLink variant="quiet" to={WITHDRAWAL_PAGE}>
      Recedi dal contratto qui
    </ButtonLink>
  );
}
