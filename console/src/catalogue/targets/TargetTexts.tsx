// The translated texts that describe the type of a target.
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';

/** Shows the question that a target asks the customer, such as the country. */
export function TargetNameText({ name }: { name: Schemas['TargetName'] }) {
  const { t } = useTranslation();
  return <>{t(`targets.about.${name}`)}</>;
}

/** Shows the kind of input control that the customer uses for the target, such as a select. */
export function TargetViewText({ view }: { view: Schemas['ViewType'] }) {
  const { t } = useTranslation();
  return <>{t(`targets.views.${view}`)}</>;
}
