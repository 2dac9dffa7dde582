// Who is told of what happens in the panel.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import { WEBHOOKS } from './declaration';
import { SecretDialog } from './SecretDialog';
import { WebhookForm } from './WebhookForm';

export default function Webhooks() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [making, setMaking] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <>
      <ServerTable
        list={WEBHOOKS}
        tools={<Button variant="filled" icon="plus" label={t('webhooks.create')} onClick={() => setMaking(true)} />}
      />
      {making && (
        <WebhookForm
          webhook={null}
          onClose={() => setMaking(false)}
          onSaved={(made) => {
            setSecret(made.secret ?? null);
            void queries.invalidateQueries({ queryKey: ['webhooks'] });
          }}
        />
      )}
      {secret && <SecretDialog secret={secret} onClose={() => setSecret(null)} />}
    </>
  );
}
