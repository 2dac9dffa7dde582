// The record of a row beside its list: the screen that the row leads to, in a narrow frame. It stands in the address
// (`open`), so it can be shared, and arrow keys walk the list under it.
import { Suspense, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, matchRoute, useRouter } from 'wouter';
import { Broken } from '@/shell/Broken';
import { SCREENS } from '@/shell/screens';
import { Button } from '@/ui/Button';

interface Props {
  /** The address of the record's own screen. */
  href: string;
  /** Its place among the rows on the screen, from one. */
  place: { at: number; of: number };
  onStep: (by: number) => void;
  onClose: () => void;
}

export function Peek({ href, place, onStep, onClose }: Props) {
  const { t } = useTranslation();
  const { parser } = useRouter();
  const close = useRef<HTMLElement | null>(null);
  // Whoever closes it goes on where they were.
  useEffect(() => {
    close.current = document.activeElement instanceof HTMLElement ? document.activeElement : null;
    return () => close.current?.focus({ preventScroll: true });
  }, []);
  for (const screen of SCREENS) {
    const [matches, params] = matchRoute(parser, screen.path, href);
    if (!matches || !params) continue;
    const Draw = screen.draw;
    return (
      <aside className="peek" aria-label={t('table.peek')}>
        <div className="peek-bar">
          <Button
            look="plain"
            iconOnly
            icon="angle-up"
            label={t('table.peekUp')}
            disabled={place.at <= 1}
            onClick={() => onStep(-1)}
          />
          <Button
            look="plain"
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
          <Button look="plain" iconOnly icon="times" label={t('ui.close')} onClick={onClose} />
        </div>
        <Broken key={href}>
          <Suspense fallback={<p className="loading">{t('ui.loading')}</p>}>
            <Draw params={params as Record<string, string | undefined>} />
          </Suspense>
        </Broken>
      </aside>
    );
  }
  return null;
}
