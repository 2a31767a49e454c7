// What is pressed. `Button` does something here; `ButtonLink` goes somewhere in the product; `ButtonAddress` leaves it
// (a link for the browser, such as the way to Google). All three look alike because people press them alike.

import type { ComponentChildren, ComponentProps } from 'preact';
import { Link } from 'react-router-dom';

import styles from './button.module.css';
import { classNames } from './class-names';
import type { Icon } from './icons';

/** `primary` once a page; `secondary` for the other choices; `quiet` inside cards; `danger` for what cannot be undone. */
export type ButtonVariant = 'primary' | 'secondary' | 'quiet' | 'danger';

export interface Looks {
  variant?: ButtonVariant;
  /** `large` for the one thing that a page is for. */
  size?: 'normal' | 'large';
  /** A sign before the words. */
  icon?: Icon;
  /** As wide as what it stands in. */
  wide?: boolean;
  class?: string;
  children: ComponentChildren;
}

/** The class of whatever is to look like a button. */
export function look({ variant = 'secondary', size = 'normal', wide, class: className }: Looks): string {
  return classNames(styles.button, styles[variant], size === 'large' && styles.large, wide && styles.wide, className);
}

export interface ButtonProps extends Looks, Omit<ComponentProps<'button'>, keyof Looks | 'size' | 'icon'> {
  /** Work goes on: the button stays where it is, keeps the focus, and does nothing more when pressed. */
  busy?: boolean;
  /** What it says meanwhile; without it the words stay. */
  busyText?: string;
}

export function Button({ variant, size, icon: Sign, wide, class: className, children, busy, busyText, onClick, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      class={look({ variant, size, wide, class: className, children })}
      // Not `disabled`, which would drop the focus to the top of the page.
      aria-disabled={busy || undefined}
      aria-busy={busy || undefined}
      onClick={(event) => {
        if (busy) {
          event.preventDefault();
          return;
        }
        onClick?.(event);
      }}
    >
      {busy ? <span class={styles.turning} aria-hidden="true" /> : Sign && <Sign />}
      <span>{busy && busyText ? busyText : children}</span>
    </button>
  );
}

export interface ButtonLinkProps extends Looks {
  to: string;
  onClick?: () => void;
}

export function ButtonLink({ to, onClick, icon: Sign, children, ...looks }: ButtonLinkProps) {
  return (
    <Link to={to} onClick={onClick} class={look({ ...looks, children })}>
      {Sign && <Sign />}
      <span>{children}</span>
    </Link>
  );
}

export interface ButtonAddressProps extends Looks {
  href: string;
}

export function ButtonAddress({ href, icon: Sign, children, ...looks }: ButtonAddressProps) {
  return (
    <a href={href} class={look({ ...looks, children })}>
      {Sign && <Sign />}
      <span>{children}</span>
    </a>
  );
}

export interface IconButtonProps extends Omit<ComponentProps<'button'>, 'icon' | 'class' | 'children' | 'label'> {
  icon: Icon;
  /** What it does, for those who cannot see the sign. */
  label: string;
  class?: string;
}

/** A sign alone. Only where the sign is known to everybody and room is short. */
export function IconButton({ icon: Sign, label, class: className, ...rest }: IconButtonProps) {
  return (
    <button type="button" {...rest} class={classNames(styles.iconButton, className)} aria-label={label} title={label}>
      <Sign />
    </button>
  );
}
