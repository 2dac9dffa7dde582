// Cells that many lists use.
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { formatCountries } from '@/i18n/format';
import { localeOf } from '@/i18n/locales';
import { useHasPermission } from '@/session/hooks';
import { CopyButton, TruncatedMiddle } from './Copy';

/** "Yes" or a dash; `bad` marks "Yes" as a warning. */
export function Flag({ on, bad = false }: { on: boolean; bad?: boolean }) {
  const { t } = useTranslation();
  if (!on) return <span className="none">–</span>;
  return (
    <span className={bad ? 'flag-bad' : 'flag'}>
      <i className={`pi pi-${bad ? 'exclamation-triangle' : 'check'}`} aria-hidden /> {t('ui.yes')}
    </span>
  );
}

export function Countries({ codes }: { codes: readonly string[] }) {
  const { i18n } = useTranslation();
  return codes.length > 0 ? formatCountries(codes, localeOf(i18n.language).tag) : <span className="none">–</span>;
}

/** A customer's name, as a link for staff who may view customers. */
export function UserLink({ user }: { user: { id: number; name: string; email?: string } }) {
  const may = useHasPermission();
  if (!may('view users')) return <span title={user.email}>{user.name}</span>;
  return (
    <Link href={`/users/${user.id}`} title={user.email}>
      {user.name}
    </Link>
  );
}

/** Only http(s) URLs become links; anything else, such as `javascript:`, is shown as text. */
const HTTP_URL = /^https?:\/\//i;

/** A URL that a customer entered: text, or a link when staff need to open it, such as a proof. */
export function UrlCell({ url, isLink = false }: { url: string; isLink?: boolean }) {
  const text = <TruncatedMiddle text={url} maxLength={22} />;
  return (
    <span className="with-copy">
      {isLink && HTTP_URL.test(url) ? (
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
