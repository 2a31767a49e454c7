// Links that leave the page as it is: what was filled in here stays, and what they lead to opens beside it.

import type { ComponentChildren } from 'preact';

import { look, type Looks } from './button';

interface NewTabProps {
  to: string;
  class?: string;
  children: ComponentChildren;
}

export function NewTab({ to, class: className, children }: NewTabProps) {
  return (
    <a href={to} target="_blank" rel="noopener" class={className}>
      {children}
      <span class="visually-hidden"> (si apre in un'altra scheda)</span>
    </a>
  );
}

/** The same, with the looks of a button. */
export function NewTabButton({ to, icon: Sign, children, ...looks }: Looks & { to: string }) {
  return (
    <NewTab to={to} class={look({ ...looks, children })}>
      {Sign && <Sign />}
      <span>{children}</span>
    </NewTab>
  );
}
