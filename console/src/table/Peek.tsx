// Side panel that shows the record of a row: it renders the screen of the record beside the list. The id of the record is in the
// URL (`open`), so that staff can share the link. The arrow keys show the previous and the next record.
import { Suspense, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, matchRoute, useRouter } from 'wouter';
import { ErrorBoundary } from '@/shell/ErrorBoundary';
import { SCREENS } from '@/shell/screens';
import { Button } from '@/ui/Button';

interface Props {
  /** URL of the record's screen. */
  href: string;
  /** Index of the record among the rows of the page, from 0. */
  index: number;
  rowCount: number;
  /** `step` is -1 for the previous and 1 for the next record. */
  onStep: (step: number) => void;
  onClose: () => void;
}

export function Peek({ href, index, rowCount, onStep, onClose }: Props) {
  const { t } = useTranslation();
  const { parser } = useRouter();
  const previousFocus = useRef<HTMLElement | null>(null);
  // When the panel closes, the element that had the focus before gets it back.
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
            disabled={index <= 0}
            onClick={() => onStep(-1)}
          />
          <Button
            variant="plain"
            iconOnly
            icon="angle-down"
            label={t('table.peekDown')}
            disabled={index >= rowCount - 1}
            onClick={() => onStep(1)}
          />
          <span className="muted">{t('table.peekPlace', { at: index + 1, of: rowCount })}</span>
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
