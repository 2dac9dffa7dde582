// The translated texts of the type of a target.
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';

/** What a target asks the customer for, such as the country. */
export function TargetNameText({ name }: { name: Schemas['TargetName'] }) {
  const { t } = useTranslation();
  return <>{t(`targets.about.${name}`)}</>;
}

/** The control in which the customer enters the target, such as a select. */
export function TargetViewText({ view }: { view: Schemas['ViewType'] }) {
  const { t } = useTranslation();
  return <>{t(`targets.views.${view}`)}</>;
}
