// An address that leads nowhere.

import { ButtonLink } from '../../ui/button';
import { ArrowLeftIcon } from '../../ui/icons';
import { Page } from '../../ui/page';

export default function NotFoundPage() {
  return (
    <Page title="Pagina non trovata" lead="A questo indirizzo non c'è niente. Forse manca una lettera, o la pagina è stata tolta.">
      <p class="actions">
        <ButtonLink variant="primary" icon={ArrowLeftIcon} to="/">
          Torna alla Home
        </ButtonLink>
        <ButtonLink to="/faq">Domande frequenti</ButtonLink>
      </p>
    </Page>
  );
}
