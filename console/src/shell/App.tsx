// Which screen an address shows, and to whom: the guards of the specification, section 2.
import { Suspense, useEffect, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { matchRoute, Redirect, Router, useLocation, useRouter, useSearch } from 'wouter';
import { ConfirmDialog } from '@/session/ConfirmDialog';
import { useIsConfirmationAsked } from '@/session/confirmation';
import { saveDestination, takeDestination } from '@/session/destination';
import { Enrol } from '@/session/Enrol';
import { ForgotPassword } from '@/session/ForgotPassword';
import { HandoffPage } from '@/session/HandoffPage';
import { useOffer } from '@/session/handoff';
import { useMay, useSession } from '@/session/hooks';
import { Login } from '@/session/Login';
import { SetPassword } from '@/session/SetPassword';
import { SetUp } from '@/session/SetUp';
import { SignInAgain } from '@/session/SignInAgain';
import { useSettings } from '@/session/settings';
import { Toasts } from '@/ui/Toasts';
import { Tooltip } from '@/ui/Tooltip';
import { guarded } from '@/ui/unsaved';
import { Broken } from './Broken';
import { Shell } from './Shell';
import type { Screen } from './screen';
import { MOVED, SCREENS } from './screens';

export function App() {
  const { asleep } = useSession();
  const isAsked = useIsConfirmationAsked();
  return (
    <Router aroundNav={guarded}>
      <Routes />
      {asleep && <SignInAgain />}
      {isAsked && !asleep && <ConfirmDialog />}
      <Toasts />
      <Tooltip />
    </Router>
  );
}

function Routes() {
  const { profile } = useSession();
  const [path] = useLocation();
  const search = useSearch();
  const { needs_setup } = useSettings();
  const offer = useOffer();
  if (offer) return <HandoffPage offer={offer} />;
  if (path === '/setup') return profile ? <Redirect to="/" replace /> : <SetUp />;
  if (path === '/set-password') return <SetPassword />;
  if (path === '/forgot-password') return profile ? <Redirect to="/" replace /> : <ForgotPassword />;
  if (path === '/login') return profile ? <Redirect to={takeDestination()} replace /> : <Login />;
  if (!profile) {
    if (!needs_setup) saveDestination(path, search);
    return <Redirect to={search ? `/login?${search}` : '/login'} replace />;
  }
  if (profile.must_enrol_second_factor) return <Enrol />;
  return <SignedIn path={path} search={search} />;
}

function SignedIn({ path, search }: { path: string; search: string }) {
  const may = useMay();
  const { parser } = useRouter();
  const found = useMemo(() => {
    for (const screen of SCREENS) {
      const [matches, params] = matchRoute(parser, screen.path, path);
      if (matches) return { screen, params: params as Record<string, string | undefined> };
    }
    return null;
  }, [parser, path]);
  const moved = MOVED[path];
  if (moved) return <Redirect to={search ? `${moved}?${search}` : moved} replace />;
  if (!found) return <Redirect to="/" replace />;
  if (!may(...found.screen.permissions)) {
    return <Redirect to={may('view services') && path !== '/services' ? '/services' : '/'} replace />;
  }
  return (
    <Shell>
      <Drawn key={found.screen.path + (found.params.id ?? '')} screen={found.screen} params={found.params} />
    </Shell>
  );
}

function Drawn({ screen, params }: { screen: Screen; params: Record<string, string | undefined> }) {
  const { t } = useTranslation();
  const Draw = screen.draw;
  return (
    <Broken>
      <Suspense fallback={<p className="loading">{t('ui.loading')}</p>}>
        <Draw params={params} />
        <Announced />
      </Suspense>
    </Broken>
  );
}

/** After a change of screens the focus is on its heading, and the title names it. */
function Announced() {
  const { panel_name } = useSettings();
  const [path] = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: each path is announced once.
  useEffect(() => {
    const heading = document.querySelector<HTMLElement>('main h1');
    document.title = heading?.textContent ? `${heading.textContent} · ${panel_name}` : panel_name;
    if (document.activeElement === document.body) heading?.focus({ preventScroll: true });
  }, [path, panel_name]);
  return null;
}
