// The entry point of the console: loads the color scheme, the texts, the public settings and the session before the first screen.
import { QueryClientProvider } from '@tanstack/react-query';
import i18next from 'i18next';
import { PrimeReactProvider } from 'primereact/api';
import { StrictMode } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import '@fontsource-variable/inter/wght.css';
import 'primeicons/primeicons.css';
import './styles/index.css';
import { asProblem, getRetryDelayMs, shouldRetry } from './api/problem';
import { PanelQueryClient } from './api/queryClient';
import { reportUncaughtErrors } from './api/report';
import { initI18n } from './i18n';
import { setCurrencySymbol } from './i18n/format';
import { setFavicon } from './session/favicon';
import { storePasswordLinkToken } from './session/passwordLinkToken';
import { resumeSession, startTokenRefresh } from './session/requests';
import { fetchSettings, type PublicSettings, SettingsContext } from './session/settings';
import { askToSignInWithCode, extractSignInCode } from './session/signInLink';
import { session } from './session/store';
import { App } from './shell/App';
import { clearSavedQueries } from './table/listState';
import { initColorScheme } from './theme/theme';
import { Button } from './ui/Button';
import { Notice } from './ui/Notice';
import { confirmBeforeLeavingUnsavedForms } from './ui/unsavedChanges';

const queryClient = new PanelQueryClient({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      refetchOnWindowFocus: false,
      retry: shouldRetry,
      retryDelay: getRetryDelayMs,
    },
  },
});

// Clears all cached data when the user signs out, so that the next user of the browser cannot see it.
session.subscribe(() => {
  if (session.getState().profile) return;
  queryClient.clear();
  clearSavedQueries();
});

const nonce = document.querySelector<HTMLMetaElement>('meta[name=csp-nonce]')?.content;
const overlays = document.getElementById('overlays');

function renderApp(root: Root, settings: PublicSettings): void {
  setCurrencySymbol(settings.currency_symbol);
  setFavicon(settings.favicon);
  root.render(
    <StrictMode>
      <PrimeReactProvider
        value={{
          ripple: false,
          appendTo: overlays,
          ...(nonce ? { nonce } : {}),
          pt: { dropdown: { select: { 'aria-hidden': true } } },
        }}
      >
        <QueryClientProvider client={queryClient}>
          <SettingsContext value={settings}>
            <App />
          </SettingsContext>
        </QueryClientProvider>
      </PrimeReactProvider>
    </StrictMode>,
  );
}

async function start(root: Root): Promise<void> {
  const signInCode = extractSignInCode();
  storePasswordLinkToken();
  const [settings] = await Promise.all([fetchSettings(), initColorScheme(), initI18n()]);
  overlays?.setAttribute('aria-label', i18next.t('shell.overlays'));
  confirmBeforeLeavingUnsavedForms();
  await resumeSession();
  if (signInCode) await askToSignInWithCode(signInCode);
  startTokenRefresh();
  renderApp(root, settings);
}

const container = document.getElementById('root');
if (container) {
  const root = createRoot(container);
  reportUncaughtErrors();
  start(root).catch((error: unknown) => {
    const problem = asProblem(error);
    if (problem.isDatabaseOutage) setTimeout(() => location.reload(), problem.retryAfterMs);
    root.render(
      <Notice icon="exclamation-triangle" title={i18next.t('ui.startFailed')} text={problem.message}>
        <Button label={i18next.t('ui.reload')} icon="refresh" onClick={() => location.reload()} />
      </Notice>,
    );
  });
}
