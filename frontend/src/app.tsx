// The whole of the product in the browser: which address shows what, to whom, and what surrounds every page. The home
// page is part of the first script because it is what a stranger sees first; every other page comes when it is asked for.

import type { ComponentChildren } from 'preact';
import { Suspense, lazy, type ComponentType } from 'react';
import { BrowserRouter, Route, Routes, useLocation } from 'react-router-dom';

import { ErrorBoundary } from './error-boundary';
import HomePage from './features/home/page';
import { SignedInOnly, SubscribersOnly } from './guards';
import { InstallationProvider, useInstallation } from './installation';
import { SessionProvider, useSession } from './session';
import { SessionEnd } from './session-end';
import { Shell } from './shell/shell';
import { SiteName } from './ui/page';
import { Spinner } from './ui/spinner';

type Access = 'everybody' | 'signed-in' | 'subscribers';

interface Screen {
  path: string;
  access: Access;
  page: ComponentType;
}

const AssistantPage = lazy(() => import('./features/assistant/page'));
const HistoryPage = lazy(() => import('./features/assistant/history-page'));
const ConsentPage = lazy(() => import('./features/sign-in/consent-page'));
const CallbackPage = lazy(() => import('./features/sign-in/callback-page'));

const SCREENS: readonly Screen[] = [
  { path: '/', access: 'everybody', page: HomePage },
  { path: '/login', access: 'everybody', page: lazy(() => import('./features/sign-in/login-page')) },
  { path: '/auth/callback', access: 'everybody', page: CallbackPage },
  { path: '/auth/success', access: 'everybody', page: CallbackPage },
  { path: '/privacy', access: 'everybody', page: lazy(() => import('./features/legal/privacy-page')) },
  { path: '/terms', access: 'everybody', page: lazy(() => import('./features/legal/terms-page')) },
  { path: '/faq', access: 'everybody', page: lazy(() => import('./features/legal/faq-page')) },
  { path: '/app', access: 'subscribers', page: AssistantPage },
  { path: '/richieste', access: 'signed-in', page: HistoryPage },
  { path: '/richieste/:id', access: 'signed-in', page: HistoryPage },
  { path: '/account/subscription', access: 'signed-in', page: lazy(() => import('./features/billing/subscription-page')) },
  { path: '/account/ordine', access: 'signed-in', page: lazy(() => import('./features/billing/order-page')) },
  { path: '/account/recesso', access: 'signed-in', page: lazy(() => import('./features/billing/withdrawal-page')) },
  { path: '/account/settings', access: 'signed-in', page: lazy(() => import('./features/account/settings-page')) },
  { path: '/payment-success', access: 'signed-in', page: lazy(() => import('./features/billing/payment-success-page')) },
  { path: '/stripe-test', access: 'signed-in', page: lazy(() => import('./features/billing/checkout-test-page')) },
  { path: '/stripe-test-simple', access: 'everybody', page: lazy(() => import('./features/billing/simple-checkout-test-page')) },
  { path: '*', access: 'everybody', page: lazy(() => import('./features/legal/not-found-page')) },
];

function guarded({ access, page: Content }: Screen) {
  if (access === 'subscribers') {
    return (
      <SubscribersOnly>
        <Content />
      </SubscribersOnly>
    );
  }
  if (access === 'signed-in') {
    return (
      <SignedInOnly>
        <Content />
      </SignedInOnly>
    );
  }
  return <Content />;
}

/** What may be read before the terms are agreed to: the terms themselves, and how the sign-in ends. */
const BEFORE_CONSENT = ['/privacy', '/terms', '/auth/callback', '/auth/success'];

/** Nothing comes before the agreement to the terms. */
function ConsentFirst({ children }: { children: ComponentChildren }) {
  const { user } = useSession();
  const { pathname } = useLocation();
  if (user?.consent_required && !BEFORE_CONSENT.includes(pathname)) return <ConsentPage />;
  return <>{children}</>;
}

function Screens() {
  const { pathname } = useLocation();
  const { about } = useInstallation();
  return (
    <SiteName.Provider value={about?.name ?? 'Rimedio'}>
      <SessionEnd />
      <Shell>
        <ErrorBoundary place={pathname}>
          <Suspense fallback={<Spinner place="page" text="Caricamento..." />}>
            <ConsentFirst>
              <Routes>
                {SCREENS.map((screen) => (
                  <Route key={screen.path} path={screen.path} element={guarded(screen)} />
                ))}
              </Routes>
            </ConsentFirst>
          </Suspense>
        </ErrorBoundary>
      </Shell>
    </SiteName.Provider>
  );
}

export function App() {
  return (
    <BrowserRouter>
      <InstallationProvider>
        <SessionProvider>
          <Screens />
        </SessionProvider>
      </InstallationProvider>
    </BrowserRouter>
  );
}
