// Makes an order widget, or changes one: what is sent is what was changed.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, told } from '@/api/client';
import { FormDialog, type FormField } from '@/ui/FormDialog';
import { percentOf } from '@/ui/fraction';
import { Select } from '@/ui/Select';
import { toast } from '@/ui/toasts';
import { type UserHit, UserPicker } from '@/ui/UserPicker';
import type { Values } from '@/ui/useForm';
import { asMoney, asShare, asTick, asWhole, changed, type Sent, tick } from '../calls';
import { InOrder, type Named, namedOf, sentIds } from '../offers/InOrder';
import { PATH, read, useMethods, useWidget } from './read';

type Widget = Schemas['OrderWidget'];

const SENT: Sent = {
  user_id: asWhole,
  is_outer: asTick,
  minimum_purchase_amount: asMoney,
  reward_percent: (value) => asShare(value) ?? '0',
  payment_methods: sentIds,
};

function before(widget: Widget | null, methods: readonly Named[]): Values {
  if (!widget) return { is_outer: 'yes', payment_methods: '[]' };
  const name = (id: number) => methods.find((method) => method.id === id)?.name ?? String(id);
  return {
    updated_at: widget.updated_at,
    name: widget.name,
    user_id: String(widget.user.id),
    is_outer: tick(widget.is_outer),
    minimum_purchase_amount: widget.minimum_purchase_amount ?? '',
    reward_percent: percentOf(widget.reward_percent),
    payment_methods: JSON.stringify(widget.payment_methods.map((id) => ({ id, name: name(id) }))),
  };
}

interface Props {
  id: number | null;
  onClose: () => void;
  onSaved: () => void;
}

export function WidgetForm(props: Props) {
  const { data: widget } = useWidget(props.id);
  const { data: methods } = useMethods();
  if (!methods || (props.id !== null && !widget)) return null;
  return <Form {...props} widget={widget ?? null} methods={methods} />;
}

/** The owner as the picker has people. */
const ownerOf = (widget: Widget | null): UserHit | null => (widget ? ({ ...widget.user } as UserHit) : null);

function Form({ widget, methods, onClose, onSaved }: Props & { widget: Widget | null; methods: readonly Named[] }) {
  const { t } = useTranslation();
  const [key] = useState(() => crypto.randomUUID());
  const [owner, setOwner] = useState(ownerOf(widget));
  const fields: FormField[] = [
    { name: 'name', label: t('widgets.columns.name'), maxLength: 100 },
    {
      name: 'user_id',
      label: t('widgets.columns.owner'),
      hint: t('widgets.ownerHint'),
      draw: ({ id, invalid, onChange }) => (
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
    { name: 'reward_percent', label: t('widgets.reward'), mode: 'decimal', hint: t('widgets.rewardHint') },
    {
      name: 'minimum_purchase_amount',
      label: t('widgets.columns.least'),
      mode: 'decimal',
      hint: t('widgets.leastHint'),
    },
    { name: 'is_outer', label: t('widgets.outer'), mode: 'tick' },
    {
      name: 'payment_methods',
      label: t('widgets.methods'),
      row: true,
      draw: ({ value, onChange }) => (
        <InOrder label={t('widgets.methods')} value={value} onChange={onChange}>
          {(add) => <AddMethod open={methods} chosen={namedOf(value)} onAdd={add} />}
        </InOrder>
      ),
    },
  ];
  return (
    <FormDialog
      title={widget ? t('widgets.edit') : t('widgets.create')}
      confirm={widget ? t('ui.save') : t('widgets.create')}
      fields={fields}
      initial={before(widget, methods)}
      reload={widget ? async () => before(await read(widget.id), methods) : undefined}
      onClose={onClose}
      onSave={async (values, was) => {
        const body = changed(widget ? was : {}, values, SENT) as Schemas['OrderWidgetInput'];
        await told(
          widget
            ? api.PUT(PATH, { params: { path: { id: widget.id } }, body })
            : api.POST('/api/v1/admin/order-widgets', { body, headers: { 'Idempotency-Key': key } }),
        );
        toast({ tone: 'success', text: t('ui.saved') });
        onSaved();
      }}
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
