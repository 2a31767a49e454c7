// A payment that did not go through: what is wrong, how long everything still works, and the way to put it right.

import type { PlanStatus } from '../../api/contract';
import { dayText } from '../../plans';
import { ExternalIcon } from '../../ui/icons';
import { NewTabButton } from '../../ui/new-tab';
import { Notice } from '../../ui/notice';

interface Words {
  title: string;
  why: string;
  link: string;
}

const PROBLEMS: Record<NonNullable<PlanStatus['payment_problem']>, Words> = {
  bank_confirmation: {
    title: 'Conferma il pagamento',
    why: "Per l'ultimo rinnovo la tua banca chiede una conferma.",
    link: 'Conferma il pagamento',
  },
  payment_failed: {
    title: "L'ultimo pagamento non è riuscito",
    why: 'Forse la carta è scaduta, o sul conto mancavano i soldi.',
    link: 'Paga adesso',
  },
};

function whatNext(accessUntil: string, over: boolean): string {
  const day = dayText(accessUntil);
  if (over || Date.parse(accessUntil) < Date.now()) return `Il servizio si è fermato il ${day}. Riparte appena il pagamento riesce.`;
  return `Puoi usare il servizio fino al ${day}. Poi si ferma, finché il pagamento non riesce.`;
}

export interface PaymentProblemProps {
  problem: keyof typeof PROBLEMS;
  payUrl: string | undefined;
  accessUntil: string | undefined;
  /** The grace is over, by the server's clock. */
  over?: boolean;
}

export function PaymentProblem({ problem, payUrl, accessUntil, over = false }: PaymentProblemProps) {
  const { title, why, link } = PROBLEMS[problem];
  return (
    <Notice kind="warning" title={title}>
      <p>
        {why}
        {accessUntil && ` ${whatNext(accessUntil, over)}`}
      </p>
      {payUrl ? (
        <p>
          <NewTabButton icon={ExternalIcon} to={payUrl}>
            {link}
          </NewTabButton>
        </p>
      ) : (
        <p>Apri “Gestisci pagamenti” e controlla la carta.</p>
      )}
    </Notice>
  );
}
