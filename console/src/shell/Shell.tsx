// The frame of every screen: menu with live counters, header, main.
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'wouter';
import { count } from '@/i18n/format';
import { type Link as LiveLink, useCount, useLiveCounters } from '@/live/counters';
import { OutageBanner } from '@/live/OutageBanner';
import { Brand } from '@/session/Brand';
import { useMay } from '@/session/hooks';
import { Header } from './Header';
import { KeysDialog } from './KeysDialog';
import { Palette } from './Palette';
import { GROUPS, type Group, type Screen } from './screen';
import { SCREENS } from './screens';
import { useGoKeys } from './useGoKeys';

export function Shell({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  const link = useLiveCounters();
  const [dialog, setDialog] = useState<'keys' | 'palette' | null>(null);
  const [menuOpen, setMenuOpen] = useState(false);
  useGoKeys({ onHelp: () => setDialog('keys'), onPalette: () => setDialog('palette') });
  return (
    <div className="app" data-menu={menuOpen || undefined}>
      <a className="skip" href="#main">
        {t('shell.skip')}
      </a>
      <Menu link={link} onChosen={() => setMenuOpen(false)} />
      {menuOpen && (
        <button
          type="button"
          className="menu-shade"
          aria-label={t('shell.closeMenu')}
          onClick={() => setMenuOpen(false)}
        />
      )}
      <div className="main">
        <Header
          onMenu={() => setMenuOpen(!menuOpen)}
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

function Menu({ link, onChosen }: { link: LiveLink; onChosen: () => void }) {
  const { t } = useTranslation();
  const may = useMay();
  const shown = SCREENS.filter((screen) => screen.menu && may(...screen.permissions));
  return (
    <nav className="side" aria-label={t('shell.menu')}>
      <Brand />
      {[undefined, ...GROUPS].map((group) => (
        <MenuGroup
          key={group ?? ''}
          group={group}
          screens={shown.filter((screen) => screen.group === group)}
          onChosen={onChosen}
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
  onChosen: () => void;
}

function MenuGroup({ group, screens, onChosen }: GroupProps) {
  const { t } = useTranslation();
  if (screens.length === 0) return null;
  return (
    <>
      {group && <p className="nav-group">{t(`menuGroup.${group}`)}</p>}
      {screens.map((screen) => (
        <MenuLink key={screen.path} screen={screen} onChosen={onChosen} />
      ))}
    </>
  );
}

function MenuLink({ screen, onChosen }: { screen: Screen; onChosen: () => void }) {
  const { t } = useTranslation();
  const [path] = useLocation();
  const isHere = screen.path === '/' ? path === '/' : path === screen.path || path.startsWith(`${screen.path}/`);
  const text = t(`menu.${screen.menu ?? 'home'}`);
  return (
    <div className="nav-row">
      <Link href={screen.path} className="nav" aria-current={isHere ? 'page' : undefined} onClick={onChosen}>
        <i className={`pi pi-${screen.icon}`} aria-hidden />
        {text}
      </Link>
      {screen.counter && <Pill counter={screen.counter} path={screen.path} onChosen={onChosen} />}
    </div>
  );
}

/** Its own link: it leads to what it counts. */
function Pill({
  counter,
  path,
  onChosen,
}: {
  counter: NonNullable<Screen['counter']>;
  path: string;
  onChosen: () => void;
}) {
  const { t } = useTranslation();
  const value = useCount(counter.name);
  if (!value) return null;
  return (
    <Link
      href={`${path}?${counter.filter}`}
      className="pill"
      onClick={onChosen}
      aria-label={t(`counters.${counter.name}`, { count: value })}
    >
      {count(value)}
    </Link>
  );
}
