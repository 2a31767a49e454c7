// Withdrawing from a contract within 14 days: which one, what comes back, the declaration, and the receipt to keep.
// The receipts that were given before stand below.

import { useEffect, useId, useRef, useState } from 'react';
import { Link } from 'react-router-dom';

import type { Contract, Receipt } from '../../api/contract';
import { withdraw, withdrawals, type Withdrawals } from '../../api/payment';
import { Problem } from '../../api/problem';
import { useInstallation } from '../../installation';
import { dayText, euro, momentText, planName } from '../../plans';
import { useSession } from '../../session';
import { Button } from '../../ui/button';
import { Card } from '../../ui/card';
import { Field } from '../../ui/field';
import { Notice } from '../../ui/notice';
import { Page } from '../../ui/page';
import { RadioGroup } from '../../ui/radio-group';
import { Spinner } from '../../ui/spinner';
import { ReceiptSlip } from './receipt-slip';
import { ToldError } from './told-error';
import { declarationErrors, lastDayText, refundReason } from './withdrawal-rules';
import styles from './withdrawal.module.css';

export default function WithdrawalPage() {
  const { refresh } = useSession();
  const { about } = useInstallation();
  const [known, setKnown] = useState<Withdrawals>();
  const [failure, setFailure] = useState<string>();
  const [given, setGiven] = useState<Receipt>();
  const [open, setOpen] = useState<string>();

  async function load() {
    setFailure(undefined);
    try {
      setKnown(await withdrawals());
    } catch (caught) {
      if (!(caught instanceof Problem)) throw caught;
      setFailure(caught.detail);
    }
  }
  useEffect(() => void load(), []);

  async function done(receipt: Receipt) {
    setGiven(receipt);
    setOpen(undefined);
    await Promise.all([load(), refresh()]);
  }

  const seller = about?.name ?? 'Rimedio';
  const earlier = known?.receipts.filter(({ receipt }) => receipt !== given?.receipt) ?? [];
  return (
    <Page title="Recedi dal contratto" lead={given ? undefined : 'Hai 14 giorni da quando hai comprato per cambiare idea, senza dire perché.'}>
      <div class={styles.stack}>
        {given ? (
          <Given receipt={given} seller={seller} />
        ) : known ? (
          <Declaring contracts={known.contracts} onDone={done} onStale={() => void load()} />
        ) : failure ? (
          <Notice kind="error" announce="now">
            <p>{failure}</p>
            <Button onClick={() => void load()}>Riprova</Button>
          </Notice>
        ) : (
          <Spinner text="Caricamento..." />
        )}
        {earlier.length > 0 && (
          <section aria-labelledby="receipts-heading" data-print={open ? undefined : 'never'}>
            <h2 id="receipts-heading" class={styles.heading} data-print="never">
              Le tue ricevute
            </h2>
            <ul role="list" class={styles.receipts}>
              {earlier.map((receipt) => (
                <li key={receipt.receipt}>
                  <Button
                    variant="secondary"
                    wide
                    aria-expanded={open === receipt.receipt}
                    data-print="never"
                    onClick={() => {
                      setGiven(undefined);
                      setOpen(open === receipt.receipt ? undefined : receipt.receipt);
                    }}
                  >
                    {`${planName(receipt.plan)}, ${dayText(receipt.declared_at)}`}
                  </Button>
                  {open === receipt.receipt && <ReceiptSlip receipt={receipt} seller={seller} />}
                </li>
              ))}
            </ul>
          </section>
        )}
        <p data-print="never">
          <Link to="/account/subscription">Torna al tuo abbonamento</Link>
        </p>
      </div>
    </Page>
  );
}

function Given({ receipt, seller }: { receipt: Receipt; seller: string }) {
  const place = useRef<HTMLDivElement>(null);
  // The form with the focus is gone: what came in its place takes it.
  useEffect(() => {
    place.current?.focus();
    place.current?.scrollIntoView();
  }, []);
  return (
    <div ref={place} tabIndex={-1} class={styles.stack}>
      <div data-print="never">
        <Notice kind="success" title="Recesso fatto" announce="later">
          <p>Il contratto è finito. Questa è la tua ricevuta: stampala o salvala.</p>
        </Notice>
      </div>
      <ReceiptSlip receipt={receipt} seller={seller} />
    </div>
  );
}

interface DeclaringProps {
  contracts: readonly Contract[];
  onDone: (receipt: Receipt) => Promise<void>;
  /** What is shown is no longer so. */
  onStale: () => void;
}

function Declaring({ contracts, onDone, onStale }: DeclaringProps) {
  const { user } = useSession();
  const [chosen, setChosen] = useState<string>();
  const [name, setName] = useState(user?.full_name || user?.name || '');
  const [address, setAddress] = useState(user?.email ?? '');
  const [tried, setTried] = useState(false);
  const [sending, setSending] = useState(false);
  const [failure, setFailure] = useState<string>();
  const id = useId();
  const contract = contracts.find((one) => one.contract === chosen) ?? contracts[0];

  const told = failure && (
    <ToldError>
      <p>{failure}</p>
    </ToldError>
  );
  if (!contract) {
    return (
      <>
        {told}
        <Notice kind="info">
          <p>Adesso non c'è un contratto da cui recedere: i 14 giorni sono passati, oppure non hai comprato un piano.</p>
          <p>Un piano che si rinnova si può sempre disdire da “Il tuo abbonamento”.</p>
        </Notice>
      </>
    );
  }

  const errors = tried ? declarationErrors({ name, address }) : {};

  async function confirmIt(event: Event) {
    event.preventDefault();
    if (sending || !contract) return;
    setTried(true);
    const wrong = declarationErrors({ name, address });
    const first = wrong.name ? 'name' : wrong.address ? 'address' : undefined;
    if (first) {
      document.getElementById(`${id}-${first}`)?.focus();
      return;
    }
    setSending(true);
    setFailure(undefined);
    try {
      await onDone(await withdraw({ contract: contract.contract, name: name.trim(), address: address.trim() }));
    } catch (caught) {
      setSending(false);
      if (!(caught instanceof Problem)) throw caught;
      setFailure(caught.detail);
      if (caught.status === 404 || caught.status === 409) onStale();
    }
  }

  return (
    <form class={styles.stack} data-print="never" onSubmit={(event) => void confirmIt(event)} noValidate>
      {contracts.length > 1 && (
        <RadioGroup
          legend="Da quale contratto vuoi recedere?"
          value={contract.contract}
          options={contracts.map((one) => ({ value: one.contract, name: planName(one.plan), hint: `Comprato il ${momentText(one.bought_at)}` }))}
          onChoose={setChosen}
        />
      )}
      <Card class={styles.contract}>
        <h2>{planName(contract.plan)}</h2>
        <p>Comprato il {momentText(contract.bought_at)}. Puoi recedere fino al {lastDayText(contract)} compreso.</p>
        <p class={styles.refund}>
          <span>Ti torna</span> <strong>{euro(contract.refund_cents / 100)}</strong>
        </p>
        <p>{refundReason(contract)}</p>
        <p>Il rimborso arriva sulla carta con cui hai pagato. Il piano finisce subito, e non si rinnova.</p>
      </Card>
      <Field id={`${id}-name`} label="Nome e cognome" autoComplete="name" value={name} error={errors.name} onInput={(event) => setName(event.currentTarget.value)} />
      <Field
        id={`${id}-address`}
        type="email"
        label="Indirizzo email per la ricevuta"
        hint="Sta scritto sulla ricevuta, insieme al tuo nome."
        autoComplete="email"
        value={address}
        error={errors.address}
        onInput={(event) => setAddress(event.currentTarget.value)}
      />
      {told}
      <p>Con “Conferma recesso” dichiari di recedere da questo contratto.</p>
      <div class={styles.buttons}>
        <Button type="submit" variant="danger" size="large" busy={sending} busyText="Un momento...">
          Conferma recesso
        </Button>
      </div>
    </form>
  );
}
