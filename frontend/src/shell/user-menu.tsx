// Who is signed in, what they hold, and where they can go from here.

import { useState } from 'react';
import { Link, useNavigate } from 'react-router-dom';

import type { User } from '../api/contract';
import { useOffers } from '../offers';
import { usePendingPayment } from '../pending-payment';
import { PERIODS, dayText, euro, isPlan, orderAddress, planName, type PlanName } from '../plans';
import { useSession } from '../session';
import { Button } from '../ui/button';
import { classNames } from '../ui/class-names';
import { CardIcon, ChartIcon, ChevronDownIcon, GearIcon, ListIcon, PersonIcon, SignOutIcon, type Icon } from '../ui/icons';
import { Popover } from '../ui/popover';
import styles from './user-menu.module.css';

const DOTS: Record<PlanName, string | undefined> = { trial: styles.trial, monthly: styles.monthly, annual: styles.annual };

export function UserMenu({ user }: { user: User }) {
  const { name } = useSession();
  const pending = usePendingPayment();
  const plan = user.subscription?.plan;
  return (
    <Popover
      buttonClass={styles.opener}
      panelClass={styles.panel}
      button={
        <>
          <Avatar user={user} />
          <span class="visually-hidden">Menu di </span>
          <span class={styles.who}>
            <span class={styles.name}>
              <span class={styles.nameText}>{name ?? 'Utente'}</span> {user.subscription && <span class={styles.pro}>PRO</span>}
            </span>
            <span class={styles.plan}>{!plan && pending ? 'Attivo tra poco' : planName(plan)}</span>
          </span>
          <ChevronDownIcon class={styles.chevron} />
        </>
      }
    >
      {(close) => <Menu user={user} close={close} />}
    </Popover>
  );
}

function Avatar({ user }: { user: User }) {
  const [unseen, setUnseen] = useState<string>();
  const plan = user.subscription?.plan;
  return (
    <span class={styles.avatar}>
      {user.picture && user.picture !== unseen ? (
        <img src={user.picture} alt="" width={40} height={40} referrerPolicy="no-referrer" onError={() => setUnseen(user.picture)} />
      ) : (
        <PersonIcon />
      )}
      <span class={classNames(styles.dot, isPlan(plan) ? DOTS[plan] : styles.none)} />
    </span>
  );
}

function Menu({ user, close }: { user: User; close: () => void }) {
  const { name, signOut } = useSession();
  const navigate = useNavigate();
  return (
    <>
      <div class={styles.head}>
        <Avatar user={user} />
        <div class={styles.identity}>
          <strong>{name ?? 'Utente'}</strong>
          <span class={styles.email}>{user.email}</span>
        </div>
      </div>
      <PlanCard user={user} close={close} />
      <ul role="list" class={styles.actions}>
        <Action to="/account/subscription" icon={CardIcon} onClick={close}>
          Gestisci Abbonamento
        </Action>
        <Action to="/richieste" icon={ListIcon} onClick={close}>
          Le mie richieste
        </Action>
        <Action to="/account/settings" icon={GearIcon} onClick={close}>
          Impostazioni
        </Action>
        {user.is_superuser && (
          <Action to="/admin/dashboard" icon={ChartIcon} onClick={close}>
            Admin Dashboard
          </Action>
        )}
        <li>
          <button
            type="button"
            class={classNames(styles.action, styles.leave)}
            onClick={() => {
              close();
              // Together: the page of somebody who is signed in must not be drawn for a stranger in between.
              navigate('/');
              void signOut();
            }}
          >
            <SignOutIcon /> Esci
          </button>
        </li>
      </ul>
    </>
  );
}

function Action({ to, icon: Sign, onClick, children }: { to: string; icon: Icon; onClick: () => void; children: string }) {
  return (
    <li>
      <Link to={to} class={styles.action} onClick={onClick}>
        <Sign /> {children}
      </Link>
    </li>
  );
}

function PlanCard({ user: { subscription }, close }: { user: User; close: () => void }) {
  const [open, setOpen] = useState(false);
  const pending = usePendingPayment();
  if (!subscription && pending) {
    return (
      <div class={styles.planCard}>
        <p class={styles.planLabel}>Piano attuale</p>
        <p>Pagamento ricevuto, attivo tra poco.</p>
      </div>
    );
  }
  return (
    <div class={styles.planCard}>
      <p class={styles.planLabel}>Piano attuale</p>
      <p class={styles.planName}>{planName(subscription?.plan)}</p>
      {subscription?.status === 'past_due' && (
        <p>
          <Link to="/account/subscription" onClick={close}>
            C'è un pagamento da sistemare
          </Link>
        </p>
      )}
      {subscription && subscription.status !== 'past_due' && (
        <p class={styles.planLabel}>
          {subscription.cancel_at_period_end || subscription.plan === 'trial' ? 'Finisce il' : 'Si rinnova il'} {dayText(subscription.current_period_end)}
        </p>
      )}
      {!subscription && (
        <>
          <Button variant="primary" wide aria-expanded={open} onClick={() => setOpen(!open)}>
            Attiva un Piano
          </Button>
          {open && <PlanList close={close} />}
        </>
      )}
    </div>
  );
}

function PlanList({ close }: { close: () => void }) {
  const offers = useOffers();
  return (
    <ul role="list" class={styles.offers}>
      {offers.map((offer) => (
        <li key={offer.plan}>
          <Link to={orderAddress(offer.plan)} class={styles.offer} onClick={close}>
            <strong>{offer.name}</strong>
            <span>{offer.description}</span>
            <span class={styles.offerPrice}>
              {euro(offer.amount)} {PERIODS[offer.plan]}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
