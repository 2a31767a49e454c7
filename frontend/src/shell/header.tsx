// The head of every page: who we are, the way to the questions, how it looks, and who is here.

import { Suspense, lazy } from 'react';
import { Link, NavLink } from 'react-router-dom';

import { TAGLINE, useInstallation } from '../installation';
import { useSession } from '../session';
import { ButtonLink, IconButton } from '../ui/button';
import { MoonIcon, SunIcon, TextSizeIcon } from '../ui/icons';
import { Mark } from '../ui/mark';
import { Popover } from '../ui/popover';
import { TextSizeControl } from '../ui/text-size-control';
import { useTheme } from '../ui/theme';
import styles from './header.module.css';

// Strangers have no use for it.
const UserMenu = lazy(() => import('./user-menu').then(({ UserMenu }) => ({ default: UserMenu })));

export function Header() {
  const { about } = useInstallation();
  return (
    <header class={styles.header} data-print="never">
      <div class={styles.bar}>
        <Link to="/" class={styles.brand}>
          <Mark class={styles.mark} />
          <span class={styles.words}>
            <span class={styles.name}>{about?.name ?? 'Rimedio'}</span>
            <span class={styles.tagline}>{about?.tagline ?? TAGLINE}</span>
          </span>
        </Link>
        <nav class={styles.tools} aria-label="Principale">
          <NavLink to="/faq" className={styles.faq}>
            FAQ
          </NavLink>
          <Popover label="Dimensione del testo" button={<TextSizeIcon class={styles.sign} />}>
            {() => <TextSizeControl />}
          </Popover>
          <ThemeToggle />
          <Who />
        </nav>
      </div>
    </header>
  );
}

function ThemeToggle() {
  const { theme, choose } = useTheme();
  const dark = theme === 'dark';
  return (
    <IconButton
      icon={dark ? SunIcon : MoonIcon}
      label={dark ? 'Attiva modalità chiara' : 'Attiva modalità scura'}
      onClick={() => choose(dark ? 'light' : 'dark')}
    />
  );
}

function Who() {
  const { state, user } = useSession();
  const placeholder = (
    <span class={styles.placeholder}>
      <span class="visually-hidden">Caricamento...</span>
    </span>
  );
  if (state === 'loading') return placeholder;
  if (user) {
    return (
      <Suspense fallback={placeholder}>
        <UserMenu user={user} />
      </Suspense>
    );
  }
  return (
    <ButtonLink to="/login" class={styles.signIn}>
      Accedi
    </ButtonLink>
  );
}
