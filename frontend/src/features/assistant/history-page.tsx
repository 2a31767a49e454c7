// Holds the place of past answers until they are here.

import { Page } from '../../ui/page';

export default function HistoryPage() {
  return <Page title="Le mie richieste" />;
}
