// The dialog that creates or edits a quest.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { withIdempotencyKey } from '@/api/writeOptions';
import {
  checkboxCodec,
  idCodec,
  imageCodec,
  moneyCodec,
  quantityCodec,
  timeCodec,
  translationsCodec,
} from '@/form/codecs';
import { FormDialog, type FormField } from '@/form/FormDialog';
import { defineForm, type FormValues } from '@/form/spec';
import type { Action } from '@/table/action';
import { LockedNotice } from '@/table/LockedNotice';
import { ServicePicker, type ServiceSearchResult } from '@/ui/ServicePicker';

type Quest = Schemas['FreeTrialQuest'];

const QUEST_PATH = '/api/v1/admin/free-trial-quests/{id}';

const QUEST_FORM = defineForm<Schemas['QuestInput']>()({
  translations: translationsCodec,
  service_id: idCodec,
  quantity: quantityCodec,
  deadline: timeCodec,
  is_repeatable: checkboxCodec,
  repeats_count: quantityCodec,
  auto_approve_is_allowed: checkboxCodec,
  min_amount_for_auto_approve: moneyCodec,
  is_allowed_with_spend_above: checkboxCodec,
  min_user_spend_amount: moneyCodec,
  allow_proof_url: checkboxCodec,
  is_enabled: checkboxCodec,
  image: imageCodec,
  icon: imageCodec,
});
/** The form values of a new quest, which is enabled by default. */
const NEW_QUEST_VALUES: FormValues = { translations: '', is_enabled: 'yes' };

const toFormValues = (quest: Quest) =>
  QUEST_FORM.toValues({ ...quest, service_id: quest.service.id, repeats_count: quest.repeats_count || null });

interface Props {
  quest: Quest | null;
  /** The action that restores an archived quest. */
  restoreAction?: Action<Quest>;
  onClose: () => void;
  onSaved: () => void;
}

export function QuestForm({ quest, restoreAction, onClose, onSaved }: Props) {
  const { t } = useTranslation();
  const [service, setService] = useState<ServiceSearchResult | null>(
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
          onChange={(selectedService) => {
            setService(selectedService);
            onChange(selectedService ? String(selectedService.id) : '');
          }}
        />
      ),
    },
    { name: 'quantity', label: t('quests.columns.quantity'), hint: t('quests.quantityHint') },
    { name: 'deadline', label: t('quests.columns.deadline'), hint: t('quests.deadlineHint') },
    { name: 'is_repeatable', label: t('quests.isRepeatable') },
    { name: 'repeats_count', label: t('quests.columns.repeats'), hint: t('quests.repeatsHint') },
    { name: 'auto_approve_is_allowed', label: t('quests.autoApprove') },
    { name: 'min_amount_for_auto_approve', label: t('quests.autoApproveMinSpend') },
    { name: 'is_allowed_with_spend_above', label: t('quests.requiresMinSpend') },
    { name: 'min_user_spend_amount', label: t('quests.minSpend') },
    { name: 'allow_proof_url', label: t('quests.allowProof') },
    { name: 'is_enabled', label: t('quests.isEnabled') },
    { name: 'image', label: t('quests.image') },
    { name: 'icon', label: t('quests.icon') },
  ];
  return (
    <FormDialog
      title={quest ? t('quests.edit') : t('quests.create')}
      confirmLabel={quest ? t('ui.save') : t('quests.create')}
      fields={fields}
      lockedReason={
        quest &&
        !quest.actions.editable && (
          <LockedNotice
            row={quest}
            isArchived={quest.is_archived}
            actions={restoreAction ? [restoreAction] : []}
            onDone={() => {
              onSaved();
              onClose();
            }}
          />
        )
      }
      spec={QUEST_FORM}
      initialValues={quest ? toFormValues(quest) : NEW_QUEST_VALUES}
      reload={
        quest
          ? async () => toFormValues((await unwrap(api.GET(QUEST_PATH, { params: { path: { id: quest.id } } }))).data)
          : undefined
      }
      send={({ values, base }, key) =>
        quest
          ? unwrap(api.PUT(QUEST_PATH, { params: { path: { id: quest.id } }, body: QUEST_FORM.toPatch(values, base) }))
          : unwrap(
              api.POST('/api/v1/admin/free-trial-quests', {
                body: QUEST_FORM.toCreateBody(values),
                ...withIdempotencyKey(key),
              }),
            )
      }
      successMessage={t('ui.saved')}
      onDone={onSaved}
      onClose={onClose}
    />
  );
}
