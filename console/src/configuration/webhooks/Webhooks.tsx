// The screen with the list of webhooks. A webhook sends events of this panel to a URL.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import { SecretDialog } from './SecretDialog';
import { WebhookForm } from './WebhookForm';
import { WEBHOOKS } from './webhookList';

export default function Webhooks() {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [isCreating, setIsCreating] = useState(false);
  const [newSecret, setNewSecret] = useState<string | null>(null);
  return (
    <>
      <ServerTable
        list={WEBHOOKS}
        tools={<Button variant="filled" icon="plus" label={t('webhooks.create')} onClick={() => setIsCreating(true)} />}
      />
      {isCreating && (
        <WebhookForm
          webhook={null}
          onClose={() => setIsCreating(false)}
          onSaved={(createdWebhook) => {
            setNewSecret(createdWebhook.secret ?? null);
            void queryClient.invalidateQueries({ queryKey: ['webhooks'] });
          }}
        />
      )}
      {newSecret && <SecretDialog secret={newSecret} onClose={() => setNewSecret(null)} />}
    </>
  );
}
