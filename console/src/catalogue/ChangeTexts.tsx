import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';

/** What was done. */
export function ChangeActionText({ action }: { action: Schemas['ChangeAction'] }) {
  const { t } = useTranslation();
  return <>{t(`changeAction.${action}`)}</>;
}

/** To what kind of record. */
export function ChangeModelText({ model }: { model: Schemas['ChangeModel'] }) {
  const { t } = useTranslation();
  return <>{t(`changeModel.${model}`)}</>;
}
