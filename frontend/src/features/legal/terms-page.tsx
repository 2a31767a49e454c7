import { Page } from '../../ui/page';

export default function TermsPage() {
  return <Page title="Termini di Servizio" />;
}
