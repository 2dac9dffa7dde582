// The frame of every screen: menu with live counters, header and main content.
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'wouter';
import { formatNumber } from '@/i18n/format';
import { type ConnectionState as LiveLink, useCounter, useLiveCounters } from '@/live/counters';
import { OutageBanner } from '@/live/OutageBanner';
import { Brand } from '@/session/Brand';
import { useHasPermission } from '@/session/hooks';
import { Header } from './Header';
import { KeysDialog } from './KeysDialog';
import { Palette } from './Palette';
import { GROUPS, type Group, type Screen } from './screen';
import { SCREENS } from './screens';
import { useGlobalKeys } from './useGlobalKeys';

export function Shell({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  const link = useLiveCounters();
  const [dialog, setDialog] = useState<'keys' | 'palette' | null>(null);
  const [isMenuOpen, setIsMenuOpen] = useState(false);
  useGlobalKeys({ onHelp: () => setDialog('keys'), onPalette: () => setDialog('palette') });
  return (
    <div className="app" data-menu={isMenuOpen || undefined}>
      <a className="skip" href="#main">
        {t('shell.skip')}
      </a>
      <Menu link={link} onNavigate={() => setIsMenuOpen(false)} />
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
          onMenu={() => setIsMenuOpen(!isMenuOpen)}
          onPalette={() => setDialog('palette')}
          onKeys={() => setDialog('keys')}
        />
        <OutageBanner />
        <main id="main">{children}</main>
      </div>
      {dialog === 'keys' && <KeysDialog onClose={() => setDialog(null)} />}
      {dialog === 'palette' && <Palette onClose={() => setDialog(null)} />}
    </div>
  );
}

function Menu({ link, onNavigate }: { link: LiveLink; onNavigate: () => void }) {
  const { t } = useTranslation();
  const may = useHasPermission();
  const shown = SCREENS.filter((screen) => screen.menu && may(...screen.permissions));
  return (
    <nav className="side" aria-label={t('shell.menu')}>
      <Brand />
      {[undefined, ...GROUPS].map((group) => (
        <MenuGroup
          key={group ?? ''}
          group={group}
          screens={shown.filter((screen) => screen.group === group)}
          onNavigate={onNavigate}
        />
      ))}
      <span className="grow" />
      <span className="live" data-link={link} role="status">
        <span aria-hidden className="live-dot" />
        {t(`live.${link}`)}
      </span>
    </nav>
  );
}

interface GroupProps {
  group: Group | undefined;
  screens: readonly Screen[];
  onNavigate: () => void;
}

function MenuGroup({ group, screens, onNavigate }: GroupProps) {
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
  const text = t(`menu.${screen.menu ?? 'home'}`);
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

/** A counter in the menu, which links to the counted records. */
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
  const value = useCounter(counter.name);
  if (!value) return null;
  return (
    <Link
      href={`${path}?${counter.filter}`}
      className="pill"
      onClick={onNavigate}
      aria-label={t(`counters.${counter.name}`, { count: value })}
    >
      {formatNumber(value)}
    </Link>
  );
}
