// Parts of one record's page, each with its own address: `/users/7/orders`.
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';

export interface Tab {
  /** Its last part of the address; the first tab has none. */
  name: string;
  /** Key of its text. */
  label: string;
}

export function Tabs({ base, tabs, now }: { base: string; tabs: readonly Tab[]; now: string }) {
  const { t } = useTranslation();
  const nav = useRef<HTMLElement>(null);
  // A narrow window shows some of the tabs: the current one is among them.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the current tab moves with `now`.
  useEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView?.({ block: 'nearest', inline: 'nearest' });
  }, [now]);
  return (
    <nav ref={nav} className="tabs" aria-label={t('ui.parts')}>
      {tabs.map((tab) => (
        <Link
          key={tab.name}
          href={tab.name ? `${base}/${tab.name}` : base}
          aria-current={tab.name === now ? 'page' : undefined}
        >
          {t(tab.label as 'ui.parts')}
        </Link>
      ))}
    </nav>
  );
}
