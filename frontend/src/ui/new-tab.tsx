// A link that leaves the page as it is: what was filled in here stays, and what it leads to opens beside it.

import type { ComponentChildren } from 'preact';

export function NewTab({ to, children }: { to: string; children: ComponentChildren }) {
  return (
    <a href={to} target="_blank" rel="noopener">
      {children}
      <span class="visually-hidden"> (si apre in un'altra scheda)</span>
    </a>
  );
}
