import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';

export function PaymentTypeText({ type }: { type: Schemas['PaymentType'] }) {
  const { t } = useTranslation();
  return <>{t(`paymentType.${type}`)}</>;
}
