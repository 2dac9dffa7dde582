// Small cells that many lists share.
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { countries } from '@/i18n/format';
import { localeOf } from '@/i18n/locales';
import { useMay } from '@/session/hooks';
import { CopyButton, Middle } from './Copy';

/** Yes, or nothing: a column of crosses is noise. */
export function Flag({ on, bad = false }: { on: boolean; bad?: boolean }) {
  const { t } = useTranslation();
  if (!on) return <span className="none">–</span>;
  return (
    <span className={bad ? 'flag-bad' : 'flag'}>
      <i className={`pi pi-${bad ? 'exclamation-triangle' : 'check'}`} aria-hidden /> {t('ui.yes')}
    </span>
  );
}

/** Countries by their names. */
export function Countries({ codes }: { codes: readonly string[] }) {
  const { i18n } = useTranslation();
  return codes.length > 0 ? countries(codes, localeOf(i18n.language).tag) : <span className="none">–</span>;
}

/** A customer, as a link for those who may follow it. */
export function UserLink({ user }: { user: { id: number; name: string; email?: string } }) {
  const may = useMay();
  if (!may('view users')) return <span title={user.email}>{user.name}</span>;
  return (
    <Link href={`/users/${user.id}`} title={user.email}>
      {user.name}
    </Link>
  );
}

/** What a customer typed as an address: text, never a link. */
export function UrlCell({ url }: { url: string }) {
  return (
    <span className="with-copy">
      <Middle text={url} most={22} />
      <CopyButton text={url} />
    </span>
  );
}
