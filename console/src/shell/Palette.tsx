// The command palette: goes to a screen or a counter's list by name, to an order by id, or to a customer by id, name or email.
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
  to: string;
}

export function Palette({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const id = useId();
  const [text, setText] = useState('');
  const [selected, setSelected] = useState(0);
  const hits = useHits(text.trim());
  const go = (hit: Hit | undefined) => {
    if (!hit) return;
    onClose();
    navigate(hit.to);
  };
  return (
    <Dialog title={t('shell.jump')} onClose={onClose}>
      <input
        className="input palette-input"
        data-autofocus
        role="combobox"
        aria-expanded
        aria-controls={`${id}-hits`}
        aria-activedescendant={hits[selected] ? `${id}-${selected}` : undefined}
        aria-label={t('shell.jump')}
        placeholder={t('shell.jumpHint')}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setSelected(0);
        }}
        onKeyDown={(event) => {
          const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
          if (by) {
            event.preventDefault();
            setSelected((index) => Math.min(Math.max(0, index + by), hits.length - 1));
          }
          if (event.key === 'Enter') go(hits[selected]);
        }}
      />
      <div className="palette" id={`${id}-hits`} role="listbox" aria-label={t('shell.hits')}>
        {hits.map((hit, index) => (
          <div
            key={hit.key}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === selected}
            onMouseEnter={() => setSelected(index)}
            onClick={() => go(hit)}
            onKeyDown={(event) => event.key === 'Enter' && go(hit)}
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
  const may = useHasPermission();
  const counters = useCounters();
  const needle = text.toLowerCase();
  // Only the customer search is deferred: Enter uses the current text for everything else.
  const deferredText = useDeferredValue(text);
  const { data: users = [] } = useQuery({
    queryKey: ['palette', deferredText],
    queryFn: async ({ signal }) =>
      (await unwrap(api.GET('/api/v1/admin/users/search', { params: { query: { query: deferredText } }, signal })))
        .data,
    enabled: (deferredText.length > 1 || isId(deferredText)) && may('view users'),
  });
  const screens = SCREENS.filter((screen) => screen.menu && may(...screen.permissions)).flatMap((screen): Hit[] => {
    const name = t(`menu.${screen.menu ?? 'home'}`);
    const group = screen.group ? t(`menuGroup.${screen.group}`) : '';
    const hit = { key: screen.path, icon: screen.icon ?? 'circle', text: name, detail: group, to: screen.path };
    return `${name} ${group}`.toLowerCase().includes(needle) ? [hit] : [];
  });
  const counterHits = COUNTER_LINKS.filter((link) => may(link.permission)).flatMap((link): Hit[] => {
    const name = t(`home.${link.name}`);
    const hit = {
      key: link.name,
      icon: link.icon,
      text: name,
      detail: counters && formatNumber(counters[link.name]),
      to: link.to,
    };
    return name.toLowerCase().includes(needle) ? [hit] : [];
  });
  const order = isId(text) && may('view orders');
  return [
    ...(order
      ? [{ key: 'order', icon: 'shopping-cart', text: t('shell.order', { id: text }), to: `/orders/${text}` }]
      : []),
    ...screens,
    ...counterHits,
    ...users.slice(0, 8).map((user) => ({
      key: `user-${user.id}`,
      icon: 'user',
      text: user.name,
      detail: user.email,
      to: `/users/${user.id}`,
    })),
  ];
}
