// The start: theme, texts, public settings and the session are there before the first screen is drawn.
import { QueryClientProvider } from '@tanstack/react-query';
import i18next from 'i18next';
import { PrimeReactProvider } from 'primereact/api';
import { StrictMode } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import '@fontsource-variable/inter/wght.css';
import 'primeicons/primeicons.css';
import './styles/index.css';
import { FreshQueries } from './api/freshness';
import { asProblem, isRetried, retryDelay } from './api/problem';
import { reportUncaught } from './api/report';
import { startTexts } from './i18n';
import { setCurrency } from './i18n/format';
import { keepFresh, resume } from './session/calls';
import { showFavicon } from './session/favicon';
import { offerSignIn, takeCode } from './session/handoff';
import { takeLinkToken } from './session/linkToken';
import { type PublicSettings, readSettings, Settings } from './session/settings';
import { session } from './session/store';
import { App } from './shell/App';
import { forgetUsed } from './table/state';
import { startTheme } from './theme/theme';
import { Button } from './ui/Button';
import { Notice } from './ui/Notice';
import { guardHistory } from './ui/unsaved';

const queries = new FreshQueries({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      refetchOnWindowFocus: false,
      retry: isRetried,
      retryDelay,
    },
  },
});

// What one person has read is not there for the next.
session.subscribe(() => {
  if (session.state().profile) return;
  queries.clear();
  forgetUsed();
});

const nonce = document.querySelector<HTMLMetaElement>('meta[name=csp-nonce]')?.content;
const overlays = document.getElementById('overlays');

function draw(root: Root, settings: PublicSettings): void {
  setCurrency(settings.currency_symbol);
  showFavicon(settings.favicon);
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
        <QueryClientProvider client={queries}>
          <Settings value={settings}>
            <App />
          </Settings>
        </QueryClientProvider>
      </PrimeReactProvider>
    </StrictMode>,
  );
}

async function start(root: Root): Promise<void> {
  const code = takeCode();
  takeLinkToken();
  const [settings] = await Promise.all([readSettings(), startTheme(), startTexts()]);
  overlays?.setAttribute('aria-label', i18next.t('shell.overlays'));
  guardHistory();
  await resume();
  if (code) await offerSignIn(code);
  keepFresh();
  draw(root, settings);
}

const place = document.getElementById('root');
if (place) {
  const root = createRoot(place);
  reportUncaught();
  start(root).catch((error: unknown) => {
    const problem = asProblem(error);
    if (problem.isOutage) setTimeout(() => location.reload(), problem.retryAfterMs);
    root.render(
      <Notice icon="exclamation-triangle" title={i18next.t('ui.noStart')} text={problem.message}>
        <Button label={i18next.t('ui.reload')} icon="refresh" onClick={() => location.reload()} />
      </Notice>,
    );
  });
}
