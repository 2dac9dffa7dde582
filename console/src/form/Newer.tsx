// What another person made of a field while something else was typed into it, in words.
import { useTranslation } from 'react-i18next';
import type { FormValues } from './spec';

/** The words for a field of one value; none where only this person changed it. `shown` is a value as the field shows it. */
export function useNewer(conflicts: FormValues) {
  const { t } = useTranslation();
  return (name: string, shown: (value: string) => string | undefined = (value) => value): string | undefined => {
    const newer = conflicts[name];
    return newer === undefined ? undefined : t('ui.newer.clash', { value: (shown(newer) ?? newer) || '–' });
  };
}

/** Below a field that holds more than one value, such as slides: its values do not go into a sentence. */
export function NewerMark({ conflicts, name }: { conflicts: FormValues; name: string }) {
  const { t } = useTranslation();
  const isNewer = Object.keys(conflicts).some((key) => key === name || key.startsWith(`${name}.`));
  return isNewer && <small className="field-newer">{t('ui.newer.row')}</small>;
}
