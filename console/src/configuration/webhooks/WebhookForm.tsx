// Makes or changes a webhook: where it goes and what it is told of.
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { webhooks } from '@/api/lists/webhooks';
import { fetchRows } from '@/api/table';
import { EventType } from '@/api/words';
import { withIdempotencyKey } from '@/api/writeOptions';
import { choices, parseWords, url, words } from '@/form/codecs';
import { FormDialog } from '@/form/FormDialog';
import { latestRow } from '@/form/merge';
import { defineForm } from '@/form/spec';
import { Checkbox } from '@/ui/Field';
import { type EventWord, GROUPS, PATH, textOf, type Webhook } from './declaration';

const WEBHOOK = defineForm<Schemas['WebhookInput']>()({ url, webhook_types: choices(EventType) });

const valuesOf = (webhook: Webhook) =>
  WEBHOOK.toValues({ ...webhook, webhook_types: webhook.webhook_types.map(({ type }) => type) });

const newest = async (webhook: Webhook) =>
  latestRow(webhook, await fetchRows(webhooks, 1, undefined, { filters: { id: String(webhook.id) } }));

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
        { name: 'url', label: t('webhooks.columns.url'), hint: t('webhooks.urlHint'), maxLength: 2_000 },
        {
          name: 'webhook_types',
          label: t('webhooks.columns.types'),
          fullWidth: true,
          render: ({ value, onChange }) => <Types value={value} onChange={onChange} />,
        },
      ]}
      spec={WEBHOOK}
      initial={webhook ? valuesOf(webhook) : WEBHOOK.toValues({ url: 'https://' })}
      reload={webhook ? async () => valuesOf(await newest(webhook)) : undefined}
      send={({ values, base }, key) => {
        const body = WEBHOOK.toBody(values, base);
        return unwrap(
          webhook
            ? api.PUT(PATH, { params: { path: { id: webhook.id } }, body })
            : api.POST('/api/v1/admin/webhooks', { body, ...withIdempotencyKey(key) }),
        );
      }}
      success={t('ui.saved')}
      onDone={({ data }) => onSaved(data)}
      onClose={onClose}
    />
  );
}

function Types({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const { t } = useTranslation();
  const chosen = parseWords(value);
  const set = (type: EventWord, on: boolean) =>
    onChange(words.format(on ? [...chosen, type] : chosen.filter((word) => word !== type)));
  return (
    <div className="grants">
      {GROUPS.map(([group, types]) => (
        <fieldset key={group}>
          <legend>{t(`menuGroup.${group as 'orders'}`)}</legend>
          {types.map((type) => (
            <Checkbox
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
