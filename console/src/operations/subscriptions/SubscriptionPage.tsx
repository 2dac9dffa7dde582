// The page of one subscription: its services, its contents, the polling of its channel, its billing and its actions.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { api, type Schemas, unwrap } from '@/api/client';
import { Problem } from '@/api/problem';
import { createWriteOptionsWithPath, type WriteOptions } from '@/api/writeOptions';
import { ConfirmActionDialog } from '@/form/ConfirmActionDialog';
import { usePreviewedAction } from '@/form/usePreviewedAction';
import { formatMoney, formatNumber } from '@/i18n/format';
import { ActionDialog } from '@/table/ActionDialog';
import { Button } from '@/ui/Button';
import { Card } from '@/ui/Card';
import { CopyButton } from '@/ui/Copy';
import { UrlCell, UserLink } from '@/ui/cells';
import { DateTime } from '@/ui/DateTime';
import { DescriptionList } from '@/ui/DescriptionList';
import { RecordPage } from '@/ui/RecordPage';
import { SimpleTable } from '@/ui/SimpleTable';
import { StatusTag } from '@/ui/StatusTag';
import { toast } from '@/ui/toasts';
import { BillingTypeText, cancelSubscriptionAction } from './subscriptionList';

type Subscription = Schemas['Subscription'];

export default function SubscriptionPage({ params }: { params: Record<string, string | undefined> }) {
  const { t } = useTranslation();
  const id = Number(params.id);
  const query = useQuery({
    queryKey: ['subscriptions', 'detail', id],
    queryFn: async () => (await unwrap(api.GET('/api/v1/admin/subscriptions/{id}', { params: { path: { id } } }))).data,
    enabled: Number.isSafeInteger(id),
    retry: false,
  });
  return (
    <RecordPage query={query} backLink={{ href: '/subscriptions', text: t('subscriptions.title') }}>
      {(subscription) => <SubscriptionView subscription={subscription} />}
    </RecordPage>
  );
}

function SubscriptionView({ subscription }: { subscription: Subscription }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [isCanceling, setIsCanceling] = useState(false);
  const { orders_count, subscription_services: services, subscription_contents: contents } = subscription;
  return (
    <>
      <div className="record-head">
        <h1 tabIndex={-1}>{subscription.name}</h1>
        <StatusTag status={subscription.status} />
        <span className="grow" />
        <Link className="button button-quiet" href={`/orders?type=subscription&id=${subscription.id}`}>
          <i className="pi pi-shopping-cart" aria-hidden />
          <span>
            {t('subscriptions.orderCount', { count: orders_count, formattedCount: formatNumber(orders_count) })}
          </span>
        </Link>
        {subscription.actions.renewable && <RenewButton id={subscription.id} />}
        {subscription.actions.cancelable && (
          <Button
            icon="times-circle"
            tone="danger"
            label={t('actions.cancelSubscription.label')}
            onClick={() => setIsCanceling(true)}
          />
        )}
      </div>
      <div className="record-grid">
        <SubscriptionDetails subscription={subscription} />
        <SubscriptionBilling subscription={subscription} />
        <ChannelPolling subscription={subscription} />
        <Card title={t('subscriptions.services')}>
          <SimpleTable
            label={t('subscriptions.services')}
            rows={services}
            getRowKey={(row) => row.service.id}
            emptyText="–"
            columns={[
              { title: t('subscriptions.columns.services'), renderCell: (row) => row.service.name },
              { title: t('subscriptions.quantity'), align: 'end', renderCell: formatQuantity },
            ]}
          />
        </Card>
        <Card title={t('subscriptions.contents')}>
          <SimpleTable
            label={t('subscriptions.contents')}
            rows={contents}
            getRowKey={(row) => row.id}
            emptyText={t('subscriptions.noContents')}
            columns={[
              { title: t('subscriptions.foundAt'), renderCell: (row) => <DateTime time={row.created_at} /> },
              { title: t('subscriptions.columns.url'), renderCell: (row) => <UrlCell url={row.url} /> },
              { title: t('subscriptions.columns.status'), renderCell: (row) => <ContentStatus content={row} /> },
              {
                title: t('subscriptions.columns.orders'),
                align: 'end',
                renderCell: (row) => formatNumber(row.orders_count),
              },
            ]}
          />
          {contents.length < subscription.subscription_contents_count && (
            <p className="muted">{t('subscriptions.onlyNewestShown')}</p>
          )}
        </Card>
      </div>
      {isCanceling && (
        <ActionDialog
          action={cancelSubscriptionAction}
          ids={[subscription.id]}
          row={subscription}
          onClose={() => setIsCanceling(false)}
          onDone={() => void queryClient.invalidateQueries({ queryKey: ['subscriptions'] })}
        />
      )}
    </>
  );
}

/**
 * Renewing a paused subscription resumes it and charges the next period to the customer's balance. A dialog shows the price first.
 */
function RenewButton({ id }: { id: number }) {
  const { t } = useTranslation();
  const [isConfirming, setIsConfirming] = useState(false);
  return (
    <>
      <Button icon="replay" label={t('subscriptions.renewNow')} onClick={() => setIsConfirming(true)} />
      {isConfirming && <RenewDialog id={id} onClose={() => setIsConfirming(false)} />}
    </>
  );
}

/**
 * The renew endpoint has no parameter for the expected price, so the dialog repeats the dry run just before it renews the
 * subscription. If the price has changed, the dialog shows the new price and does not renew.
 */
export function RenewDialog({ id, onClose }: { id: number; onClose: () => void }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const shownPrice = useRef('');
  const requestRenewal = (options: WriteOptions) =>
    unwrap(api.POST('/api/v1/admin/subscriptions/{id}/renew', createWriteOptionsWithPath({ id }, options)));
  const action = usePreviewedAction({
    requestPreview: async (signal) => {
      const { charged } = await requestRenewal({ dryRun: true, signal });
      shownPrice.current = charged;
      return charged;
    },
    runAction: async (key) => {
      const { charged } = await requestRenewal({ dryRun: true });
      if (charged !== shownPrice.current) {
        throw new Problem({ status: 409, code: 'price_changed', message: t('subscriptions.priceChanged') });
      }
      const { charged: finalCharge } = await requestRenewal({ dryRun: false, key });
      toast({ tone: 'success', text: t('subscriptions.renewed', { cost: formatMoney(finalCharge) }) });
    },
    onClose,
    onDone: () => {
      for (const key of ['subscriptions', 'users', 'transactions'])
        void queryClient.invalidateQueries({ queryKey: [key] });
    },
  });
  const { preview, problem, isPending, disabledReason, confirm } = action;
  return (
    <ConfirmActionDialog
      title={t('subscriptions.renewNow')}
      cancelLabel={t('ui.cancel')}
      confirmLabel={t('subscriptions.renewNow')}
      disabledReason={disabledReason}
      submission={{ isPending, problem }}
      onConfirm={() => void confirm()}
      onClose={onClose}
    >
      <output className="hint">
        {preview === null ? !problem && '…' : t('subscriptions.renewalCost', { cost: formatMoney(preview) })}
      </output>
    </ConfirmActionDialog>
  );
}

function SubscriptionDetails({ subscription }: { subscription: Subscription }) {
  const { t } = useTranslation();
  const { subscription_contents_count: contentsCount, contents_limit: contentsLimit } = subscription;
  return (
    <Card title={t('subscriptions.details')}>
      <DescriptionList
        rows={[
          [t('subscriptions.columns.id'), subscription.id],
          [t('subscriptions.columns.user'), <UserLink key="user" user={subscription.user} />],
          [
            t('subscriptions.columns.url'),
            <span key="url" className="with-copy wraps">
              <span>{subscription.url}</span>
              <CopyButton text={subscription.url} />
            </span>,
          ],
          [t('subscriptions.columns.type'), subscription.type],
          [t('subscriptions.columns.contents'), `${formatNumber(contentsCount)} / ${formatNumber(contentsLimit)}`],
          [t('subscriptions.columns.createdAt'), <DateTime key="at" time={subscription.created_at} />],
          [
            t('subscriptions.columns.expiredAt'),
            subscription.expired_at && <DateTime key="at" time={subscription.expired_at} />,
          ],
          [
            t('subscriptions.columns.completedAt'),
            subscription.completed_at && <DateTime key="at" time={subscription.completed_at} />,
          ],
          [
            t('subscriptions.columns.canceledAt'),
            subscription.canceled_at && <DateTime key="at" time={subscription.canceled_at} />,
          ],
        ]}
      />
    </Card>
  );
}

/** Returns the quantity of each order, or the range from which the server chooses a random quantity. */
function formatQuantity({
  quantity: minQuantity,
  max_quantity: maxQuantity,
}: Subscription['subscription_services'][number]) {
  return maxQuantity && maxQuantity > minQuantity
    ? `${formatNumber(minQuantity)} – ${formatNumber(maxQuantity)}`
    : formatNumber(minQuantity);
}

/** The status of a content, the time at which its orders are due, and the error of the last attempt. */
function ContentStatus({ content }: { content: Subscription['subscription_contents'][number] }) {
  const { t } = useTranslation();
  const { status = 'placed', due_at: dueAt, last_error: error } = content;
  return (
    <>
      <StatusTag status={status} label={t(`subscriptions.contentStatus.${status}`)} />{' '}
      {dueAt && <DateTime time={dueAt} />}
      {error && <p className="muted">{error}</p>}
    </>
  );
}

/** The last and the next poll of the channel, the last error, and the reason why the subscription waits. */
function ChannelPolling({ subscription }: { subscription: Subscription }) {
  const { t } = useTranslation();
  const {
    last_polled_at: lastPolledAt,
    next_poll_at: nextPollAt,
    last_error: error,
    wait_reason: waitReason,
  } = subscription;
  return (
    <Card title={t('subscriptions.channelPolling')}>
      <DescriptionList
        rows={[
          [t('subscriptions.columns.lastPolledAt'), lastPolledAt && <DateTime key="at" time={lastPolledAt} />],
          [t('subscriptions.columns.nextPollAt'), nextPollAt && <DateTime key="at" time={nextPollAt} />],
          [t('subscriptions.columns.lastError'), error],
          [t('subscriptions.columns.waitReason'), waitReason],
          [t('subscriptions.columns.delayMinutes'), formatNumber(subscription.delay_minutes ?? 0)],
          [t('subscriptions.columns.olderContents'), formatNumber(subscription.old_contents ?? 0)],
        ]}
      />
    </Card>
  );
}

function SubscriptionBilling({ subscription }: { subscription: Subscription }) {
  const { t } = useTranslation();
  return (
    <Card title={t('subscriptions.money')}>
      <DescriptionList
        rows={[
          [t('subscriptions.columns.billingType'), <BillingTypeText key="type" type={subscription.billing_type} />],
          [t('subscriptions.columns.periodDays'), subscription.period_days && formatNumber(subscription.period_days)],
          [
            t('subscriptions.columns.renewsAt'),
            subscription.renews_at && <DateTime key="renews" time={subscription.renews_at} />,
          ],
          [
            t('subscriptions.columns.pausedAt'),
            subscription.paused_at && <DateTime key="paused" time={subscription.paused_at} />,
          ],
          [t('subscriptions.columns.cost'), formatMoney(subscription.cost)],
          [t('subscriptions.columns.prepaidLeft'), formatMoney(subscription.refund_amount)],
          [t('subscriptions.columns.refunded'), formatMoney(subscription.refunded)],
          [t('subscriptions.columns.renewalMethods'), subscription.recurring_payment_methods.join(', ')],
        ]}
      />
    </Card>
  );
}
