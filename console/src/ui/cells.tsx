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

/** Addresses that a browser may open; anything else, such as `javascript:`, stays text. */
const WEB = /^https?:\/\//i;

/** What a customer typed as an address: text, and a link only where it is there to be looked at, such as a proof. */
export function UrlCell({ url, opens = false }: { url: string; opens?: boolean }) {
  const text = <Middle text={url} most={22} />;
  return (
    <span className="with-copy">
      {opens && WEB.test(url) ? (
        <a href={url} target="_blank" rel="noopener noreferrer">
          {text}
        </a>
      ) : (
        text
      )}
      <CopyButton text={url} />
    </span>
  );
}
