// The receipt of a withdrawal, to keep: on the slip, on paper, and as a file of plain text.

import type { Receipt } from '../../api/contract';
import { euro, momentText, planName } from '../../plans';
import { Button } from '../../ui/button';
import { Card } from '../../ui/card';
import { CopyIcon, PrintIcon } from '../../ui/icons';
import styles from './withdrawal.module.css';

/** What stands on it, line by line; the same on the screen and in the file. */
export function receiptLines(receipt: Receipt): readonly (readonly [name: string, text: string])[] {
  return [
    ['Numero', receipt.receipt],
    ['Data e ora del recesso', momentText(receipt.declared_at)],
    ['Contratto', `${planName(receipt.plan)}, comprato il ${momentText(receipt.bought_at)}`],
    ['Numero del contratto', receipt.contract],
    ['Nome', receipt.name],
    ['Indirizzo email', receipt.address],
    ['Hai pagato', euro(receipt.paid_cents / 100)],
    ['Ti torna', euro(receipt.refund_cents / 100)],
    ['Rimborso', refundText(receipt)],
  ];
}

function refundText({ refund_cents, refund_status }: Receipt): string {
  if (refund_cents === 0) return 'Nessun rimborso: i giorni pagati erano tutti usati.';
  return refund_status === 'done'
    ? 'Fatto. Lo vedi sulla carta con cui hai pagato, di solito in qualche giorno.'
    : 'In corso. Arriva sulla carta con cui hai pagato, al più tardi entro 14 giorni.';
}

export function receiptText(receipt: Receipt, seller: string): string {
  const lines = receiptLines(receipt).map(([name, text]) => `${name}: ${text}`);
  // Line ends that also the oldest editor of Windows shows as such.
  return [`${seller} - Ricevuta di recesso`, '', ...lines, ''].join('\r\n');
}

/** Hands a text to the browser's downloads. */
function save(name: string, text: string) {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/plain;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // Some browsers begin the download only after this turn.
  setTimeout(() => URL.revokeObjectURL(address), 1_000);
}

export function ReceiptSlip({ receipt, seller }: { receipt: Receipt; seller: string }) {
  return (
    <Card kind="slip">
      <p class={styles.seller}>{seller}</p>
      <h2>Ricevuta di recesso</h2>
      <dl class={styles.receipt}>
        {receiptLines(receipt).map(([name, text]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <div class="actions" data-print="never">
        <Button icon={PrintIcon} onClick={() => window.print()}>
          Stampa
        </Button>
        <Button icon={CopyIcon} onClick={() => save(`recesso-${receipt.receipt}.txt`, receiptText(receipt, seller))}>
          Salva
        </Button>
      </div>
    </Card>
  );
}
