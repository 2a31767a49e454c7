// Short news at the foot of the window. react-hot-toast keeps the list; it is drawn here, because the library's own
// drawing injects a style sheet, which the content security policy refuses.
//
// Features import `toast` from 'react-hot-toast/headless' and nothing else of it. Durations and the limit of 20 at
// once are those of the specification. News never holds the only way to do something: it goes away by itself.

import { resolveValue, useToaster, type Toast } from 'react-hot-toast/headless';
import toast from 'react-hot-toast/headless';

import { IconButton } from './button';
import { classNames } from './class-names';
import { CrossIcon, ErrorIcon, InformationIcon, SuccessIcon } from './icons';
import styles from './toasts.module.css';

/** Milliseconds. */
export const TOAST_DURATIONS = {
  blank: { duration: 4000 },
  error: { duration: 4000 },
  custom: { duration: 4000 },
  success: { duration: 2000 },
  loading: { duration: Infinity },
} as const;

function Sign({ type }: { type: Toast['type'] }) {
  if (type === 'success') return <SuccessIcon class={styles.success} />;
  if (type === 'error') return <ErrorIcon class={styles.error} />;
  if (type === 'loading') return <span class={styles.turning} aria-hidden="true" />;
  return <InformationIcon />;
}

/** Stands once, at the end of the page. */
export function Toasts() {
  const { toasts, handlers } = useToaster({ ...TOAST_DURATIONS });
  return (
    <div
      class={styles.place}
      data-print="never"
      onMouseEnter={handlers.startPause}
      onMouseLeave={handlers.endPause}
      onFocusCapture={handlers.startPause}
      onBlurCapture={handlers.endPause}
    >
      {/* The region is there before its first news: a region that appears together with its text is often not read. */}
      <div role="log" aria-live="polite" aria-relevant="additions" aria-label="Avvisi" class={styles.list}>
        {toasts
          .filter((one) => one.visible)
          .map((one) => (
            <div key={one.id} class={classNames(styles.toast, one.className)}>
              {one.type !== 'custom' && <Sign type={one.type} />}
              {one.type === 'error' && <span class="visually-hidden">Errore: </span>}
              <div class={styles.text}>{resolveValue(one.message, one)}</div>
              {one.type !== 'loading' && (
                <IconButton icon={CrossIcon} label="Chiudi l'avviso" class={styles.close} onClick={() => toast.dismiss(one.id)} />
              )}
            </div>
          ))}
      </div>
    </div>
  );
}
