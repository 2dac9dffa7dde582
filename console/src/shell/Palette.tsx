// The command palette. It opens a screen or the list of a counter by name, an order by id, or a customer by id, name or email.
import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { api, unwrap } from '@/api/client';
import { formatNumber } from '@/i18n/format';
import { useCounters } from '@/live/counters';
import { COUNTER_LINKS } from '@/live/links';
import { useHasPermission } from '@/session/hooks';
import { Dialog } from '@/ui/Dialog';
import { SCREENS } from './screens';

interface Hit {
  key: string;
  icon: string;
  text: string;
  detail?: string | undefined;
  href: string;
}

export function Palette({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const id = useId();
  const [text, setText] = useState('');
  const [selectedIndex, setSelectedIndex] = useState(0);
  const hits = useHits(text.trim());
  const openHit = (hit: Hit | undefined) => {
    if (!hit) return;
    onClose();
    navigate(hit.href);
  };
  return (
    <Dialog title={t('shell.jump')} onClose={onClose}>
      <input
        className="input palette-input"
        data-autofocus
        role="combobox"
        aria-expanded
        aria-controls={`${id}-hits`}
        aria-activedescendant={hits[selectedIndex] ? `${id}-${selectedIndex}` : undefined}
        aria-label={t('shell.jump')}
        placeholder={t('shell.jumpHint')}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setSelectedIndex(0);
        }}
        onKeyDown={(event) => {
          const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
          if (step) {
            event.preventDefault();
            setSelectedIndex((index) => Math.min(Math.max(0, index + step), hits.length - 1));
          }
          if (event.key === 'Enter') openHit(hits[selectedIndex]);
        }}
      />
      <div className="palette" id={`${id}-hits`} role="listbox" aria-label={t('shell.hits')}>
        {hits.map((hit, index) => (
          <div
            key={hit.key}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === selectedIndex}
            onMouseEnter={() => setSelectedIndex(index)}
            onClick={() => openHit(hit)}
            onKeyDown={(event) => event.key === 'Enter' && openHit(hit)}
          >
            <i className={`pi pi-${hit.icon}`} aria-hidden />
            <span>{hit.text}</span>
            {hit.detail && <small>{hit.detail}</small>}
          </div>
        ))}
        {hits.length === 0 && <p className="none">{t('shell.noHits')}</p>}
      </div>
    </Dialog>
  );
}

const isId = (text: string) => /^\d{1,18}$/.test(text);

function useHits(text: string): Hit[] {
  const { t } = useTranslation();
  const hasPermission = useHasPermission();
  const counters = useCounters();
  const searchText = text.toLowerCase();
  // Only the search for customers is deferred, so that the other hits always match the text when the user presses Enter.
  const deferredText = useDeferredValue(text);
  const { data: users = [] } = useQuery({
    queryKey: ['palette', deferredText],
    queryFn: async ({ signal }) =>
      (await unwrap(api.GET('/api/v1/admin/users/search', { params: { query: { query: deferredText } }, signal })))
        .data,
    enabled: (deferredText.length > 1 || isId(deferredText)) && hasPermission('view users'),
  });
  const screenHits = SCREENS.filter((screen) => screen.menu && hasPermission(...screen.permissions)).flatMap(
    (screen): Hit[] => {
      const name = t(`menu.${screen.menu ?? 'home'}`);
      const group = screen.group ? t(`menuGroup.${screen.group}`) : '';
      const hit = { key: screen.path, icon: screen.icon ?? 'circle', text: name, detail: group, href: screen.path };
      return `${name} ${group}`.toLowerCase().includes(searchText) ? [hit] : [];
    },
  );
  const counterHits = COUNTER_LINKS.filter((link) => hasPermission(link.permission)).flatMap((link): Hit[] => {
    const name = t(`home.${link.name}`);
    const hit = {
      key: link.name,
      icon: link.icon,
      text: name,
      detail: counters && formatNumber(counters[link.name]),
      href: link.href,
    };
    return name.toLowerCase().includes(searchText) ? [hit] : [];
  });
  const isOrderId = isId(text) && hasPermission('view orders');
  return [
    ...(isOrderId
      ? [{ key: 'order', icon: 'shopping-cart', text: t('shell.order', { id: text }), href: `/orders/${text}` }]
      : []),
    ...screenHits,
    ...counterHits,
    ...users.slice(0, 8).map((user) => ({
      key: `user-${user.id}`,
      icon: 'user',
      text: user.name,
      detail: user.email,
      href: `/users/${user.id}`,
    })),
  ];
}
