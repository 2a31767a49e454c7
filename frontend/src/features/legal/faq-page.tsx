import { Page } from '../../ui/page';

export default function FaqPage() {
  return <Page title="Domande frequenti" />;
}
