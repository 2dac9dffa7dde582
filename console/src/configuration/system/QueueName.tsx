// What a kind of background work is called.
import { useTranslation } from 'react-i18next';

export function QueueName({ kind }: { kind: string }) {
  const { t } = useTranslation();
  return t(`poller.${kind as 'mail'}`, { defaultValue: kind });
}
