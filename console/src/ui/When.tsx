// A moment: the specification's UTC text, and on hover how long ago, in local time, and exactly.
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { moment, relative } from '@/i18n/format';
import { localeOf } from '@/i18n/locales';

export const When = memo(function When({ at }: { at: string | null | undefined }) {
  const { i18n } = useTranslation();
  if (!at) return <span className="none">–</span>;
  const say = () => {
    const { tag } = localeOf(i18n.language);
    return `${relative(at, Date.now(), tag)}\n${moment(at).toLocaleString(tag)}\n${moment(at).toISOString()}`;
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
