// The translated texts of a change: its action and the type of the changed record.
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';

export function ChangeActionText({ action }: { action: Schemas['ChangeAction'] }) {
  const { t } = useTranslation();
  return <>{t(`changeAction.${action}`)}</>;
}

export function ChangeModelText({ model }: { model: Schemas['ChangeModel'] }) {
  const { t } = useTranslation();
  return <>{t(`changeModel.${model}`)}</>;
}
