// Shows the translated name of a poller or job kind. Shows an unknown kind as it is.
import { useTranslation } from 'react-i18next';

export function QueueName({ kind }: { kind: string }) {
  const { t } = useTranslation();
  return t(`poller.${kind as 'mail'}`, { defaultValue: kind });
}
