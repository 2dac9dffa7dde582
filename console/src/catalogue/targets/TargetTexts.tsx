import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';

/** The subject of a target. */
export function TargetNameText({ about }: { about: Schemas['TargetName'] }) {
  const { t } = useTranslation();
  return <>{t(`targets.about.${about}`)}</>;
}

/** The control that asks customers for the target. */
export function TargetViewText({ view }: { view: Schemas['ViewType'] }) {
  const { t } = useTranslation();
  return <>{t(`targets.views.${view}`)}</>;
}
