// Shows that another user has saved a change of a field that the user is editing.
import { useTranslation } from 'react-i18next';
import type { FormValues } from './spec';

/**
 * Returns a function that returns the conflict text of a field with one value, or undefined without a conflict. `format` converts
 * the saved value to the text that the field shows.
 */
export function useConflictTextOf(conflicts: FormValues) {
  const { t } = useTranslation();
  return (name: string, format: (value: string) => string | undefined = (value) => value): string | undefined => {
    const savedValue = conflicts[name];
    if (savedValue === undefined) return undefined;
    return t('ui.newer.clash', { value: (format(savedValue) ?? savedValue) || '–' });
  };
}

/** The conflict text below a field with several values, such as slides. It does not contain the values: they do not fit into it. */
export function ConflictMark({ conflicts, name }: { conflicts: FormValues; name: string }) {
  const { t } = useTranslation();
  const hasConflict = Object.keys(conflicts).some((key) => key === name || key.startsWith(`${name}.`));
  return hasConflict && <small className="field-newer">{t('ui.newer.row')}</small>;
}
