// An order placed for a customer: first what it costs, then, once that was seen, the order itself. One key for the whole
// dialog: pressing twice orders once.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, told } from '@/api/client';
import { money } from '@/i18n/format';
import { useMay } from '@/session/hooks';
import { FormDialog, type FormField } from '@/ui/FormDialog';
import { serviceField } from '@/ui/ServiceField';
import { toast } from '@/ui/toasts';
import { UserField } from '@/ui/UserField';

type Values = Record<string, string>;

const bodyOf = (values: Values): Schemas['PlaceOrderInput'] => ({
  user_id: Number(values.user_id) || 0,
  service_id: Number(values.service_id) || 0,
  url: (values.url ?? '').trim(),
  quantity: Number((values.quantity ?? '').replace(/\s/g, '')) || 0,
  speedup: values.speedup === 'yes',
  guarantee: values.guarantee === 'yes',
  comment: values.comment || null,
});

interface Props {
  onClose: () => void;
  onDone: () => void;
  /** A customer who is known already. */
  userId?: number;
}

export function PlaceForm({ onClose, onDone, userId }: Props) {
  const { t } = useTranslation();
  const may = useMay();
  const [key] = useState(() => crypto.randomUUID());
  const [offer, setOffer] = useState<{ order: Schemas['Order']; asked: string } | null>(null);
  const whom: FormField = may('view users')
    ? {
        name: 'user_id',
        label: t('orders.columns.user'),
        draw: ({ id, invalid, onChange }) => (
          <UserField id={id} label={t('orders.columns.user')} invalid={invalid} onChange={onChange} />
        ),
      }
    : { name: 'user_id', label: t('payments.userId'), mode: 'numeric' };
  return (
    <FormDialog
      title={t('orders.place.title')}
      confirm={offer ? t('orders.place.place', { cost: money(offer.order.cost) }) : t('orders.place.check')}
      fields={[
        ...(userId ? [] : [whom]),
        serviceField('service_id', t('orders.columns.service'), may('view services')),
        { name: 'url', label: t('orders.columns.url'), mode: 'url', maxLength: 2000 },
        { name: 'quantity', label: t('orders.columns.quantity'), mode: 'numeric' },
        { name: 'speedup', label: t('orders.place.speedup'), mode: 'tick' },
        { name: 'guarantee', label: t('orders.place.guarantee'), mode: 'tick' },
        { name: 'comment', label: t('orders.columns.comment'), mode: 'long', maxLength: 5000 },
      ]}
      initial={{ user_id: userId ? String(userId) : '', service_id: '', url: '', quantity: '', comment: '' }}
      // Another order is another price.
      onChange={() => setOffer(null)}
      note={
        offer && (
          <output className="hint">
            {t('orders.place.costs', {
              cost: money(offer.order.cost),
              name: offer.order.user.name,
              status: t(`status.${offer.order.status}`),
            })}
          </output>
        )
      }
      onClose={onClose}
      onSave={async (values) => {
        const body = bodyOf(values);
        const asked = JSON.stringify(body);
        if (offer?.asked !== asked) {
          const dry = { params: { query: { dry_run: '1' } }, body };
          const { data } = await told(api.POST('/api/v1/admin/orders', dry));
          setOffer({ order: data, asked });
          return 'stay';
        }
        const { data } = await told(api.POST('/api/v1/admin/orders', { body, headers: { 'Idempotency-Key': key } }));
        toast({ tone: 'success', text: t('orders.place.placed', { id: data.id, cost: money(data.cost) }) });
        onDone();
      }}
    />
  );
}
