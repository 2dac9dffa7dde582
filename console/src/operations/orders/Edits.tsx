// Small edits of an order: its address, its comment, and the two refill switches.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, told } from '@/api/client';
import { asProblem } from '@/api/problem';
import { Button } from '@/ui/Button';
import { FormDialog } from '@/ui/FormDialog';
import { toast } from '@/ui/toasts';

interface Props {
  order: Schemas['Order'];
  onChanged: () => void;
}

export function Edits({ order, onChanged }: Props) {
  const { t } = useTranslation();
  const [editing, setEditing] = useState<'url' | 'comment' | null>(null);
  const params = { path: { id: order.id } };
  return (
    <>
      <Button icon="link" label={t('orders.edit.url')} onClick={() => setEditing('url')} />
      <Button icon="comment" label={t('orders.edit.comment')} onClick={() => setEditing('comment')} />
      <RefillSwitches order={order} onChanged={onChanged} />
      {editing === 'url' && (
        <FormDialog
          title={t('orders.edit.url')}
          confirm={t('ui.save')}
          fields={[{ name: 'url', label: t('orders.columns.url'), mode: 'url', maxLength: 2000 }]}
          initial={{ url: order.url }}
          onClose={() => setEditing(null)}
          onSave={async ({ url }) => {
            await told(api.POST('/api/v1/admin/orders/{id}/change-url', { params, body: { url: url ?? '' } }));
            onChanged();
          }}
        />
      )}
      {editing === 'comment' && (
        <FormDialog
          title={t('orders.edit.comment')}
          confirm={t('ui.save')}
          fields={[{ name: 'comment', label: t('orders.columns.comment'), mode: 'long', maxLength: 5000 }]}
          initial={{ comment: order.comment ?? '' }}
          onClose={() => setEditing(null)}
          onSave={async ({ comment }) => {
            await told(
              api.POST('/api/v1/admin/orders/{id}/update-comment', { params, body: { comment: comment || null } }),
            );
            onChanged();
          }}
        />
      )}
    </>
  );
}

/** Whether the order is refilled, on request and by itself: a completed order has them too, as refills come after that. */
export function RefillSwitches({ order, onChanged }: Props) {
  const { t } = useTranslation();
  const params = { path: { id: order.id } };
  const switched = async (call: Promise<unknown>) => {
    try {
      await call;
      toast({ tone: 'success', text: t('ui.saved') });
    } catch (error) {
      toast({ tone: 'error', text: asProblem(error).message });
    }
    onChanged();
  };
  const refill = () =>
    switched(
      told(api.POST('/api/v1/admin/orders/{id}/set-has-refill', { params, body: { has_refill: !order.has_refill } })),
    );
  const autoRefill = () =>
    switched(
      told(
        api.POST('/api/v1/admin/orders/{id}/set-auto-refill-is-allowed', {
          params,
          body: { auto_refill_is_allowed: !order.auto_refill_is_allowed },
        }),
      ),
    );
  return (
    <>
      <Button icon="replay" aria-pressed={order.has_refill} label={t('orders.columns.hasRefill')} onClick={refill} />
      <Button
        icon="sync"
        aria-pressed={order.auto_refill_is_allowed}
        label={t('orders.autoRefill')}
        onClick={autoRefill}
      />
    </>
  );
}
