// The form that creates or edits a webhook: its URL, and the event types to which the webhook subscribes.
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { EventType as EVENT_TYPES } from '@/api/enums';
import { webhooks } from '@/api/lists/webhooks';
import { fetchRows } from '@/api/table';
import { withIdempotencyKey } from '@/api/writeOptions';
import { commaListCodec, enumListCodec, parseCommaList, urlCodec } from '@/form/codecs';
import { FormDialog } from '@/form/FormDialog';
import { findLatestRow } from '@/form/merge';
import { defineForm } from '@/form/spec';
import { Checkbox } from '@/ui/Field';
import { EVENT_GROUPS, type EventType, toEventTextKey, WEBHOOK_PATH, type Webhook } from './webhookList';

const WEBHOOK_FORM = defineForm<Schemas['WebhookInput']>()({
  url: urlCodec,
  webhook_types: enumListCodec(EVENT_TYPES),
});

const toWebhookFormValues = (webhook: Webhook) =>
  WEBHOOK_FORM.toValues({ ...webhook, webhook_types: webhook.webhook_types.map(({ type }) => type) });

const fetchLatestWebhook = async (webhook: Webhook) =>
  findLatestRow(webhook, await fetchRows(webhooks, 1, undefined, { filters: { id: String(webhook.id) } }));

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
      confirmLabel={t('ui.save')}
      fields={[
        { name: 'url', label: t('webhooks.columns.url'), hint: t('webhooks.urlHint'), maxLength: 2_000 },
        {
          name: 'webhook_types',
          label: t('webhooks.columns.types'),
          fullWidth: true,
          render: ({ value, onChange }) => <EventTypeCheckboxes value={value} onChange={onChange} />,
        },
      ]}
      spec={WEBHOOK_FORM}
      initialValues={webhook ? toWebhookFormValues(webhook) : WEBHOOK_FORM.toValues({ url: 'https://' })}
      reload={webhook ? async () => toWebhookFormValues(await fetchLatestWebhook(webhook)) : undefined}
      send={({ values, base }, idempotencyKey) => {
        const body = WEBHOOK_FORM.toBody(values, base);
        return unwrap(
          webhook
            ? api.PUT(WEBHOOK_PATH, { params: { path: { id: webhook.id } }, body })
            : api.POST('/api/v1/admin/webhooks', { body, ...withIdempotencyKey(idempotencyKey) }),
        );
      }}
      successMessage={t('ui.saved')}
      onDone={({ data }) => onSaved(data)}
      onClose={onClose}
    />
  );
}

interface EventTypeCheckboxesProps {
  /** Event types, separated by commas. */
  value: string;
  onChange: (value: string) => void;
}

function EventTypeCheckboxes({ value, onChange }: EventTypeCheckboxesProps) {
  const { t } = useTranslation();
  const subscribedTypes = parseCommaList(value);
  const setSubscribed = (type: EventType, isSubscribed: boolean) =>
    onChange(
      commaListCodec.format(
        isSubscribed ? [...subscribedTypes, type] : subscribedTypes.filter((subscribedType) => subscribedType !== type),
      ),
    );
  return (
    <div className="grants">
      {EVENT_GROUPS.map(([group, types]) => (
        <fieldset key={group}>
          <legend>{t(`menuGroup.${group as 'orders'}`)}</legend>
          {types.map((type) => (
            <Checkbox
              key={type}
              label={t(`eventType.${toEventTextKey(type)}`)}
              checked={subscribedTypes.includes(type)}
              onChange={(isChecked) => setSubscribed(type, isChecked)}
            />
          ))}
        </fieldset>
      ))}
    </div>
  );
}
