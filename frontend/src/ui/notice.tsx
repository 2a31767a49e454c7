// Something the reader should know, where it concerns them. The sign and the word say what kind; colour only helps.

import type { ComponentChildren } from 'preact';

import { classNames } from './class-names';
import { ErrorIcon, InformationIcon, SuccessIcon, WarningIcon } from './icons';
import styles from './notice.module.css';

export type NoticeKind = 'info' | 'success' | 'warning' | 'error';

const KINDS = {
  info: { word: 'Informazione', icon: InformationIcon },
  success: { word: 'Fatto', icon: SuccessIcon },
  warning: { word: 'Attenzione', icon: WarningIcon },
  error: { word: 'Errore', icon: ErrorIcon },
} as const;

export interface NoticeProps {
  kind: NoticeKind;
  /** The word in bold. Without it, the kind's own. */
  title?: string;
  /**
   * How it is told to those who listen: `now` for what happened just now and matters, `later` for news that can
   * wait for a pause; without it, it is plain text of the page.
   */
  announce?: 'now' | 'later';
  class?: string;
  children: ComponentChildren;
}

export function Notice({ kind, title, announce, class: className, children }: NoticeProps) {
  const { word, icon: Sign } = KINDS[kind];
  const role = announce === 'now' ? 'alert' : announce === 'later' ? 'status' : undefined;
  return (
    <div class={classNames(styles.notice, styles[kind], className)} role={role}>
      <Sign class={styles.sign} />
      <div>
        <strong class={styles.title}>{title ?? word}</strong>
        <div class={styles.text}>{children}</div>
      </div>
    </div>
  );
}
