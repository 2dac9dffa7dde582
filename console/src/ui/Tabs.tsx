// The tabs of a screen. Each tab has its own URL, such as `/users/7/orders`.
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';

export interface Tab {
  /** The last segment of the tab's URL. Empty for the first tab, whose URL is `baseUrl`. */
  name: string;
  labelKey: string;
}

interface Props {
  baseUrl: string;
  tabs: readonly Tab[];
  /** The name of the tab that is shown. */
  currentTab: string;
}

export function Tabs({ baseUrl, tabs, currentTab }: Props) {
  const { t } = useTranslation();
  const nav = useRef<HTMLElement>(null);
  // Scrolls the current tab into view in a narrow window.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the current tab changes with `currentTab`.
  useEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView?.({ block: 'nearest', inline: 'nearest' });
  }, [currentTab]);
  return (
    <nav ref={nav} className="tabs" aria-label={t('ui.recordSections')}>
      {tabs.map((tab) => (
        <Link
          key={tab.name}
          href={tab.name ? `${baseUrl}/${tab.name}` : baseUrl}
          aria-current={tab.name === currentTab ? 'page' : undefined}
        >
          {t(tab.labelKey as 'ui.recordSections')}
        </Link>
      ))}
    </nav>
  );
}
