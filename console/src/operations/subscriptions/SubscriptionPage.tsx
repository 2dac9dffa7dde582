// One subscription: what each content gets, the contents that came, its money, and canceling it.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { api, type Schemas, unwrap } from '@/api/client';
import { type How, initAt } from '@/api/how';
import { Problem } from '@/api/problem';
import { AskDialog } from '@/form/AskDialog';
import { usePreviewedAction } from '@/form/usePreviewedAction';
import { count, money } from '@/i18n/format';
import { ActionDialog } from '@/table/ActionDialog';
import { Button } from '@/ui/Button';
import { CopyButton } from '@/ui/Copy';
import { UrlCell, UserLink } from '@/ui/cells';
import { Facts, Panel, SmallTable } from '@/ui/Facts';
import { RecordPage } from '@/ui/Record';
import { StatusTag } from '@/ui/StatusTag';
import { toast } from '@/ui/toasts';
import { When } from '@/ui/When';
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
      {(subscription) => <Shown subscription={subscription} />}
    </RecordPage>
  );
}

function Shown({ subscription }: { subscription: Subscription }) {
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
          <span>{t('subscriptions.orders', { count: orders_count, shown: count(orders_count) })}</span>
        </Link>
        {subscription.actions.renewable && <Renew id={subscription.id} />}
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
        <About subscription={subscription} />
        <Money subscription={subscription} />
        <Looks subscription={subscription} />
        <Panel title={t('subscriptions.services')}>
          <SmallTable
            label={t('subscriptions.services')}
            rows={services}
            rowKey={(row) => row.service.id}
            empty="–"
            columns={[
              { title: t('subscriptions.columns.services'), cell: (row) => row.service.name },
              { title: t('subscriptions.quantity'), align: 'end', cell: quantity },
            ]}
          />
        </Panel>
        <Panel title={t('subscriptions.contents')}>
          <SmallTable
            label={t('subscriptions.contents')}
            rows={contents}
            rowKey={(row) => row.id}
            empty={t('subscriptions.noContents')}
            columns={[
              { title: t('subscriptions.found'), cell: (row) => <When at={row.created_at} /> },
              { title: t('subscriptions.columns.url'), cell: (row) => <UrlCell url={row.url} /> },
              { title: t('subscriptions.columns.status'), cell: (row) => <Standing content={row} /> },
              { title: t('subscriptions.columns.orders'), align: 'end', cell: (row) => count(row.orders_count) },
            ]}
          />
          {contents.length < subscription.subscription_contents_count && (
            <p className="muted">{t('subscriptions.newest')}</p>
          )}
        </Panel>
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

/** A paused one goes on: its next period is paid ahead from the balance. The dialog says how much before. */
function Renew({ id }: { id: number }) {
  const { t } = useTranslation();
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Button icon="replay" label={t('subscriptions.renew')} onClick={() => setAsking(true)} />
      {asking && <RenewDialog id={id} onClose={() => setAsking(false)} />}
    </>
  );
}

/** What the server takes is no price that was seen: it is asked again just before, and another price is shown first. */
export function RenewDialog({ id, onClose }: { id: number; onClose: () => void }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const shown = useRef('');
  const renew = (how: How) => unwrap(api.POST('/api/v1/admin/subscriptions/{id}/renew', initAt({ id }, how)));
  const action = usePreviewedAction({
    preview: async (signal) => {
      const { charged } = await renew({ dryRun: true, signal });
      shown.current = charged;
      return charged;
    },
    run: async (key) => {
      const { charged } = await renew({ dryRun: true });
      if (charged !== shown.current) {
        throw new Problem({ status: 409, code: 'price_changed', message: t('subscriptions.priceChanged') });
      }
      const renewed = await renew({ dryRun: false, key });
      toast({ tone: 'success', text: t('subscriptions.renewedFor', { cost: money(renewed.charged) }) });
    },
    onClose,
    onDone: () => {
      for (const key of ['subscriptions', 'users', 'transactions']) void queries.invalidateQueries({ queryKey: [key] });
    },
  });
  const { preview, problem, isPending, refusal, start } = action;
  return (
    <AskDialog
      title={t('subscriptions.renew')}
      keep={t('ui.cancel')}
      confirm={t('subscriptions.renew')}
      refusal={refusal}
      submission={{ isPending, problem }}
      onConfirm={() => void start()}
      onClose={onClose}
    >
      <output className="hint">
        {preview === null ? !problem && '…' : t('subscriptions.renewCosts', { cost: money(preview) })}
      </output>
    </AskDialog>
  );
}

function About({ subscription }: { subscription: Subscription }) {
  const { t } = useTranslation();
  const { subscription_contents_count: came, contents_limit: limit } = subscription;
  return (
    <Panel title={t('subscriptions.facts')}>
      <Facts
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
          [t('subscriptions.columns.contents'), `${count(came)} / ${count(limit)}`],
          [t('subscriptions.columns.createdAt'), <When key="at" at={subscription.created_at} />],
          [
            t('subscriptions.columns.expiredAt'),
            subscription.expired_at && <When key="at" at={subscription.expired_at} />,
          ],
          [
            t('subscriptions.columns.completedAt'),
            subscription.completed_at && <When key="at" at={subscription.completed_at} />,
          ],
          [
            t('subscriptions.columns.canceledAt'),
            subscription.canceled_at && <When key="at" at={subscription.canceled_at} />,
          ],
        ]}
      />
    </Panel>
  );
}

/** Chosen by chance between two, or always the same. */
function quantity({ quantity: least, max_quantity: most }: Subscription['subscription_services'][number]) {
  return most && most > least ? `${count(least)} – ${count(most)}` : count(least);
}

/** Where a content stands, and why its orders wait. */
function Standing({ content }: { content: Subscription['subscription_contents'][number] }) {
  const { t } = useTranslation();
  const { status = 'placed', due_at: due, last_error: trouble } = content;
  return (
    <>
      <StatusTag status={status} label={t(`subscriptions.states.${status}`)} /> {due && <When at={due} />}
      {trouble && <p className="muted">{trouble}</p>}
    </>
  );
}

/** When its channel is read, and what is in the way. */
function Looks({ subscription }: { subscription: Subscription }) {
  const { t } = useTranslation();
  const { looked_at: looked, look_at: next, last_error: trouble, wait_reason: waits } = subscription;
  return (
    <Panel title={t('subscriptions.looks')}>
      <Facts
        rows={[
          [t('subscriptions.columns.lookedAt'), looked && <When key="at" at={looked} />],
          [t('subscriptions.columns.lookAt'), next && <When key="at" at={next} />],
          [t('subscriptions.columns.trouble'), trouble],
          [t('subscriptions.columns.waits'), waits],
          [t('subscriptions.columns.delay'), count(subscription.delay_minutes ?? 0)],
          [t('subscriptions.columns.old'), count(subscription.old_contents ?? 0)],
        ]}
      />
    </Panel>
  );
}

function Money({ subscription }: { subscription: Subscription }) {
  const { t } = useTranslation();
  return (
    <Panel title={t('subscriptions.money')}>
      <Facts
        rows={[
          [t('subscriptions.columns.billing'), <BillingText key="type" type={subscription.billing_type} />],
          [t('subscriptions.columns.period'), subscription.period_days && count(subscription.period_days)],
          [
            t('subscriptions.columns.renewsAt'),
            subscription.renews_at && <When key="renews" at={subscription.renews_at} />,
          ],
          [
            t('subscriptions.columns.pausedAt'),
            subscription.paused_at && <When key="paused" at={subscription.paused_at} />,
          ],
          [t('subscriptions.columns.cost'), money(subscription.cost)],
          [t('subscriptions.columns.refund'), money(subscription.refund_amount)],
          [t('subscriptions.columns.returned'), money(subscription.returned)],
          [t('subscriptions.columns.methods'), subscription.recurring_payment_methods.join(', ')],
        ]}
      />
    </Panel>
  );
}
