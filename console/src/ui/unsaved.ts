// Unsaved changes are not lost by accident: leaving the page or closing the dialog asks first.
import { useCallback, useEffect } from 'react';
import { useTranslation } from 'react-i18next';

/** Guards while `isDirty`; the answer asks the person and says whether they want to leave. */
export function useUnsaved(isDirty: boolean): () => boolean {
  const { t } = useTranslation();
  useEffect(() => {
    if (!isDirty) return;
    const stay = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', stay);
    return () => window.removeEventListener('beforeunload', stay);
  }, [isDirty]);
  return useCallback(() => !isDirty || window.confirm(t('ui.unsaved')), [isDirty, t]);
}
