// A button and what unfolds below it: a menu, a choice. Closes on Esc (the focus goes back to the button), on a press
// outside, and when the focus leaves; the arrow keys, Home and End walk through what can be focused inside. A
// disclosure and not `role="menu"`, because what unfolds may hold more than commands.

import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'react';

import { classNames } from './class-names';
import styles from './popover.module.css';

const FOCUSABLE = 'a[href], button:not(:disabled), input:not(:disabled)';

export interface PopoverProps {
  /** The name of the button when its content is no text. */
  label?: string;
  /** What the button shows. */
  button: ComponentChildren;
  buttonClass?: string;
  panelClass?: string;
  /** What unfolds. `close` folds it again, for what leads elsewhere. */
  children: (close: () => void) => ComponentChildren;
}

export function Popover({ label, button, buttonClass, panelClass, children }: PopoverProps) {
  const [open, setOpen] = useState(false);
  const whole = useRef<HTMLDivElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const panelId = useId();

  useEffect(() => {
    if (!open) return;
    const onOutside = (event: Event) => {
      if (event.target instanceof Node && !whole.current?.contains(event.target)) setOpen(false);
    };
    document.addEventListener('pointerdown', onOutside);
    document.addEventListener('focusin', onOutside);
    return () => {
      document.removeEventListener('pointerdown', onOutside);
      document.removeEventListener('focusin', onOutside);
    };
  }, [open]);

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'Escape' && open) {
      event.stopPropagation();
      setOpen(false);
      opener.current?.focus();
      return;
    }
    if (!['ArrowDown', 'ArrowUp', 'Home', 'End'].includes(event.key)) return;
    // In a group of radio buttons the arrows choose, as everywhere.
    if (event.target instanceof HTMLInputElement) return;
    event.preventDefault();
    if (!open) {
      setOpen(true);
      requestAnimationFrame(() => panel.current?.querySelector<HTMLElement>(FOCUSABLE)?.focus());
      return;
    }
    const inside = [...(panel.current?.querySelectorAll<HTMLElement>(FOCUSABLE) ?? [])];
    const at = inside.indexOf(document.activeElement as HTMLElement);
    const last = inside.length - 1;
    const next = { ArrowDown: at >= last ? 0 : at + 1, ArrowUp: at <= 0 ? last : at - 1, Home: 0, End: last }[event.key] ?? 0;
    inside[next]?.focus();
  }

  return (
    <div class={styles.whole} ref={whole} onKeyDown={onKeyDown}>
      <button
        ref={opener}
        type="button"
        class={classNames(styles.button, buttonClass)}
        aria-label={label}
        title={label}
        aria-expanded={open}
        aria-controls={panelId}
        onClick={() => setOpen(!open)}
      >
        {button}
      </button>
      <div id={panelId} ref={panel} hidden={!open} class={classNames(styles.panel, panelClass)}>
        {open && children(() => setOpen(false))}
      </div>
    </div>
  );
}
