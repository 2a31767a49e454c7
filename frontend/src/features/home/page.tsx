import { ButtonLink } from '../../ui/button';
import { Page } from '../../ui/page';

export default function HomePage() {
  return (
    <Page title="Rimedio" heading="Il computer fa i capricci? C'è rimedio.">
      <ButtonLink variant="primary" to="/login">
        Accedi
      </ButtonLink>
    </Page>
  );
}
