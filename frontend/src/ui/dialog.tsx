// A question or a task that must be dealt with first. The browser's own <dialog>: it keeps the focus inside, makes the
// rest inert, closes on Esc and gives the focus back to what opened it.

import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'react';

import { IconButton } from './button';
import styles from './dialog.module.css';
import { CrossIcon } from './icons';

export interface DialogProps {
  open: boolean;
  title: string;
  /** Called for Esc, the cross and a press outside. The owner then sets `open` to false. */
  onClose: () => void;
  children: ComponentChildren;
  /** The buttons at the foot; the main one last. */
  actions?: ComponentChildren;
}

export function Dialog({ open, title, onClose, children, actions }: DialogProps) {
  const box = useRef<HTMLDialogElement>(null);
  const opener = useRef<Element | null>(null);
  const titleId = useId();

  useEffect(() => {
    const dialog = box.current;
    if (!dialog) return;
    if (open && !dialog.open) {
      opener.current = document.activeElement;
      dialog.showModal();
    }
    if (!open && dialog.open) {
      dialog.close();
      if (opener.current instanceof HTMLElement && opener.current.isConnected) opener.current.focus();
    }
  }, [open]);

  return (
    <dialog
      ref={box}
      class={styles.dialog}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        // The backdrop is the dialog itself; what is inside is a child.
        if (event.target === box.current) onClose();
      }}
    >
      {open && (
        <div class={styles.inside}>
          <div class={styles.head}>
            <h2 id={titleId}>{title}</h2>
            <IconButton icon={CrossIcon} label="Chiudi" onClick={onClose} />
          </div>
          {children}
          {actions && <div class={styles.actions}>{actions}</div>}
        </div>
      )}
    </dialog>
  );
}
