import { Page } from '../../ui/page';

export default function SubscriptionPage() {
  return <Page title="Il tuo abbonamento" />;
}
