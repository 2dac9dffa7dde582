// Makes an order widget, or changes one: what is sent is what was changed.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { withIdempotencyKey } from '@/api/writeOptions';
import { orDefault } from '@/form/codec';
import { checkbox, id, money, parseRows, percent, text } from '@/form/codecs';
import { FormDialog, type FormField } from '@/form/FormDialog';
import { NotLoaded } from '@/form/NotLoaded';
import { defineForm, type FormValues } from '@/form/spec';
import { Select } from '@/ui/Select';
import { type UserHit, UserPicker } from '@/ui/UserPicker';
import { InOrder, type Named, named } from '../offers/InOrder';
import { PATH, read, useMethods, useWidget } from './read';

type Widget = Schemas['OrderWidget'];

const WIDGET = defineForm<Schemas['OrderWidgetInput']>()({
  name: text,
  user_id: id,
  reward_percent: orDefault(percent, '0'),
  minimum_purchase_amount: money,
  is_outer: checkbox,
  payment_methods: named,
});
const NEW: FormValues = { is_outer: 'yes', payment_methods: '[]' };

function valuesOf(widget: Widget, methods: readonly Named[]): FormValues {
  const nameOf = (id: number) => methods.find((method) => method.id === id)?.name ?? String(id);
  const payment_methods = widget.payment_methods.map((id) => ({ id, name: nameOf(id) }));
  return WIDGET.toValues({ ...widget, user_id: widget.user.id, payment_methods });
}

interface Props {
  id: number | null;
  onClose: () => void;
  onSaved: () => void;
}

export function WidgetForm(props: Props) {
  const { t } = useTranslation();
  const widget = useWidget(props.id);
  const methods = useMethods();
  if (!methods.data || (props.id !== null && !widget.data)) {
    const title = t(props.id === null ? 'widgets.create' : 'widgets.edit');
    return <NotLoaded title={title} queries={[widget, methods]} onClose={props.onClose} />;
  }
  return <Form {...props} widget={widget.data ?? null} methods={methods.data} />;
}

/** The owner as the picker has people. */
const ownerOf = (widget: Widget | null): UserHit | null => (widget ? ({ ...widget.user } as UserHit) : null);

function Form({ widget, methods, onClose, onSaved }: Props & { widget: Widget | null; methods: readonly Named[] }) {
  const { t } = useTranslation();
  const [owner, setOwner] = useState(ownerOf(widget));
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
    { name: 'reward_percent', label: t('widgets.reward'), hint: t('widgets.rewardHint') },
    {
      name: 'minimum_purchase_amount',
      label: t('widgets.columns.least'),
      hint: t('widgets.leastHint'),
    },
    { name: 'is_outer', label: t('widgets.outer') },
    {
      name: 'payment_methods',
      label: t('widgets.methods'),
      fullWidth: true,
      render: ({ value, onChange }) => (
        <InOrder label={t('widgets.methods')} value={value} onChange={onChange}>
          {(add) => <AddMethod open={methods} chosen={parseRows(value)} onAdd={add} />}
        </InOrder>
      ),
    },
  ];
  return (
    <FormDialog
      title={widget ? t('widgets.edit') : t('widgets.create')}
      confirm={widget ? t('ui.save') : t('widgets.create')}
      fields={fields}
      spec={WIDGET}
      initial={widget ? valuesOf(widget, methods) : NEW}
      reload={widget ? async () => valuesOf(await read(widget.id), methods) : undefined}
      send={({ values, base }, key) => {
        const body = widget ? WIDGET.toPatch(values, base) : WIDGET.toCreateBody(values);
        return unwrap(
          widget
            ? api.PUT(PATH, { params: { path: { id: widget.id } }, body })
            : api.POST('/api/v1/admin/order-widgets', { body, ...withIdempotencyKey(key) }),
        );
      }}
      success={t('ui.saved')}
      onDone={onSaved}
      onClose={onClose}
    />
  );
}

interface AddProps {
  open: readonly Named[];
  chosen: readonly Named[];
  onAdd: (one: Named) => void;
}

function AddMethod({ open, chosen, onAdd }: AddProps) {
  const { t } = useTranslation();
  const left = open.filter(({ id }) => !chosen.some((one) => one.id === id));
  return (
    <Select
      label={t('widgets.addMethod')}
      value={null}
      placeholder={t('widgets.addMethod')}
      options={left.map(({ id, name }) => ({ value: id, label: name }))}
      onChange={(id) => {
        const found = left.find((one) => one.id === id);
        if (found) onAdd(found);
      }}
    />
  );
}
