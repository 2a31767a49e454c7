import { Page } from '../../ui/page';

export default function PrivacyPage() {
  return <Page title="Privacy Policy" />;
}
