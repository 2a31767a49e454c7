// Holds the place of the assistant until it is here.

import { Page } from '../../ui/page';

export default function AssistantPage() {
  return <Page title="Come posso aiutarti oggi?" />;
}
