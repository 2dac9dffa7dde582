// The page of one subscription: its services, its contents, the polling of its channel, its money and its actions.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { api, type Schemas, unwrap } from '@/api/client';
import { Problem } from '@/api/problem';
import { type WriteOptions, writeInitAt } from '@/api/writeOptions';
import { ConfirmActionDialog } from '@/form/ConfirmActionDialog';
import { usePreviewedAction } from '@/form/usePreviewedAction';
import { formatMoney, formatNumber } from '@/i18n/format';
import { ActionDialog } from '@/table/ActionDialog';
import { Button } from '@/ui/Button';
import { Card, DescriptionList, SmallTable } from '@/ui/Card';
import { CopyButton } from '@/ui/Copy';
import { UrlCell, UserLink } from '@/ui/cells';
import { DateTime } from '@/ui/DateTime';
import { RecordPage } from '@/ui/RecordPage';
import { StatusTag } from '@/ui/StatusTag';
import { toast } from '@/ui/toasts';
import { BillingText, cancelSubscription } from './declaration';

type Subscription = Schemas['Subscription'];

export default function SubscriptionPage({ params }: { params: Record<string, string | undefined> }) {
  const { t } = useTranslation();
  const id = Number(params.id);
  const query = useQuery({
    queryKey: ['subscriptions', 'one', id],
    queryFn: async () => (await unwrap(api.GET('/api/v1/admin/subscriptions/{id}', { params: { path: { id } } }))).data,
    enabled: Number.isSafeInteger(id),
    retry: false,
  });
  return (
    <RecordPage query={query} list={{ href: '/subscriptions', text: t('subscriptions.title') }}>
      {(subscription) => <SubscriptionView subscription={subscription} />}
    </RecordPage>
  );
}

function SubscriptionView({ subscription }: { subscription: Subscription }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [canceling, setCanceling] = useState(false);
  const { orders_count, subscription_services: services, subscription_contents: contents } = subscription;
  return (
    <>
      <div className="record-head">
        <h1 tabIndex={-1}>{subscription.name}</h1>
        <StatusTag status={subscription.status} />
        <span className="grow" />
        <Link className="button button-quiet" href={`/orders?type=subscription&id=${subscription.id}`}>
          <i className="pi pi-shopping-cart" aria-hidden />
          <span>{t('subscriptions.orders', { count: orders_count, shown: formatNumber(orders_count) })}</span>
        </Link>
        {subscription.actions.renewable && <RenewButton id={subscription.id} />}
        {subscription.actions.cancelable && (
          <Button
            icon="times-circle"
            tone="danger"
            label={t('actions.cancelSubscription.label')}
            onClick={() => setCanceling(true)}
          />
        )}
      </div>
      <div className="record-grid">
        <SubscriptionFacts subscription={subscription} />
        <Money subscription={subscription} />
        <ChannelPolling subscription={subscription} />
        <Card title={t('subscriptions.services')}>
          <SmallTable
            label={t('subscriptions.services')}
            rows={services}
            rowKey={(row) => row.service.id}
            empty="–"
            columns={[
              { title: t('subscriptions.columns.services'), cell: (row) => row.service.name },
              { title: t('subscriptions.quantity'), align: 'end', cell: quantityText },
            ]}
          />
        </Card>
        <Card title={t('subscriptions.contents')}>
          <SmallTable
            label={t('subscriptions.contents')}
            rows={contents}
            rowKey={(row) => row.id}
            empty={t('subscriptions.noContents')}
            columns={[
              { title: t('subscriptions.found'), cell: (row) => <DateTime at={row.created_at} /> },
              { title: t('subscriptions.columns.url'), cell: (row) => <UrlCell url={row.url} /> },
              { title: t('subscriptions.columns.status'), cell: (row) => <ContentStatus content={row} /> },
              { title: t('subscriptions.columns.orders'), align: 'end', cell: (row) => formatNumber(row.orders_count) },
            ]}
          />
          {contents.length < subscription.subscription_contents_count && (
            <p className="muted">{t('subscriptions.newest')}</p>
          )}
        </Card>
      </div>
      {canceling && (
        <ActionDialog
          action={cancelSubscription}
          ids={[subscription.id]}
          row={subscription}
          onClose={() => setCanceling(false)}
          onDone={() => void queries.invalidateQueries({ queryKey: ['subscriptions'] })}
        />
      )}
    </>
  );
}

/** Renewing resumes a paused subscription and pays its next period from the balance. The dialog shows the price first. */
function RenewButton({ id }: { id: number }) {
  const { t } = useTranslation();
  const [confirming, setConfirming] = useState(false);
  return (
    <>
      <Button icon="replay" label={t('subscriptions.renew')} onClick={() => setConfirming(true)} />
      {confirming && <RenewDialog id={id} onClose={() => setConfirming(false)} />}
    </>
  );
}

/**
 * The renew endpoint takes no expected price. So the dialog repeats the dry run just before it renews, and shows a changed price
 * instead of renewing.
 */
export function RenewDialog({ id, onClose }: { id: number; onClose: () => void }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const shownPrice = useRef('');
  const renew = (options: WriteOptions) =>
    unwrap(api.POST('/api/v1/admin/subscriptions/{id}/renew', writeInitAt({ id }, options)));
  const action = usePreviewedAction({
    preview: async (signal) => {
      const { charged } = await renew({ dryRun: true, signal });
      shownPrice.current = charged;
      return charged;
    },
    run: async (key) => {
      const { charged } = await renew({ dryRun: true });
      if (charged !== shownPrice.current) {
        throw new Problem({ status: 409, code: 'price_changed', message: t('subscriptions.priceChanged') });
      }
      const renewed = await renew({ dryRun: false, key });
      toast({ tone: 'success', text: t('subscriptions.renewedFor', { cost: formatMoney(renewed.charged) }) });
    },
    onClose,
    onDone: () => {
      for (const key of ['subscriptions', 'users', 'transactions']) void queries.invalidateQueries({ queryKey: [key] });
    },
  });
  const { preview, problem, isPending, disabledReason, start } = action;
  return (
    <ConfirmActionDialog
      title={t('subscriptions.renew')}
      cancelLabel={t('ui.cancel')}
      confirmLabel={t('subscriptions.renew')}
      disabledReason={disabledReason}
      submission={{ isPending, problem }}
      onConfirm={() => void start()}
      onClose={onClose}
    >
      <output className="hint">
        {preview === null ? !problem && '…' : t('subscriptions.renewCosts', { cost: formatMoney(preview) })}
      </output>
    </ConfirmActionDialog>
  );
}

function SubscriptionFacts({ subscription }: { subscription: Subscription }) {
  const { t } = useTranslation();
  const { subscription_contents_count: contentsCount, contents_limit: limit } = subscription;
  return (
    <Card title={t('subscriptions.facts')}>
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
          [t('subscriptions.columns.contents'), `${formatNumber(contentsCount)} / ${formatNumber(limit)}`],
          [t('subscriptions.columns.createdAt'), <DateTime key="at" at={subscription.created_at} />],
          [
            t('subscriptions.columns.expiredAt'),
            subscription.expired_at && <DateTime key="at" at={subscription.expired_at} />,
          ],
          [
            t('subscriptions.columns.completedAt'),
            subscription.completed_at && <DateTime key="at" at={subscription.completed_at} />,
          ],
          [
            t('subscriptions.columns.canceledAt'),
            subscription.canceled_at && <DateTime key="at" at={subscription.canceled_at} />,
          ],
        ]}
      />
    </Card>
  );
}

/** The quantity of each order, or the range from which the server draws a random quantity. */
function quantityText({ quantity: min, max_quantity: max }: Subscription['subscription_services'][number]) {
  return max && max > min ? `${formatNumber(min)} – ${formatNumber(max)}` : formatNumber(min);
}

/** The status of a content, the time when its orders are due, and the error of the last attempt. */
function ContentStatus({ content }: { content: Subscription['subscription_contents'][number] }) {
  const { t } = useTranslation();
  const { status = 'placed', due_at: due, last_error: error } = content;
  return (
    <>
      <StatusTag status={status} label={t(`subscriptions.states.${status}`)} /> {due && <DateTime at={due} />}
      {error && <p className="muted">{error}</p>}
    </>
  );
}

/** The last and the next poll of the channel, the last error, and the reason why the subscription waits. */
function ChannelPolling({ subscription }: { subscription: Subscription }) {
  const { t } = useTranslation();
  const { looked_at: lastPoll, look_at: nextPoll, last_error: error, wait_reason: waitReason } = subscription;
  return (
    <Card title={t('subscriptions.looks')}>
      <DescriptionList
        rows={[
          [t('subscriptions.columns.lookedAt'), lastPoll && <DateTime key="at" at={lastPoll} />],
          [t('subscriptions.columns.lookAt'), nextPoll && <DateTime key="at" at={nextPoll} />],
          [t('subscriptions.columns.trouble'), error],
          [t('subscriptions.columns.waits'), waitReason],
          [t('subscriptions.columns.delay'), formatNumber(subscription.delay_minutes ?? 0)],
          [t('subscriptions.columns.old'), formatNumber(subscription.old_contents ?? 0)],
        ]}
      />
    </Card>
  );
}

function Money({ subscription }: { subscription: Subscription }) {
  const { t } = useTranslation();
  return (
    <Card title={t('subscriptions.money')}>
      <DescriptionList
        rows={[
          [t('subscriptions.columns.billing'), <BillingText key="type" type={subscription.billing_type} />],
          [t('subscriptions.columns.period'), subscription.period_days && formatNumber(subscription.period_days)],
          [
            t('subscriptions.columns.renewsAt'),
            subscription.renews_at && <DateTime key="renews" at={subscription.renews_at} />,
          ],
          [
            t('subscriptions.columns.pausedAt'),
            subscription.paused_at && <DateTime key="paused" at={subscription.paused_at} />,
          ],
          [t('subscriptions.columns.cost'), formatMoney(subscription.cost)],
          [t('subscriptions.columns.refund'), formatMoney(subscription.refund_amount)],
          [t('subscriptions.columns.returned'), formatMoney(subscription.returned)],
          [t('subscriptions.columns.methods'), subscription.recurring_payment_methods.join(', ')],
        ]}
      />
    </Card>
  );
}
