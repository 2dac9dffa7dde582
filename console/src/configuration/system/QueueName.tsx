// The translated name of a poller or job kind; an unknown kind is shown untranslated.
import { useTranslation } from 'react-i18next';

export function QueueName({ kind }: { kind: string }) {
  const { t } = useTranslation();
  return t(`poller.${kind as 'mail'}`, { defaultValue: kind });
}
