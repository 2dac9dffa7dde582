// Jumps to a screen or a live counter's list by its name, to an order by its id, to a customer by id, name or e-mail.
import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { api, unwrap } from '@/api/client';
import { count } from '@/i18n/format';
import { useCounters } from '@/live/counters';
import { COUNTER_LINKS } from '@/live/links';
import { useMay } from '@/session/hooks';
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
  const [at, setAt] = useState(0);
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
        aria-activedescendant={hits[at] ? `${id}-${at}` : undefined}
        aria-label={t('shell.jump')}
        placeholder={t('shell.jumpHint')}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
          if (by) {
            event.preventDefault();
            setAt((now) => Math.min(Math.max(0, now + by), hits.length - 1));
          }
          if (event.key === 'Enter') go(hits[at]);
        }}
      />
      <div className="palette" id={`${id}-hits`} role="listbox" aria-label={t('shell.hits')}>
        {hits.map((hit, index) => (
          <div
            key={hit.key}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            onMouseEnter={() => setAt(index)}
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
  const may = useMay();
  const counters = useCounters();
  const wanted = text.toLowerCase();
  // Enter takes what is typed now; only people are looked up a moment later.
  const sought = useDeferredValue(text);
  const { data: users = [] } = useQuery({
    queryKey: ['palette', sought],
    queryFn: async ({ signal }) =>
      (await unwrap(api.GET('/api/v1/admin/users/search', { params: { query: { query: sought } }, signal }))).data,
    enabled: (sought.length > 1 || isId(sought)) && may('view users'),
  });
  const screens = SCREENS.filter((screen) => screen.menu && may(...screen.permissions)).flatMap((screen): Hit[] => {
    const name = t(`menu.${screen.menu ?? 'home'}`);
    const group = screen.group ? t(`menuGroup.${screen.group}`) : '';
    const hit = { key: screen.path, icon: screen.icon ?? 'circle', text: name, detail: group, to: screen.path };
    return `${name} ${group}`.toLowerCase().includes(wanted) ? [hit] : [];
  });
  const waiting = COUNTER_LINKS.filter((link) => may(link.permission)).flatMap((link): Hit[] => {
    const name = t(`home.${link.name}`);
    const hit = {
      key: link.name,
      icon: link.icon,
      text: name,
      detail: counters && count(counters[link.name]),
      to: link.to,
    };
    return name.toLowerCase().includes(wanted) ? [hit] : [];
  });
  const order = isId(text) && may('view orders');
  return [
    ...(order
      ? [{ key: 'order', icon: 'shopping-cart', text: t('shell.order', { id: text }), to: `/orders/${text}` }]
      : []),
    ...screens,
    ...waiting,
    ...users.slice(0, 8).map((user) => ({
      key: `user-${user.id}`,
      icon: 'user',
      text: user.name,
      detail: user.email,
      to: `/users/${user.id}`,
    })),
  ];
}
