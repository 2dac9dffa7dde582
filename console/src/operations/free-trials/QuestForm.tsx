// The dialog that creates or edits a quest.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { withIdempotencyKey } from '@/api/writeOptions';
import { checkbox, id, image, money, quantity, texts, time } from '@/form/codecs';
import { FormDialog, type FormField } from '@/form/FormDialog';
import { defineForm, type FormValues } from '@/form/spec';
import type { Action } from '@/table/action';
import { LockedNotice } from '@/table/LockedNotice';
import { type ServiceHit, ServicePicker } from '@/ui/ServicePicker';

type Quest = Schemas['FreeTrialQuest'];

const PATH = '/api/v1/admin/free-trial-quests/{id}';

const QUEST = defineForm<Schemas['QuestInput']>()({
  translations: texts,
  service_id: id,
  quantity,
  deadline: time,
  is_repeatable: checkbox,
  repeats_count: quantity,
  auto_approve_is_allowed: checkbox,
  min_amount_for_auto_approve: money,
  is_allowed_with_spend_above: checkbox,
  min_user_spend_amount: money,
  allow_proof_url: checkbox,
  is_enabled: checkbox,
  image,
  icon: image,
});
/** The form values of a new quest, which is enabled by default. */
const NEW_QUEST: FormValues = { translations: '', is_enabled: 'yes' };

const valuesOf = (quest: Quest) =>
  QUEST.toValues({ ...quest, service_id: quest.service.id, repeats_count: quest.repeats_count || null });

interface Props {
  quest: Quest | null;
  /** The action that restores an archived quest. */
  restore?: Action<Quest>;
  onClose: () => void;
  onSaved: () => void;
}

export function QuestForm({ quest, restore, onClose, onSaved }: Props) {
  const { t } = useTranslation();
  const [service, setService] = useState<ServiceHit | null>(
    quest ? { ...quest.service, default_price: '', min_price: '' } : null,
  );
  const fields: FormField[] = [
    {
      name: 'translations',
      label: t('quests.names'),
      texts: [{ name: 'name', label: t('quests.columns.name'), hint: t('quests.nameHint'), maxLength: 200 }],
    },
    {
      name: 'service_id',
      label: t('quests.columns.service'),
      render: ({ id, onChange, invalid }) => (
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
    { name: 'quantity', label: t('quests.columns.quantity'), hint: t('quests.quantityHint') },
    { name: 'deadline', label: t('quests.columns.deadline'), hint: t('quests.deadlineHint') },
    { name: 'is_repeatable', label: t('quests.repeatable') },
    { name: 'repeats_count', label: t('quests.columns.repeats'), hint: t('quests.repeatsHint') },
    { name: 'auto_approve_is_allowed', label: t('quests.autoApprove') },
    { name: 'min_amount_for_auto_approve', label: t('quests.autoApproveFrom') },
    { name: 'is_allowed_with_spend_above', label: t('quests.onlySpenders') },
    { name: 'min_user_spend_amount', label: t('quests.spentFrom') },
    { name: 'allow_proof_url', label: t('quests.proof') },
    { name: 'is_enabled', label: t('quests.enabled') },
    { name: 'image', label: t('quests.image') },
    { name: 'icon', label: t('quests.icon') },
  ];
  return (
    <FormDialog
      title={quest ? t('quests.edit') : t('quests.create')}
      confirm={quest ? t('ui.save') : t('quests.create')}
      fields={fields}
      locked={
        quest &&
        !quest.actions.editable && (
          <LockedNotice
            row={quest}
            isArchived={quest.is_archived}
            actions={restore ? [restore] : []}
            onDone={() => {
              onSaved();
              onClose();
            }}
          />
        )
      }
      spec={QUEST}
      initial={quest ? valuesOf(quest) : NEW_QUEST}
      reload={
        quest
          ? async () => valuesOf((await unwrap(api.GET(PATH, { params: { path: { id: quest.id } } }))).data)
          : undefined
      }
      send={({ values, base }, key) =>
        quest
          ? unwrap(api.PUT(PATH, { params: { path: { id: quest.id } }, body: QUEST.toPatch(values, base) }))
          : unwrap(
              api.POST('/api/v1/admin/free-trial-quests', {
                body: QUEST.toCreateBody(values),
                ...withIdempotencyKey(key),
              }),
            )
      }
      success={t('ui.saved')}
      onDone={onSaved}
      onClose={onClose}
    />
  );
}
