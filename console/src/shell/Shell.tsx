// The frame around every screen: the menu with live counters, the header, and the main content.
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'wouter';
import { formatNumber } from '@/i18n/format';
import { type ConnectionState, useCounter, useLiveCounters } from '@/live/counters';
import { OutageBanner } from '@/live/OutageBanner';
import { Brand } from '@/session/Brand';
import { useHasPermission } from '@/session/hooks';
import { CommandPalette } from './CommandPalette';
import { Header } from './Header';
import { ShortcutsDialog } from './ShortcutsDialog';
import { MENU_GROUPS, type MenuGroupName, type Screen } from './screen';
import { SCREENS } from './screens';
import { useGlobalShortcuts } from './useGlobalShortcuts';

export function Shell({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  const connectionState = useLiveCounters();
  const [dialog, setDialog] = useState<'shortcuts' | 'palette' | null>(null);
  const [isMenuOpen, setIsMenuOpen] = useState(false);
  useGlobalShortcuts({ onOpenHelp: () => setDialog('shortcuts'), onOpenPalette: () => setDialog('palette') });
  return (
    <div className="app" data-menu={isMenuOpen || undefined}>
      <a className="skip" href="#main">
        {t('shell.skipToContent')}
      </a>
      <Menu connectionState={connectionState} onNavigate={() => setIsMenuOpen(false)} />
      {isMenuOpen && (
        <button
          type="button"
          className="menu-shade"
          aria-label={t('shell.closeMenu')}
          onClick={() => setIsMenuOpen(false)}
        />
      )}
      <div className="main">
        <Header
          onOpenMenu={() => setIsMenuOpen(!isMenuOpen)}
          onOpenPalette={() => setDialog('palette')}
          onOpenShortcuts={() => setDialog('shortcuts')}
        />
        <OutageBanner />
        <main id="main">{children}</main>
      </div>
      {dialog === 'shortcuts' && <ShortcutsDialog onClose={() => setDialog(null)} />}
      {dialog === 'palette' && <CommandPalette onClose={() => setDialog(null)} />}
    </div>
  );
}

function Menu({ connectionState, onNavigate }: { connectionState: ConnectionState; onNavigate: () => void }) {
  const { t } = useTranslation();
  const hasPermission = useHasPermission();
  const menuScreens = SCREENS.filter((screen) => screen.menuLabel && hasPermission(...screen.permissions));
  return (
    <nav className="side" aria-label={t('shell.menu')}>
      <Brand />
      {[undefined, ...MENU_GROUPS].map((group) => (
        <MenuGroup
          key={group ?? ''}
          group={group}
          screens={menuScreens.filter((screen) => screen.menuGroup === group)}
          onNavigate={onNavigate}
        />
      ))}
      <span className="grow" />
      <span className="live" data-connection={connectionState} role="status">
        <span aria-hidden className="live-dot" />
        {t(`live.${connectionState}`)}
      </span>
    </nav>
  );
}

interface MenuGroupProps {
  group: MenuGroupName | undefined;
  screens: readonly Screen[];
  onNavigate: () => void;
}

function MenuGroup({ group, screens, onNavigate }: MenuGroupProps) {
  const { t } = useTranslation();
  if (screens.length === 0) return null;
  return (
    <>
      {group && <p className="nav-group">{t(`menuGroup.${group}`)}</p>}
      {screens.map((screen) => (
        <MenuLink key={screen.path} screen={screen} onNavigate={onNavigate} />
      ))}
    </>
  );
}

function MenuLink({ screen, onNavigate }: { screen: Screen; onNavigate: () => void }) {
  const { t } = useTranslation();
  const [path] = useLocation();
  const isCurrent = screen.path === '/' ? path === '/' : path === screen.path || path.startsWith(`${screen.path}/`);
  const text = t(`menu.${screen.menuLabel ?? 'home'}`);
  return (
    <div className="nav-row">
      <Link href={screen.path} className="nav" aria-current={isCurrent ? 'page' : undefined} onClick={onNavigate}>
        <i className={`pi pi-${screen.icon}`} aria-hidden />
        {text}
      </Link>
      {screen.counter && <CounterLink counter={screen.counter} path={screen.path} onNavigate={onNavigate} />}
    </div>
  );
}

/** Shows the counter of a screen in the menu, as a link to the counted records. Shows nothing if the counter is 0. */
function CounterLink({
  counter,
  path,
  onNavigate,
}: {
  counter: NonNullable<Screen['counter']>;
  path: string;
  onNavigate: () => void;
}) {
  const { t } = useTranslation();
  const count = useCounter(counter.name);
  if (!count) return null;
  return (
    <Link
      href={`${path}?${counter.filterQuery}`}
      className="pill"
      onClick={onNavigate}
      aria-label={t(`counters.${counter.name}`, { count })}
    >
      {formatNumber(count)}
    </Link>
  );
}
