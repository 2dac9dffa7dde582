import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';

/** What a target is about. */
export function AboutText({ about }: { about: Schemas['TargetName'] }) {
  const { t } = useTranslation();
  return <>{t(`targets.about.${about}`)}</>;
}

/** How a target is asked for. */
export function ViewText({ view }: { view: Schemas['ViewType'] }) {
  const { t } = useTranslation();
  return <>{t(`targets.views.${view}`)}</>;
}
