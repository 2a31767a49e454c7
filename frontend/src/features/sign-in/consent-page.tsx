// Before anything else: the minimum age and the terms. Asked at the first sign-in and whenever there are new terms.

import { useState } from 'react';

import { api, take } from '../../api/client';
import { Problem } from '../../api/problem';
import { useInstallation } from '../../installation';
import { useSession } from '../../session';
import { Button } from '../../ui/button';
import { Card } from '../../ui/card';
import { Checkbox } from '../../ui/field';
import { NewTab } from '../../ui/new-tab';
import { Notice } from '../../ui/notice';
import { Page } from '../../ui/page';
import styles from './sign-in.module.css';

const MISSING_AGE = "Per continuare, conferma la tua età: tocca il riquadro qui sotto.";
const MISSING_TERMS = 'Per continuare, accetta i termini: tocca il riquadro qui sotto.';

/** `onDone` is called when the server has kept the agreement. */
export default function ConsentPage({ onDone }: { onDone?: () => void }) {
  const { user, name, replaceUser, signOut } = useSession();
  const { about } = useInstallation();
  const [age, setAge] = useState(false);
  const [terms, setTerms] = useState(false);
  const [tried, setTried] = useState(false);
  const [sending, setSending] = useState(false);
  const [error, setError] = useState<string>();
  const version = user?.terms_version ?? about?.terms_version;
  const minimumAge = about?.minimum_age ?? 16;

  async function agree(event: Event) {
    event.preventDefault();
    setTried(true);
    if (!age || !terms || sending || !version) return;
    setSending(true);
    setError(undefined);
    try {
      replaceUser(await take(api.POST('/api/v1/account/consent', { body: { terms_version: version, minimum_age_confirmed: true } })));
      onDone?.();
    } catch (caught) {
      if (!(caught instanceof Problem)) throw caught;
      setError(caught.detail);
      setSending(false);
    }
  }

  return (
    <Page
      title="Prima di cominciare"
      heading={name ? `Ciao ${name}, due cose prima di cominciare` : undefined}
      lead="Ci servono solo queste due conferme, poi si comincia."
    >
      <Card>
        <form class={styles.form} onSubmit={(event) => void agree(event)} noValidate>
          <Checkbox
            label={`Ho almeno ${minimumAge} anni`}
            checked={age}
            onChange={(event) => setAge(event.currentTarget.checked)}
            error={tried && !age ? MISSING_AGE : undefined}
          />
          <Checkbox
            // To read without losing the ticks, and the plan that waits behind them.
            label={
              <>
                Ho letto e accetto i <NewTab to="/terms">Termini di Servizio</NewTab> e la <NewTab to="/privacy">Privacy Policy</NewTab>
              </>
            }
            checked={terms}
            onChange={(event) => setTerms(event.currentTarget.checked)}
            error={tried && !terms ? MISSING_TERMS : undefined}
          />
          {error && (
            <Notice kind="error" announce="now">
              {error}
            </Notice>
          )}
          <div class="actions">
            <Button type="submit" variant="primary" size="large" busy={sending} busyText="Un momento...">
              Continua
            </Button>
            <Button variant="quiet" onClick={() => void signOut()}>
              Esci
            </Button>
          </div>
        </form>
      </Card>
    </Page>
  );
}
