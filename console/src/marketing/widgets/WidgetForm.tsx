// The form that creates or edits an order widget. An edit sends only the fields that the user has changed.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { withIdempotencyKey } from '@/api/writeOptions';
import { orDefault } from '@/form/codec';
import { checkboxCodec, fractionAsPercentCodec, idCodec, moneyCodec, parseRows, textCodec } from '@/form/codecs';
import { FormDialog, type FormField } from '@/form/FormDialog';
import { LoadErrorDialog } from '@/form/LoadErrorDialog';
import { defineForm, type FormValues } from '@/form/spec';
import { Select } from '@/ui/Select';
import { UserPicker, type UserSearchResult } from '@/ui/UserPicker';
import { type NamedRecord, namedRecordsCodec, SortableRecordsField } from '../offers/SortableRecordsField';
import { fetchWidget, useWidget, useWidgetPaymentMethods, WIDGET_PATH } from './requests';

type Widget = Schemas['OrderWidget'];

const WIDGET_FORM = defineForm<Schemas['OrderWidgetInput']>()({
  name: textCodec,
  user_id: idCodec,
  reward_fraction: orDefault(fractionAsPercentCodec, '0'),
  minimum_purchase_amount: moneyCodec,
  is_outer: checkboxCodec,
  payment_methods: namedRecordsCodec,
});
const NEW_WIDGET_VALUES: FormValues = { is_outer: 'yes', payment_methods: '[]' };

function toWidgetFormValues(widget: Widget, methods: readonly NamedRecord[]): FormValues {
  const findMethodName = (id: number) => methods.find((method) => method.id === id)?.name ?? String(id);
  const payment_methods = widget.payment_methods.map((id) => ({ id, name: findMethodName(id) }));
  return WIDGET_FORM.toValues({ ...widget, user_id: widget.user.id, payment_methods });
}

interface Props {
  id: number | null;
  onClose: () => void;
  onSaved: () => void;
}

export function WidgetForm(props: Props) {
  const { t } = useTranslation();
  const widgetQuery = useWidget(props.id);
  const methodsQuery = useWidgetPaymentMethods();
  if (!methodsQuery.data || (props.id !== null && !widgetQuery.data)) {
    const title = t(props.id === null ? 'widgets.create' : 'widgets.edit');
    return <LoadErrorDialog title={title} queries={[widgetQuery, methodsQuery]} onClose={props.onClose} />;
  }
  return <LoadedWidgetForm {...props} widget={widgetQuery.data ?? null} methods={methodsQuery.data} />;
}

/** Converts the widget's owner to an option of the user picker. */
const toOwnerOption = (widget: Widget | null): UserSearchResult | null =>
  widget ? ({ ...widget.user } as UserSearchResult) : null;

function LoadedWidgetForm({
  widget,
  methods,
  onClose,
  onSaved,
}: Props & { widget: Widget | null; methods: readonly NamedRecord[] }) {
  const { t } = useTranslation();
  const [owner, setOwner] = useState(toOwnerOption(widget));
  const fields: FormField[] = [
    { name: 'name', label: t('widgets.columns.name'), maxLength: 100 },
    {
      name: 'user_id',
      label: t('widgets.columns.owner'),
      hint: t('widgets.ownerHint'),
      render: ({ id, invalid, onChange }) => (
        <UserPicker
          id={id}
          label={t('widgets.columns.owner')}
          value={owner}
          invalid={invalid}
          onChange={(user) => {
            setOwner(user);
            onChange(user ? String(user.id) : '');
          }}
        />
      ),
    },
    { name: 'reward_fraction', label: t('widgets.reward'), hint: t('widgets.rewardHint') },
    {
      name: 'minimum_purchase_amount',
      label: t('widgets.columns.minCost'),
      hint: t('widgets.minCostHint'),
    },
    { name: 'is_outer', label: t('widgets.isOuter') },
    {
      name: 'payment_methods',
      label: t('widgets.methods'),
      fullWidth: true,
      render: ({ value, onChange }) => (
        <SortableRecordsField label={t('widgets.methods')} value={value} onChange={onChange}>
          {(addRecord) => <AddMethodSelect methods={methods} addedMethods={parseRows(value)} onAdd={addRecord} />}
        </SortableRecordsField>
      ),
    },
  ];
  return (
    <FormDialog
      title={widget ? t('widgets.edit') : t('widgets.create')}
      confirmLabel={widget ? t('ui.save') : t('widgets.create')}
      fields={fields}
      spec={WIDGET_FORM}
      initialValues={widget ? toWidgetFormValues(widget, methods) : NEW_WIDGET_VALUES}
      reload={widget ? async () => toWidgetFormValues(await fetchWidget(widget.id), methods) : undefined}
      send={({ values, base }, idempotencyKey) => {
        const body = widget ? WIDGET_FORM.toPatch(values, base) : WIDGET_FORM.toCreateBody(values);
        return unwrap(
          widget
            ? api.PUT(WIDGET_PATH, { params: { path: { id: widget.id } }, body })
            : api.POST('/api/v1/admin/order-widgets', { body, ...withIdempotencyKey(idempotencyKey) }),
        );
      }}
      successMessage={t('ui.saved')}
      onDone={onSaved}
      onClose={onClose}
    />
  );
}

interface AddMethodSelectProps {
  methods: readonly NamedRecord[];
  addedMethods: readonly NamedRecord[];
  onAdd: (method: NamedRecord) => void;
}

function AddMethodSelect({ methods, addedMethods, onAdd }: AddMethodSelectProps) {
  const { t } = useTranslation();
  const addableMethods = methods.filter(({ id }) => !addedMethods.some((method) => method.id === id));
  return (
    <Select
      label={t('widgets.addMethod')}
      value={null}
      placeholder={t('widgets.addMethod')}
      options={addableMethods.map(({ id, name }) => ({ value: id, label: name }))}
      onChange={(id) => {
        const method = addableMethods.find((method) => method.id === id);
        if (method) onAdd(method);
      }}
    />
  );
}
