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

interface PaletteEntry {
  key: string;
  icon: string;
  text: string;
  detail?: string | undefined;
  href: string;
}

export function CommandPalette({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const id = useId();
  const [text, setText] = useState('');
  const [selectedIndex, setSelectedIndex] = useState(0);
  const entries = usePaletteEntries(text.trim());
  const openEntry = (entry: PaletteEntry | undefined) => {
    if (!entry) return;
    onClose();
    navigate(entry.href);
  };
  return (
    <Dialog title={t('shell.commandPalette')} onClose={onClose}>
      <input
        className="input palette-input"
        data-autofocus
        role="combobox"
        aria-expanded
        aria-controls={`${id}-entries`}
        aria-activedescendant={entries[selectedIndex] ? `${id}-${selectedIndex}` : undefined}
        aria-label={t('shell.commandPalette')}
        placeholder={t('shell.commandPalettePlaceholder')}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setSelectedIndex(0);
        }}
        onKeyDown={(event) => {
          const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
          if (step) {
            event.preventDefault();
            setSelectedIndex((index) => Math.min(Math.max(0, index + step), entries.length - 1));
          }
          if (event.key === 'Enter') openEntry(entries[selectedIndex]);
        }}
      />
      <div className="palette" id={`${id}-entries`} role="listbox" aria-label={t('shell.searchResults')}>
        {entries.map((entry, index) => (
          <div
            key={entry.key}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === selectedIndex}
            onMouseEnter={() => setSelectedIndex(index)}
            onClick={() => openEntry(entry)}
            onKeyDown={(event) => event.key === 'Enter' && openEntry(entry)}
          >
            <i className={`pi pi-${entry.icon}`} aria-hidden />
            <span>{entry.text}</span>
            {entry.detail && <small>{entry.detail}</small>}
          </div>
        ))}
        {entries.length === 0 && <p className="none">{t('shell.noSearchResults')}</p>}
      </div>
    </Dialog>
  );
}

const isId = (text: string) => /^\d{1,18}$/.test(text);

function usePaletteEntries(text: string): PaletteEntry[] {
  const { t } = useTranslation();
  const hasPermission = useHasPermission();
  const counters = useCounters();
  const searchText = text.toLowerCase();
  // Only the search for customers is deferred, so that the other entries always match the text when the user presses Enter.
  const deferredText = useDeferredValue(text);
  const { data: users = [] } = useQuery({
    queryKey: ['palette', deferredText],
    queryFn: async ({ signal }) =>
      (await unwrap(api.GET('/api/v1/admin/users/search', { params: { query: { query: deferredText } }, signal })))
        .data,
    enabled: (deferredText.length > 1 || isId(deferredText)) && hasPermission('view users'),
  });
  const screenEntries = SCREENS.filter((screen) => screen.menuLabel && hasPermission(...screen.permissions)).flatMap(
    (screen): PaletteEntry[] => {
      const name = t(`menu.${screen.menuLabel ?? 'home'}`);
      const group = screen.menuGroup ? t(`menuGroup.${screen.menuGroup}`) : '';
      const entry = { key: screen.path, icon: screen.icon ?? 'circle', text: name, detail: group, href: screen.path };
      return `${name} ${group}`.toLowerCase().includes(searchText) ? [entry] : [];
    },
  );
  const counterEntries = COUNTER_LINKS.filter((link) => hasPermission(link.permission)).flatMap(
    (link): PaletteEntry[] => {
      const name = t(`home.${link.name}`);
      const entry = {
        key: link.name,
        icon: link.icon,
        text: name,
        detail: counters && formatNumber(counters[link.name]),
        href: link.href,
      };
      return name.toLowerCase().includes(searchText) ? [entry] : [];
    },
  );
  const isOrderId = isId(text) && hasPermission('view orders');
  return [
    ...(isOrderId
      ? [{ key: 'order', icon: 'shopping-cart', text: t('shell.order', { id: text }), href: `/orders/${text}` }]
      : []),
    ...screenEntries,
    ...counterEntries,
    ...users.slice(0, 8).map((user) => ({
      key: `user-${user.id}`,
      icon: 'user',
      text: user.name,
      detail: user.email,
      href: `/users/${user.id}`,
    })),
  ];
}
