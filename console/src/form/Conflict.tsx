// Shows that another user has changed a field that was edited here.
import { useTranslation } from 'react-i18next';
import type { FormValues } from './spec';

/** The conflict text of a field with one value; undefined without a conflict. `format` shows a value as the field does. */
export function useConflictText(conflicts: FormValues) {
  const { t } = useTranslation();
  return (name: string, format: (value: string) => string | undefined = (value) => value): string | undefined => {
    const current = conflicts[name];
    return current === undefined ? undefined : t('ui.newer.clash', { value: (format(current) ?? current) || '–' });
  };
}

/** The conflict text below a field with several values, such as slides, which a sentence cannot quote. */
export function ConflictMark({ conflicts, name }: { conflicts: FormValues; name: string }) {
  const { t } = useTranslation();
  const hasConflict = Object.keys(conflicts).some((key) => key === name || key.startsWith(`${name}.`));
  return hasConflict && <small className="field-newer">{t('ui.newer.row')}</small>;
}
