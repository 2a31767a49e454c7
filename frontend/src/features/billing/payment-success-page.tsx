// Where a checkout may return to: what was bought, whether it is active yet, and the way to the assistant.

import { useEffect } from 'react';
import { useSearchParams } from 'react-router-dom';

import { isPlan, planName } from '../../plans';
import { ButtonLink } from '../../ui/button';
import { Card } from '../../ui/card';
import { ArrowRightIcon } from '../../ui/icons';
import { Page } from '../../ui/page';
import { PaymentNews } from './payment-news';
import { usePlanStatus } from './plan-status';
import { leaveSuccessFlag } from './return';
import styles from './subscription.module.css';

export default function PaymentSuccessPage() {
  const [query] = useSearchParams();
  const { status, settling } = usePlanStatus(true);
  const asked = query.get('plan');
  // The address says what was meant to be bought; what is held, the server.
  const plan = (settling === 'active' ? status?.plan_type : undefined) ?? (isPlan(asked) ? asked : undefined);

  useEffect(leaveSuccessFlag, []);

  return (
    <Page title="Il tuo pagamento">
      <div class={styles.stack}>
        <PaymentNews back="paid" settling={settling} />
        {plan && settling !== 'nothing' && (
          <Card kind="slip">
            <p class={styles.label}>Hai comprato</p>
            <p class={styles.plan}>
              {planName(plan)} {settling === 'active' && <span class={styles.badge}>ATTIVO</span>}
            </p>
          </Card>
        )}
        <div class={styles.ways}>
          {settling === 'active' && (
            <ButtonLink variant="primary" size="large" to="/app" icon={ArrowRightIcon}>
              Vai all'assistente
            </ButtonLink>
          )}
          <ButtonLink variant="quiet" to="/account/subscription">
            Il tuo abbonamento
          </ButtonLink>
        </div>
      </div>
    </Page>
  );
}
