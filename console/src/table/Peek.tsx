// Side panel with the record of a row: it renders the record's own screen beside the list. The record is in the URL (`open`), so
// that it can be shared, and the arrow keys move through the list.
import { Suspense, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, matchRoute, useRouter } from 'wouter';
import { ErrorBoundary } from '@/shell/ErrorBoundary';
import { SCREENS } from '@/shell/screens';
import { Button } from '@/ui/Button';

interface Props {
  /** URL of the record's own screen. */
  href: string;
  /** Position among the rows of the page, from 1. */
  place: { at: number; of: number };
  onStep: (by: number) => void;
  onClose: () => void;
}

export function Peek({ href, place, onStep, onClose }: Props) {
  const { t } = useTranslation();
  const { parser } = useRouter();
  const previousFocus = useRef<HTMLElement | null>(null);
  // Closing returns the focus to where it was.
  useEffect(() => {
    previousFocus.current = document.activeElement instanceof HTMLElement ? document.activeElement : null;
    return () => previousFocus.current?.focus({ preventScroll: true });
  }, []);
  for (const screen of SCREENS) {
    const [matches, params] = matchRoute(parser, screen.path, href);
    if (!matches || !params) continue;
    const Component = screen.component;
    return (
      <aside className="peek" aria-label={t('table.peek')}>
        <div className="peek-bar">
          <Button
            variant="plain"
            iconOnly
            icon="angle-up"
            label={t('table.peekUp')}
            disabled={place.at <= 1}
            onClick={() => onStep(-1)}
          />
          <Button
            variant="plain"
            iconOnly
            icon="angle-down"
            label={t('table.peekDown')}
            disabled={place.at >= place.of}
            onClick={() => onStep(1)}
          />
          <span className="muted">{t('table.peekPlace', place)}</span>
          <span className="grow" />
          <Link className="button button-plain" href={href}>
            <i className="pi pi-window-maximize" aria-hidden />
            <span>{t('table.peekWhole')}</span>
          </Link>
          <Button variant="plain" iconOnly icon="times" label={t('ui.close')} onClick={onClose} />
        </div>
        <ErrorBoundary key={href}>
          <Suspense fallback={<p className="loading">{t('ui.loading')}</p>}>
            <Component params={params as Record<string, string | undefined>} />
          </Suspense>
        </ErrorBoundary>
      </aside>
    );
  }
  return null;
}
