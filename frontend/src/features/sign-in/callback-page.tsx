import { Page } from '../../ui/page';

export default function CallbackPage() {
  return <Page title="Accesso" />;
}
