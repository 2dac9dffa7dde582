// The routes of the console, and who may open them (specification, section 2).
import { Suspense, useEffect, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { matchRoute, Redirect, Router, useLocation, useRouter, useSearch } from 'wouter';
import { ConfirmIdentityDialog } from '@/session/ConfirmIdentityDialog';
import { useIsConfirmationPending } from '@/session/confirmation';
import { consumeDestination, saveDestination } from '@/session/destination';
import { EnrollSecondFactor } from '@/session/EnrollSecondFactor';
import { ForgotPassword } from '@/session/ForgotPassword';
import { useHasPermission, useSession } from '@/session/hooks';
import { Login } from '@/session/Login';
import { SetPassword } from '@/session/SetPassword';
import { SetUp } from '@/session/SetUp';
import { SignInAgain } from '@/session/SignInAgain';
import { SignInLinkPage } from '@/session/SignInLinkPage';
import { useSettings } from '@/session/settings';
import { useSignInLinkOffer } from '@/session/signInLink';
import { Toasts } from '@/ui/Toasts';
import { Tooltip } from '@/ui/Tooltip';
import { confirmNavigation } from '@/ui/unsavedChanges';
import { ErrorBoundary } from './ErrorBoundary';
import { Shell } from './Shell';
import type { Screen } from './screen';
import { REDIRECTS, SCREENS } from './screens';

export function App() {
  const { isExpired } = useSession();
  const isConfirmationPending = useIsConfirmationPending();
  return (
    <Router aroundNav={confirmNavigation}>
      <Routes />
      {isExpired && <SignInAgain />}
      {isConfirmationPending && !isExpired && <ConfirmIdentityDialog />}
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
  const offer = useSignInLinkOffer();
  if (offer) return <SignInLinkPage offer={offer} />;
  if (path === '/setup') return profile ? <Redirect to="/" replace /> : <SetUp />;
  if (path === '/set-password') return <SetPassword />;
  if (path === '/forgot-password') return profile ? <Redirect to="/" replace /> : <ForgotPassword />;
  if (path === '/login') return profile ? <Redirect to={consumeDestination()} replace /> : <Login />;
  if (!profile) {
    if (!needs_setup) saveDestination(path, search);
    return <Redirect to={search ? `/login?${search}` : '/login'} replace />;
  }
  if (profile.must_enrol_second_factor) return <EnrollSecondFactor />;
  return <ScreenRoute path={path} search={search} />;
}

function ScreenRoute({ path, search }: { path: string; search: string }) {
  const hasPermission = useHasPermission();
  const { parser } = useRouter();
  const route = useMemo(() => {
    for (const screen of SCREENS) {
      const [matches, params] = matchRoute(parser, screen.path, path);
      if (matches) return { screen, params: params as Record<string, string | undefined> };
    }
    return null;
  }, [parser, path]);
  const redirect = REDIRECTS[path];
  if (redirect) return <Redirect to={search ? `${redirect}?${search}` : redirect} replace />;
  if (!route) return <Redirect to="/" replace />;
  if (!hasPermission(...route.screen.permissions)) {
    return <Redirect to={hasPermission('view services') && path !== '/services' ? '/services' : '/'} replace />;
  }
  return (
    <Shell>
      <ScreenView key={route.screen.path + (route.params.id ?? '')} screen={route.screen} params={route.params} />
    </Shell>
  );
}

function ScreenView({ screen, params }: { screen: Screen; params: Record<string, string | undefined> }) {
  const { t } = useTranslation();
  const Component = screen.component;
  return (
    <ErrorBoundary>
      <Suspense fallback={<p className="loading">{t('ui.loading')}</p>}>
        <Component params={params} />
        <TitleAndFocus />
      </Suspense>
    </ErrorBoundary>
  );
}

/** After a navigation, sets the document title and focuses the heading of the screen. */
function TitleAndFocus() {
  const { panel_name } = useSettings();
  const [path] = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once per path.
  useEffect(() => {
    const heading = document.querySelector<HTMLElement>('main h1');
    document.title = heading?.textContent ? `${heading.textContent} · ${panel_name}` : panel_name;
    if (document.activeElement === document.body) heading?.focus({ preventScroll: true });
  }, [path, panel_name]);
  return null;
}
