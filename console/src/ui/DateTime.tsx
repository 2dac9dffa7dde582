// A time: shown in UTC, with relative time, time in the time zone of the user's profile, and ISO time on hover.
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { formatLocal, formatRelative, parseUtc } from '@/i18n/format';
import { localeOf } from '@/i18n/locales';
import { session } from '@/session/store';

export const DateTime = memo(function When({ at }: { at: string | null | undefined }) {
  const { i18n } = useTranslation();
  if (!at) return <span className="none">–</span>;
  const tooltip = () => {
    const { tag } = localeOf(i18n.language);
    const zone = session.state().profile?.time_zone ?? null;
    return `${formatRelative(at, Date.now(), tag)}\n${formatLocal(at, tag, zone)}\n${parseUtc(at).toISOString()}`;
  };
  return (
    <time
      dateTime={`${at.replace(' ', 'T')}Z`}
      onMouseEnter={(event) => {
        event.currentTarget.title = tooltip();
      }}
    >
      {at.slice(0, 19)}
    </time>
  );
});
