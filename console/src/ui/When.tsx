// A moment: the specification's UTC text, and on hover how long ago, in the time zone of one's profile, and exactly.
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { local, moment, relative } from '@/i18n/format';
import { localeOf } from '@/i18n/locales';
import { session } from '@/session/store';

export const When = memo(function When({ at }: { at: string | null | undefined }) {
  const { i18n } = useTranslation();
  if (!at) return <span className="none">–</span>;
  const say = () => {
    const { tag } = localeOf(i18n.language);
    const zone = session.state().profile?.time_zone ?? null;
    return `${relative(at, Date.now(), tag)}\n${local(at, tag, zone)}\n${moment(at).toISOString()}`;
  };
  return (
    <time
      dateTime={`${at.replace(' ', 'T')}Z`}
      onMouseEnter={(event) => {
        event.currentTarget.title = say();
      }}
    >
      {at.slice(0, 19)}
    </time>
  );
});
