// The header of the console: command palette, language, keyboard shortcuts, color scheme and user menu.
import type { TFunction } from 'i18next';
import { Menu } from 'primereact/menu';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { asProblem } from '@/api/problem';
import { getAvailableLocales } from '@/i18n';
import type { LocaleCode } from '@/i18n/locales';
import { useSession } from '@/session/hooks';
import { chooseLanguage, signOut } from '@/session/requests';
import { toggleColorScheme, useColorScheme } from '@/theme/theme';
import { Button } from '@/ui/Button';
import { toast } from '@/ui/toasts';

interface Props {
  onOpenMenu: () => void;
  onOpenPalette: () => void;
  onOpenShortcuts: () => void;
}

export function Header({ onOpenMenu, onOpenPalette, onOpenShortcuts }: Props) {
  const { t, i18n } = useTranslation();
  const colorScheme = useColorScheme();
  return (
    <header className="top">
      <Button
        className="menu-button"
        variant="plain"
        iconOnly
        icon="bars"
        label={t('shell.openMenu')}
        onClick={onOpenMenu}
      />
      <button type="button" className="jump" onClick={onOpenPalette}>
        <i className="pi pi-search" aria-hidden />
        <span>{t('shell.commandPalette')}</span>
        <kbd>Ctrl K</kbd>
      </button>
      <span className="grow" />
      <label className="language">
        <span className="sr">{t('shell.language')}</span>
        <select value={i18n.language} onChange={(event) => void changeLanguage(event.target.value as LocaleCode)}>
          {getAvailableLocales().map((locale) => (
            <option key={locale.code} value={locale.code} lang={locale.tag}>
              {locale.name}
            </option>
          ))}
        </select>
      </label>
      <Button
        variant="plain"
        iconOnly
        icon="question-circle"
        label={t('shell.keyboardShortcuts')}
        onClick={onOpenShortcuts}
      />
      <Button
        variant="plain"
        iconOnly
        icon={colorScheme === 'dark' ? 'sun' : 'moon'}
        label={t(colorScheme === 'dark' ? 'shell.lightTheme' : 'shell.darkTheme')}
        onClick={toggleColorScheme}
      />
      <UserMenu />
    </header>
  );
}

async function changeLanguage(code: LocaleCode): Promise<void> {
  try {
    await chooseLanguage(code);
  } catch (error) {
    toast({ tone: 'error', text: asProblem(error).message });
  }
}

/** Signs out. Shows an error if the server did not end the session, because the session cookie is then still valid. */
async function signOutOrShowError(t: TFunction): Promise<void> {
  try {
    await signOut();
  } catch (error) {
    toast({ tone: 'error', text: t('session.stillSignedIn'), detail: asProblem(error).message });
  }
}

function UserMenu() {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const { profile } = useSession();
  const menu = useRef<Menu>(null);
  const items = [
    { template: () => <UserCard /> },
    { separator: true },
    { label: t('profile.title'), icon: 'pi pi-user', command: () => navigate('/profile/sessions') },
    { label: t('session.signOut'), icon: 'pi pi-sign-out', command: () => void signOutOrShowError(t) },
  ];
  return (
    <>
      <button
        type="button"
        className="who"
        aria-haspopup="menu"
        aria-label={profile?.name}
        onClick={(event) => menu.current?.toggle(event)}
      >
        <span className="avatar" aria-hidden>
          {[...(profile?.name ?? '?')][0]?.toUpperCase()}
        </span>
        <span className="who-name">{profile?.name}</span>
        <i className="pi pi-angle-down" aria-hidden />
      </button>
      <Menu ref={menu} popup popupAlignment="right" model={items} />
    </>
  );
}

function UserCard() {
  const { profile } = useSession();
  return (
    <div className="who-card">
      <strong>{profile?.name}</strong>
      <span>{profile?.email}</span>
      <small>{profile?.roles.map((role) => role.name).join(', ')}</small>
    </div>
  );
}
