// Makes a quest, or changes one: what is sent is what was changed.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, told } from '@/api/client';
import { FormDialog, type FormField } from '@/ui/FormDialog';
import { type ServiceHit, ServicePicker } from '@/ui/ServicePicker';
import { toast } from '@/ui/toasts';
import type { Values } from '@/ui/useForm';

type Quest = Schemas['FreeTrialQuest'];

const PATH = '/api/v1/admin/free-trial-quests/{id}';
const FLAGS = [
  'is_enabled',
  'is_repeatable',
  'allow_proof_url',
  'auto_approve_is_allowed',
  'is_allowed_with_spend_above',
] as const;
const AMOUNTS = ['min_amount_for_auto_approve', 'min_user_spend_amount'] as const;

function before(quest: Quest | null): Values {
  if (!quest) return { translations: '', is_enabled: 'yes' };
  return {
    updated_at: quest.updated_at,
    translations: JSON.stringify(quest.translations),
    image: quest.image ?? '',
    icon: quest.icon ?? '',
    service_id: String(quest.service.id),
    quantity: String(quest.quantity),
    deadline: quest.deadline?.replace(' ', 'T') ?? '',
    repeats_count: quest.repeats_count ? String(quest.repeats_count) : '',
    ...Object.fromEntries(FLAGS.map((name) => [name, quest[name] ? 'yes' : ''])),
    ...Object.fromEntries(AMOUNTS.map((name) => [name, quest[name] ?? ''])),
  };
}

/** A field as the wire has it. */
function sent(name: string, value: string): unknown {
  if (name === 'translations') return JSON.parse(value || '{}');
  if ((FLAGS as readonly string[]).includes(name)) return value === 'yes';
  if ((AMOUNTS as readonly string[]).includes(name)) return value.replace(/\s/g, '').replace(',', '.') || null;
  if (name === 'service_id' || name === 'quantity' || name === 'repeats_count')
    return value.trim() ? Number(value) : null;
  if (name === 'deadline') return moment(value);
  if (name === 'image' || name === 'icon') return value || null;
  return value;
}

/** What the browser's picker gives, in UTC; it leaves out seconds that are zero. */
function moment(value: string): string | null {
  return value ? `${value.replace('T', ' ')}${value.length === 16 ? ':00' : ''}` : null;
}

function changed(was: Values, now: Values): Schemas['QuestInput'] {
  const differs = Object.entries(now).filter(([name, value]) => name === 'updated_at' || value !== (was[name] ?? ''));
  const body: unknown = Object.fromEntries(differs.map(([name, value]) => [name, sent(name, value)]));
  return body as Schemas['QuestInput'];
}

interface Props {
  quest: Quest | null;
  onClose: () => void;
  onSaved: () => void;
}

export function QuestForm({ quest, onClose, onSaved }: Props) {
  const { t } = useTranslation();
  const [key] = useState(() => crypto.randomUUID());
  const [service, setService] = useState<ServiceHit | null>(
    quest ? { ...quest.service, default_price: '', min_price: '' } : null,
  );
  const fields: FormField[] = [
    {
      name: 'translations',
      label: t('quests.names'),
      mode: 'texts',
      texts: [{ name: 'name', label: t('quests.columns.name'), hint: t('quests.nameHint'), maxLength: 200 }],
    },
    {
      name: 'service_id',
      label: t('quests.columns.service'),
      draw: ({ id, onChange, invalid }) => (
        <ServicePicker
          id={id}
          label={t('quests.columns.service')}
          value={service}
          invalid={invalid}
          onChange={(hit) => {
            setService(hit);
            onChange(hit ? String(hit.id) : '');
          }}
        />
      ),
    },
    { name: 'quantity', label: t('quests.columns.quantity'), mode: 'numeric', hint: t('quests.quantityHint') },
    { name: 'deadline', label: t('quests.columns.deadline'), mode: 'time', hint: t('quests.deadlineHint') },
    { name: 'is_repeatable', label: t('quests.repeatable'), mode: 'tick' },
    { name: 'repeats_count', label: t('quests.columns.repeats'), mode: 'numeric', hint: t('quests.repeatsHint') },
    { name: 'auto_approve_is_allowed', label: t('quests.autoApprove'), mode: 'tick' },
    { name: 'min_amount_for_auto_approve', label: t('quests.autoApproveFrom'), mode: 'decimal' },
    { name: 'is_allowed_with_spend_above', label: t('quests.onlySpenders'), mode: 'tick' },
    { name: 'min_user_spend_amount', label: t('quests.spentFrom'), mode: 'decimal' },
    { name: 'allow_proof_url', label: t('quests.proof'), mode: 'tick' },
    { name: 'is_enabled', label: t('quests.enabled'), mode: 'tick' },
    { name: 'image', label: t('quests.image'), mode: 'image' },
    { name: 'icon', label: t('quests.icon'), mode: 'image' },
  ];
  return (
    <FormDialog
      title={quest ? t('quests.edit') : t('quests.create')}
      confirm={quest ? t('ui.save') : t('quests.create')}
      fields={fields}
      initial={before(quest)}
      reload={
        quest ? async () => before((await told(api.GET(PATH, { params: { path: { id: quest.id } } }))).data) : undefined
      }
      onClose={onClose}
      onSave={async (values, was) => {
        // A new quest is seen unless someone says otherwise.
        const body = changed(quest ? was : { ...was, is_enabled: '' }, values);
        await told(
          quest
            ? api.PUT(PATH, { params: { path: { id: quest.id } }, body })
            : api.POST('/api/v1/admin/free-trial-quests', {
                body: { ...body, is_enabled: values.is_enabled === 'yes' },
                headers: { 'Idempotency-Key': key },
              }),
        );
        toast({ tone: 'success', text: t('ui.saved') });
        onSaved();
      }}
    />
  );
}
