import { Page } from '../../ui/page';

export default function SettingsPage() {
  return <Page title="Impostazioni Account" />;
}
