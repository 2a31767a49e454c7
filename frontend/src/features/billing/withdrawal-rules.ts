// The words of a withdrawal that depend on figures, and what must be filled in for it.

import type { Contract } from '../../api/contract';
import { dayText, euro } from '../../plans';

/** The last whole day on which one can withdraw: the server gives the first moment at which it is too late. */
export function lastDayText({ deadline }: Contract): string {
  return dayText(new Date(Date.parse(deadline) - 1).toISOString());
}

/** How the refund was computed. */
export function refundReason({ immediate_start, days_used, days_total, paid_cents, refund_cents }: Contract): string {
  if (!immediate_start) return `Ti torna tutto quello che hai pagato: ${euro(paid_cents / 100)}.`;
  if (days_used === 0) return `Non hai ancora usato nessun giorno: ti torna tutto, ${euro(refund_cents / 100)}.`;
  const used = `Hai usato ${days_used} ${days_used === 1 ? 'giorno' : 'giorni'} su ${days_total}`;
  if (refund_cents === 0) return `${used}: non resta niente da rimborsare.`;
  return `${used}: dei ${euro(paid_cents / 100)} pagati ti torna la parte che non hai usato.`;
}

export interface Declaration {
  name: string;
  address: string;
}

/** What is wrong with each field, in words that say what to do. */
export function declarationErrors({ name, address }: Declaration): Partial<Record<keyof Declaration, string>> {
  const errors: Partial<Record<keyof Declaration, string>> = {};
  const trimmed = address.trim();
  if (!name.trim()) errors.name = 'Scrivi il tuo nome e cognome.';
  if (!trimmed) errors.address = "Scrivi l'indirizzo email a cui vuoi la ricevuta.";
  else if (!trimmed.includes('@')) errors.address = "Nell'indirizzo manca la chiocciola (@). Scrivilo così: nome@posta.it.";
  else if (!/^[^\s@]+@[^\s@]+\.[^\s@]{2,}$/.test(trimmed)) errors.address = "L'indirizzo non è completo. Scrivilo così: nome@posta.it.";
  return errors;
}
