// The first thing that is asked: what happens. Words, a picture, or both.

import { useCallback, useState } from 'react';

import { Button } from '../../ui/button';
import { useDraft } from '../../ui/draft';
import { TextArea } from '../../ui/field';
import { SearchIcon } from '../../ui/icons';
import { Notice } from '../../ui/notice';
import styles from './form.module.css';
import { ScreenshotDrop } from './screenshot-drop';
import { WhoAnswers } from './who-answers';

export const EXAMPLES = [
  'Il mio computer è diventato molto lento: ci mette minuti ad aprire qualsiasi cosa.',
  'Il WiFi risulta collegato, ma Internet non funziona.',
  'La stampante dice che è offline, ma è accesa e ha la carta.',
  'È comparsa una schermata blu con una scritta in inglese e il computer si è riavviato.',
] as const;

/** What is asked when there is only a picture. */
export const ABOUT_THE_IMAGE = "Analizza l'immagine caricata e aiutami a risolvere il problema";
const NOTHING_TO_SEND = 'Inserisci una descrizione del problema o carica uno screenshot per continuare';
/** Characters; the server takes no more. */
export const LONGEST_PROBLEM = 8_000;

export interface ProblemFormProps {
  /** Where the draft is kept. */
  draft: string;
  file: File | undefined;
  onFile: (file: File | undefined) => void;
  busy: boolean;
  /** Why the last try came to nothing. */
  failure: string | undefined;
  onSubmit: (text: string) => void;
}

export function ProblemForm({ draft, file, onFile, busy, failure, onSubmit }: ProblemFormProps) {
  const [text, setText] = useDraft(draft);
  const [told, setTold] = useState(false);
  const ready = text.trim() !== '' || file !== undefined;
  const chosen = useCallback((picture: File | undefined) => onFile(picture), [onFile]);

  return (
    <form
      class={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (busy) return;
        setTold(!ready);
        if (ready) onSubmit(text.trim() || ABOUT_THE_IMAGE);
      }}
    >
      {failure && (
        <Notice kind="error" title="Non ci siamo riusciti" announce="now">
          <p>{failure}</p>
          <p>Quello che hai scritto è ancora qui: puoi riprovare.</p>
        </Notice>
      )}
      <TextArea
        label="Descrivi il tuo problema"
        hint="Con parole tue: che cosa volevi fare, che cosa è successo, che cosa c'è scritto sullo schermo."
        value={text}
        rows={6}
        maxLength={LONGEST_PROBLEM}
        disabled={busy}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setTold(false);
        }}
      />
      <div class={styles.examples} role="group" aria-label="Esempi di problemi">
        <p class={styles.hint}>Per esempio:</p>
        <ul role="list">
          {EXAMPLES.map((example) => (
            <li key={example}>
              <button type="button" class={styles.example} disabled={busy} onClick={() => setText(example)}>
                {example}
              </button>
            </li>
          ))}
        </ul>
      </div>
      <ScreenshotDrop file={file} onFile={chosen} disabled={busy} />
      <WhoAnswers />
      <div class={styles.send}>
        <Button type="submit" variant="primary" size="large" icon={SearchIcon} disabled={!ready && !busy} busy={busy} busyText="Analisi in corso...">
          Trova la soluzione
        </Button>
        <div aria-live="polite">{!ready && <p class={told ? styles.told : styles.hint}>{NOTHING_TO_SEND}</p>}</div>
      </div>
    </form>
  );
}
