// What is said after a checkout: paid and active, paid and not active yet, or broken off. Never that there is no plan
// while a payment is on its way.

import { useInstallation } from '../../installation';
import { Notice } from '../../ui/notice';
import type { Settling } from './plan-status';
import type { Return } from './return';

export function PaymentNews({ back, settling }: { back: Return; settling: Settling }) {
  const { about } = useInstallation();
  if (back === 'turned-back') {
    return (
      <Notice kind="info" announce="later">
        <p>Pagamento annullato. Puoi riprovare quando vuoi.</p>
      </Notice>
    );
  }
  switch (settling) {
    case 'active':
      return (
        <Notice kind="success" announce="later">
          <p>Pagamento completato con successo! Il tuo abbonamento è ora attivo.</p>
        </Notice>
      );
    case 'waiting':
      return (
        <Notice kind="success" announce="later" title="Fatto">
          <p>Pagamento ricevuto, attivo tra poco.</p>
          <p>Non devi fare niente: questa pagina si aggiorna da sola.</p>
        </Notice>
      );
    case 'slow':
      return (
        <Notice kind="info" announce="later" title="Ci vuole un po' più del solito">
          <p>Pagamento ricevuto, attivo tra poco.</p>
          <p>
            Non pagare di nuovo: torna su questa pagina tra qualche minuto.
            {about && (
              <>
                {' '}
                Se non cambia niente, scrivi a <a href={`mailto:${about.support_address}`}>{about.support_address}</a>.
              </>
            )}
          </p>
        </Notice>
      );
    case 'nothing':
      return (
        <Notice kind="info" announce="later">
          <p>Non vediamo un pagamento nuovo. Se hai pagato adesso, aspetta qualche minuto e apri di nuovo questa pagina, prima di pagare un'altra volta.</p>
        </Notice>
      );
    default:
      return null;
  }
}
