// The side panel that previews the record of a row: it renders the screen of the record beside the list. The URL contains the id of
// the record (`open`), so that staff can share the link. The arrow keys show the previous or the next record.
import { Suspense, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, matchRoute, useRouter } from 'wouter';
import { ErrorBoundary } from '@/shell/ErrorBoundary';
import { SCREENS } from '@/shell/screens';
import { Button } from '@/ui/Button';

interface Props {
  /** URL of the record's screen. */
  href: string;
  /** Index of the record among the rows of the page. The first row has the index 0. */
  index: number;
  rowCount: number;
  /** `step` is -1 for the previous record, and 1 for the next record. */
  onStep: (step: number) => void;
  onClose: () => void;
}

export function RecordPreview({ href, index, rowCount, onStep, onClose }: Props) {
  const { t } = useTranslation();
  const { parser } = useRouter();
  const previouslyFocused = useRef<HTMLElement | null>(null);
  // When the side panel closes, the focus returns to the element that had the focus before.
  useEffect(() => {
    previouslyFocused.current = document.activeElement instanceof HTMLElement ? document.activeElement : null;
    return () => previouslyFocused.current?.focus({ preventScroll: true });
  }, []);
  for (const screen of SCREENS) {
    const [matches, params] = matchRoute(parser, screen.path, href);
    if (!matches || !params) continue;
    const Screen = screen.component;
    return (
      <aside className="record-preview" aria-label={t('table.recordPreview')}>
        <div className="record-preview-bar">
          <Button
            variant="plain"
            iconOnly
            icon="angle-up"
            label={t('table.previousRow')}
            disabled={index <= 0}
            onClick={() => onStep(-1)}
          />
          <Button
            variant="plain"
            iconOnly
            icon="angle-down"
            label={t('table.nextRow')}
            disabled={index >= rowCount - 1}
            onClick={() => onStep(1)}
          />
          <span className="muted">{t('table.previewPosition', { position: index + 1, total: rowCount })}</span>
          <span className="grow" />
          <Link className="button button-plain" href={href}>
            <i className="pi pi-window-maximize" aria-hidden />
            <span>{t('table.openFullPage')}</span>
          </Link>
          <Button variant="plain" iconOnly icon="times" label={t('ui.close')} onClick={onClose} />
        </div>
        <ErrorBoundary key={href}>
          <Suspense fallback={<p className="loading">{t('ui.loading')}</p>}>
            <Screen params={params as Record<string, string | undefined>} />
          </Suspense>
        </ErrorBoundary>
      </aside>
    );
  }
  return null;
}
