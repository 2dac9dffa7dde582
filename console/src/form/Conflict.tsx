// The texts that show that another user has saved a change of a field that this user is editing.
import { useTranslation } from 'react-i18next';
import type { FormValues } from './spec';

/**
 * Returns a function that creates the conflict text of a field, or returns undefined if the field has no conflict. `format`
 * converts the saved value to the text that the field shows for this value.
 */
export function useConflictText(conflicts: FormValues) {
  const { t } = useTranslation();
  return (name: string, format: (value: string) => string | undefined = (value) => value): string | undefined => {
    const savedValue = conflicts[name];
    if (savedValue === undefined) return undefined;
    return t('ui.conflict.field', { value: (format(savedValue) ?? savedValue) || '–' });
  };
}

/**
 * The conflict text below a field with several values, such as slides. The text does not contain the saved values: they are too
 * long.
 */
export function ConflictNote({ conflicts, name }: { conflicts: FormValues; name: string }) {
  const { t } = useTranslation();
  const hasConflict = Object.keys(conflicts).some((key) => key === name || key.startsWith(`${name}.`));
  return hasConflict && <small className="field-newer">{t('ui.conflict.row')}</small>;
}
