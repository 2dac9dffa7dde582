// Tabs of a record's page, each with its own URL: `/users/7/orders`.
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';

export interface Tab {
  /** Last segment of the tab's URL; empty for the first tab. */
  name: string;
  /** i18n key. */
  label: string;
}

export function Tabs({ base, tabs, current }: { base: string; tabs: readonly Tab[]; current: string }) {
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
          href={tab.name ? `${base}/${tab.name}` : base}
          aria-current={tab.name === current ? 'page' : undefined}
        >
          {t(tab.label as 'ui.parts')}
        </Link>
      ))}
    </nav>
  );
}
