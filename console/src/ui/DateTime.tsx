// Shows a time in UTC. Its tooltip shows the relative time, the time in the time zone of the user's profile, and the ISO time.
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { formatLocal, formatRelative, parseUtc } from '@/i18n/format';
import { getLocale } from '@/i18n/locales';
import { session } from '@/session/store';

export const DateTime = memo(function DateTime({ time }: { time: string | null | undefined }) {
  const { i18n } = useTranslation();
  if (!time) return <span className="none">–</span>;
  const createTooltip = () => {
    const { tag } = getLocale(i18n.language);
    const timeZone = session.getState().profile?.time_zone ?? null;
    return `${formatRelative(time, Date.now(), tag)}\n${formatLocal(time, tag, timeZone)}\n${parseUtc(time).toISOString()}`;
  };
  return (
    <time
      dateTime={`${time.replace(' ', 'T')}Z`}
      onMouseEnter={(event) => {
        event.currentTarget.title = createTooltip();
      }}
    >
      {time.slice(0, 19)}
    </time>
  );
});
