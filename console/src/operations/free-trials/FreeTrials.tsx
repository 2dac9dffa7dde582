// The list of the requests of customers for free trials, with the actions that approve and reject requests.
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { Schemas } from '@/api/client';
import { freeTrials } from '@/api/lists/free-trials';
import { QuantityField } from '@/form/QuantityField';
import { useServiceTargets } from '@/operations/orders/PlaceOrderForm';
import { useHasPermission } from '@/session/hooks';
import { type Action, asUntypedAction, type FormProps } from '@/table/action';
import { defineList } from '@/table/defineList';
import type { List } from '@/table/listDefinition';
import { createPerRecordRequests } from '@/table/perRecordRequests';
import { ServerTable } from '@/table/ServerTable';
import { UrlCell } from '@/ui/cells';
import { Field } from '@/ui/Field';

type FreeTrialRow = Schemas['FreeTrial'];

interface ApprovalInput {
  quantity?: number | null;
  targets?: Record<string, string>;
}

const approveAction = asUntypedAction<FreeTrialRow, ApprovalInput>({
  name: 'approveTrial',
  icon: 'thumbs-up',
  isAllowedFor: (row) => row.actions.approvable,
  Form: ApproveForm,
  fields: ['quantity'],
  ...createPerRecordRequests('POST', '/api/v1/admin/free-trials/{id}/approve', {
    body: ({ quantity, targets }: ApprovalInput) => ({
      ...(quantity === null || quantity === undefined ? {} : { quantity }),
      ...(targets ? { targets } : {}),
    }),
  }),
});

/**
 * Asks for the quantity, and for a single request also for the values of the service's targets. In a bulk action there are no
 * targets, because the requests may belong to different services.
 */
function ApproveForm({ value, onChange, errors, row }: FormProps<FreeTrialRow, ApprovalInput>) {
  const { t } = useTranslation();
  const serviceTargets = useServiceTargets(row ? String(row.service_id) : '', useHasPermission()('view services'));
  const { targets = {} } = value;
  const setTargetValue = (name: string, text: string) => {
    const { [name]: _, ...otherTargets } = targets;
    onChange({ ...value, targets: text.trim() ? { ...otherTargets, [name]: text } : otherTargets });
  };
  return (
    <>
      <QuantityField
        label={t('freeTrials.columns.quantity')}
        hint={t('freeTrials.quantityHint')}
        value={value.quantity}
        onChange={(quantity) => onChange({ ...value, quantity })}
        errors={errors.quantity}
        autoFocus
      />
      {serviceTargets.map((target) => (
        <Field
          key={target.name}
          label={target.is_required ? `${target.name} *` : target.name}
          errors={errors[`targets.${target.name}`]}
          hint={target.values.join(', ') || target.placeholder || undefined}
        >
          {(controlProps) => (
            <textarea
              {...controlProps}
              className="input"
              rows={target.view_type === 'textarea' ? 4 : 1}
              value={targets[target.name] ?? ''}
              onChange={(event) => setTargetValue(target.name, event.target.value)}
            />
          )}
        </Field>
      ))}
      {!row && <p className="hint">{t('freeTrials.approveOneByOneHint')}</p>}
    </>
  );
}

const rejectAction: Action<FreeTrialRow> = {
  name: 'rejectTrial',
  icon: 'thumbs-down',
  tone: 'danger',
  isAllowedFor: (row) => row.actions.rejectable,
  ...createPerRecordRequests('POST', '/api/v1/admin/free-trials/{id}/reject'),
};

export const FREE_TRIAL_LIST: List<FreeTrialRow> = defineList(freeTrials, {
  title: 'freeTrials.title',
  columns: {
    id: 76,
    'user.name': 140,
    quantity: { width: 92, cell: (row) => row.quantity },
    url: { width: 190, cell: (row) => <UrlCell url={row.url} /> },
    proof_url: { width: 190, cell: (row) => (row.proof_url ? <UrlCell url={row.proof_url} isLink /> : '–') },
    order_id: {
      width: 92,
      cell: (row) => (row.order_id ? <Link href={`/orders/${row.order_id}`}>{row.order_id}</Link> : '–'),
    },
    'approved_by.name': 130,
    free_trial_quest_id: 92,
  },
  defaultFilters: { status: 'pending' },
  persistentFilters: ['status'],
  actions: [approveAction, rejectAction],
});

export default function FreeTrials() {
  return <ServerTable list={FREE_TRIAL_LIST} />;
}
