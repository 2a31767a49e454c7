// What a person can set: how they are called, how the page looks, what reaches them, how answers are written and kept.

import type { ComponentChildren } from 'preact';
import { useEffect, useId, useState } from 'react';

import { RESPONSE_FORMATS, preferences, setPreference, type Preferences, type ResponseFormat } from '../../preferences';
import { chooseDisplayName, useSession } from '../../session';
import { Button, ButtonLink } from '../../ui/button';
import { Card } from '../../ui/card';
import { Checkbox, Field } from '../../ui/field';
import { ArrowLeftIcon, CheckIcon, PencilIcon } from '../../ui/icons';
import { Page } from '../../ui/page';
import { RadioGroup } from '../../ui/radio-group';
import { Spinner } from '../../ui/spinner';
import { TextSizeControl } from '../../ui/text-size-control';
import { useTheme } from '../../ui/theme';
import styles from './settings.module.css';

/** Milliseconds for which 'Salvato' stands. */
export const SAVED_SHOWN = 3_000;

const FORMATS: Record<ResponseFormat, { name: string; hint: string }> = {
  detailed: { name: 'Dettagliata', hint: 'Ogni passo è spiegato per bene.' },
  concise: { name: 'Breve', hint: 'Solo quello che c\'è da fare.' },
  technical: { name: 'Tecnica', hint: 'Con i termini del mestiere.' },
};

/** That something was kept, for a moment. */
function useSaved(): [saved: boolean, tell: () => void] {
  const [times, setTimes] = useState(0);
  const [saved, setSaved] = useState(false);
  useEffect(() => {
    if (times === 0) return;
    setSaved(true);
    const timer = setTimeout(() => setSaved(false), SAVED_SHOWN);
    return () => clearTimeout(timer);
  }, [times]);
  return [saved, () => setTimes((one) => one + 1)];
}

function Saved({ shown }: { shown: boolean }) {
  return (
    <span role="status" class={styles.saved}>
      {shown && (
        <>
          <CheckIcon /> Salvato
        </>
      )}
    </span>
  );
}

export default function SettingsPage() {
  const { user } = useSession();
  if (!user) return <Spinner place="page" text="Caricamento..." />;
  return (
    <Page title="Impostazioni Account">
      <div class={styles.stack}>
        <p>
          <ButtonLink variant="quiet" icon={ArrowLeftIcon} to="/app">
            Torna all'assistente
          </ButtonLink>
        </p>
        <Profile email={user.email} />
        <Looks />
        <Notifications />
        <Answers />
      </div>
    </Page>
  );
}

function Section({ title, saved, children }: { title: string; saved?: boolean; children: ComponentChildren }) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <Card class={styles.section}>
        <div class={styles.head}>
          <h2 id={id}>{title}</h2>
          {saved !== undefined && <Saved shown={saved} />}
        </div>
        {children}
      </Card>
    </section>
  );
}

function Profile({ email }: { email: string }) {
  const { name } = useSession();
  const [edited, setEdited] = useState<string>();
  const [saved, tellSaved] = useSaved();

  function save(event: Event) {
    event.preventDefault();
    if (edited === undefined) return;
    chooseDisplayName(edited);
    setEdited(undefined);
    tellSaved();
  }

  return (
    <Section title="Profilo" saved={saved}>
      <form class={styles.form} onSubmit={save}>
        <Field
          label="Come vuoi essere chiamato"
          value={edited ?? name ?? ''}
          readOnly={edited === undefined}
          autoComplete="nickname"
          maxLength={80}
          onInput={(event) => setEdited(event.currentTarget.value)}
        />
        <Field label="Email" type="email" value={email} readOnly hint="È quella del tuo account Google: qui non si cambia." />
        <div>
          {edited === undefined ? (
            <Button icon={PencilIcon} onClick={() => setEdited(name ?? '')}>
              Modifica
            </Button>
          ) : (
            <Button type="submit" variant="primary" icon={CheckIcon}>
              Salva
            </Button>
          )}
        </div>
      </form>
    </Section>
  );
}

function Looks() {
  const { theme, choose } = useTheme();
  return (
    <Section title="Aspetto">
      <RadioGroup
        legend="Colori"
        value={theme}
        options={[
          { value: 'light', name: 'Chiari' },
          { value: 'dark', name: 'Scuri' },
        ]}
        onChoose={choose}
      />
      <TextSizeControl />
    </Section>
  );
}

function usePreferences() {
  const [all, setAll] = useState(preferences);
  const [saved, tellSaved] = useSaved();
  function set<Name extends keyof Preferences>(name: Name, value: Preferences[Name]) {
    setAll({ ...all, [name]: value });
    if (setPreference(name, value)) tellSaved();
  }
  return { all, set, saved };
}

function Notifications() {
  const { all, set, saved } = usePreferences();
  return (
    <Section title="Notifiche" saved={saved}>
      <Checkbox
        label="Avvisi sul mio account"
        hint="Per esempio: il piano sta per finire."
        checked={all.email_notifications}
        onChange={(event) => set('email_notifications', event.currentTarget.checked)}
      />
      <Checkbox
        label="Novità e offerte"
        hint="Poche email, e solo se le vuoi."
        checked={all.marketing_emails}
        onChange={(event) => set('marketing_emails', event.currentTarget.checked)}
      />
    </Section>
  );
}

function Answers() {
  const { all, set, saved } = usePreferences();
  return (
    <Section title="Privacy e Dati" saved={saved}>
      <RadioGroup
        legend="Come vuoi le risposte"
        value={all.response_format}
        options={RESPONSE_FORMATS.map((value) => ({ value, ...FORMATS[value] }))}
        onChoose={(value) => set('response_format', value)}
      />
      <Checkbox
        label="Conserva le mie richieste"
        hint="Così le ritrovi in “Le mie richieste”. Se lo togli, di quello che scrivi non resta niente quando chiudi la pagina."
        checked={all.save_conversations}
        onChange={(event) => set('save_conversations', event.currentTarget.checked)}
      />
    </Section>
  );
}
