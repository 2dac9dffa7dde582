// Table cells that many screens use.
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { formatCountries } from '@/i18n/format';
import { getLocale } from '@/i18n/locales';
import { useHasPermission } from '@/session/hooks';
import { CopyButton, MiddleTruncatedText } from './Copy';

/** Shows "Yes" for true and a dash for false. With `isWarning`, "Yes" has the color and the icon of a warning. */
export function BooleanText({ value, isWarning = false }: { value: boolean; isWarning?: boolean }) {
  const { t } = useTranslation();
  if (!value) return <span className="none">–</span>;
  return (
    <span className={isWarning ? 'flag-bad' : 'flag'}>
      <i className={`pi pi-${isWarning ? 'exclamation-triangle' : 'check'}`} aria-hidden /> {t('ui.yes')}
    </span>
  );
}

export function CountryNames({ codes }: { codes: readonly string[] }) {
  const { i18n } = useTranslation();
  return codes.length > 0 ? formatCountries(codes, getLocale(i18n.language).tag) : <span className="none">–</span>;
}

/** The name of a customer, as a link for staff who may view customers. */
export function UserLink({ user }: { user: { id: number; name: string; email?: string } }) {
  const hasPermission = useHasPermission();
  if (!hasPermission('view users')) return <span title={user.email}>{user.name}</span>;
  return (
    <Link href={`/users/${user.id}`} title={user.email}>
      {user.name}
    </Link>
  );
}

/** Only http(s) URLs may become links. Other values, such as `javascript:`, are shown as text. */
const HTTP_URL_PATTERN = /^https?:\/\//i;

/** A URL that a customer has entered. With `isLink` staff can open the URL, for example the proof of a task. */
export function UrlCell({ url, isLink = false }: { url: string; isLink?: boolean }) {
  const text = <MiddleTruncatedText text={url} maxLength={22} />;
  return (
    <span className="with-copy">
      {isLink && HTTP_URL_PATTERN.test(url) ? (
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
