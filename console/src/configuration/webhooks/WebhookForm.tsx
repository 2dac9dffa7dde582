// Makes or changes a webhook: where it goes and what it is told of.
import { useTranslation } from 'react-i18next';
import { api, type Schemas, told } from '@/api/client';
import { Tick } from '@/ui/Field';
import { FormDialog } from '@/ui/FormDialog';
import { toast } from '@/ui/toasts';
import { type EventWord, GROUPS, PATH, textOf, type Webhook } from './declaration';

interface Props {
  webhook: Webhook | null;
  onClose: () => void;
  onSaved: (webhook: Webhook) => void;
}

export function WebhookForm({ webhook, onClose, onSaved }: Props) {
  const { t } = useTranslation();
  return (
    <FormDialog
      title={webhook ? t('webhooks.edit') : t('webhooks.create')}
      confirm={t('ui.save')}
      fields={[
        { name: 'url', label: t('webhooks.columns.url'), mode: 'url', hint: t('webhooks.urlHint'), maxLength: 2_000 },
        {
          name: 'webhook_types',
          label: t('webhooks.columns.types'),
          row: true,
          draw: ({ value, onChange }) => <Types value={value} onChange={onChange} />,
        },
      ]}
      initial={{
        url: webhook?.url ?? 'https://',
        webhook_types: (webhook?.webhook_types ?? []).map(({ type }) => type).join(','),
        updated_at: webhook?.updated_at ?? '',
      }}
      onClose={onClose}
      onSave={async (values, was) => {
        const body = {
          url: values.url ?? '',
          webhook_types: split(values.webhook_types) as EventWord[],
          ...(was.updated_at ? { updated_at: was.updated_at } : {}),
        } as Schemas['WebhookInput'];
        const answer = webhook
          ? await told(api.PUT(PATH, { params: { path: { id: webhook.id } }, body }))
          : await told(api.POST('/api/v1/admin/webhooks', { body }));
        toast({ tone: 'success', text: t('ui.saved') });
        onSaved(answer.data);
      }}
    />
  );
}

const split = (value = '') => value.split(',').filter((word) => word !== '');

function Types({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const { t } = useTranslation();
  const chosen = split(value);
  const set = (type: EventWord, on: boolean) =>
    onChange((on ? [...chosen, type] : chosen.filter((word) => word !== type)).join(','));
  return (
    <div className="grants">
      {GROUPS.map(([group, types]) => (
        <fieldset key={group}>
          <legend>{t(`menuGroup.${group as 'orders'}`)}</legend>
          {types.map((type) => (
            <Tick
              key={type}
              label={t(`eventType.${textOf(type)}`)}
              checked={chosen.includes(type)}
              onChange={(on) => set(type, on)}
            />
          ))}
        </fieldset>
      ))}
    </div>
  );
}
