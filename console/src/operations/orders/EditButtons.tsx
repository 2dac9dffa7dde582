// Buttons that edit an order: its URL, its comment, and whether it gets refills on request and automatic refills.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { FormDialog } from '@/form/FormDialog';
import { useSubmit } from '@/form/useSubmit';
import { Button } from '@/ui/Button';

interface Props {
  order: Schemas['Order'];
  onChanged: () => void;
}

export function EditButtons({ order, onChanged }: Props) {
  const { t } = useTranslation();
  const [dialog, setDialog] = useState<'url' | 'comment' | null>(null);
  const params = { path: { id: order.id } };
  return (
    <>
      <Button icon="link" label={t('orders.edit.url')} onClick={() => setDialog('url')} />
      <Button icon="comment" label={t('orders.edit.comment')} onClick={() => setDialog('comment')} />
      {dialog === 'url' && (
        <FormDialog
          title={t('orders.edit.url')}
          confirmLabel={t('ui.save')}
          fields={[{ name: 'url', label: t('orders.columns.url'), mode: 'url', maxLength: 2000 }]}
          initialValues={{ url: order.url }}
          send={({ values: { url = '' } }) =>
            unwrap(api.POST('/api/v1/admin/orders/{id}/change-url', { params, body: { url } }))
          }
          onDone={onChanged}
          onClose={() => setDialog(null)}
        />
      )}
      {dialog === 'comment' && (
        <FormDialog
          title={t('orders.edit.comment')}
          confirmLabel={t('ui.save')}
          fields={[{ name: 'comment', label: t('orders.columns.comment'), mode: 'multiline', maxLength: 5000 }]}
          initialValues={{ comment: order.comment ?? '' }}
          send={({ values: { comment } }) =>
            unwrap(api.POST('/api/v1/admin/orders/{id}/update-comment', { params, body: { comment: comment || null } }))
          }
          onDone={onChanged}
          onClose={() => setDialog(null)}
        />
      )}
    </>
  );
}

/** Buttons that toggle refills on request and automatic refills. */
export function RefillSwitches({ order, onChanged }: Props) {
  const { t } = useTranslation();
  const params = { path: { id: order.id } };
  const submitOptions = {
    successMessage: t('ui.saved'),
    showProblemAs: 'toast' as const,
    onDone: onChanged,
    onProblem: onChanged,
  };
  const refillSubmission = useSubmit({
    ...submitOptions,
    send: () =>
      unwrap(api.POST('/api/v1/admin/orders/{id}/set-has-refill', { params, body: { has_refill: !order.has_refill } })),
  });
  const autoRefillSubmission = useSubmit({
    ...submitOptions,
    send: () =>
      unwrap(
        api.POST('/api/v1/admin/orders/{id}/set-auto-refill-is-allowed', {
          params,
          body: { auto_refill_is_allowed: !order.auto_refill_is_allowed },
        }),
      ),
  });
  return (
    <>
      <Button
        icon="replay"
        aria-pressed={order.has_refill}
        label={t('orders.columns.hasRefill')}
        onClick={() => void refillSubmission.submit()}
      />
      <Button
        icon="sync"
        aria-pressed={order.auto_refill_is_allowed}
        label={t('orders.autoRefill')}
        onClick={() => void autoRefillSubmission.submit()}
      />
    </>
  );
}
