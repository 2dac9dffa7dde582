// The tabs of a screen. Each tab has its own URL, such as `/users/7/orders`.
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';

export interface Tab {
  /** The last segment of the URL; empty for the first tab, whose URL is `baseUrl`. */
  name: string;
  /** i18n key. */
  label: string;
}

interface Props {
  baseUrl: string;
  tabs: readonly Tab[];
  /** The name of the tab that is shown. */
  current: string;
}

export function Tabs({ baseUrl, tabs, current }: Props) {
  const { t } = useTranslation();
  const nav = useRef<HTMLElement>(null);
  // Scrolls the current tab into view in a narrow window.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the current tab changes with `current`.
  useEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView?.({ block: 'nearest', inline: 'nearest' });
  }, [current]);
  return (
    <nav ref={nav} className="tabs" aria-label={t('ui.parts')}>
      {tabs.map((tab) => (
        <Link
          key={tab.name}
          href={tab.name ? `${baseUrl}/${tab.name}` : baseUrl}
          aria-current={tab.name === current ? 'page' : undefined}
        >
          {t(tab.label as 'ui.parts')}
        </Link>
      ))}
    </nav>
  );
}
