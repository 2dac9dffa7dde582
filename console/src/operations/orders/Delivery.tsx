// Who delivers: the service's providers and every attempt at an external panel.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { count, money, percent } from '@/i18n/format';
import { ExternalStatus } from '@/supply/external-panel-orders/declaration';
import { Said } from '@/supply/external-panel-orders/Said';
import { Button } from '@/ui/Button';
import { Facts, Panel, SmallTable } from '@/ui/Facts';
import { StatusTag } from '@/ui/StatusTag';
import { When } from '@/ui/When';
import { BookForm } from './BookForm';

export function Delivery({ order }: { order: Schemas['Order'] }) {
  const { t } = useTranslation();
  const [booking, setBooking] = useState(false);
  return (
    <Panel
      title={t('orders.delivery')}
      aside={
        order.actions.delivery_bookable &&
        order.providers.length > 0 && (
          <Button icon="calculator" label={t('orders.did.title')} onClick={() => setBooking(true)} />
        )
      }
    >
      <Facts
        rows={[
          [t('orders.startCount'), order.external_order_start_count],
          [t('orders.fullFill'), order.quantity_for_full_fill],
          [
            t('orders.externalFill'),
            order.percent_of_external_statistics_fill && percent(order.percent_of_external_statistics_fill),
          ],
          [t('orders.childId'), order.child_id],
        ]}
      />
      {order.counter && <Counter counter={order.counter} />}
      <h3>{t('orders.providers')}</h3>
      <SmallTable
        label={t('orders.providers')}
        rows={order.providers}
        rowKey={(provider) => provider.id}
        empty={t('orders.noProviders')}
        columns={[
          { title: t('orders.provider.provider'), cell: (provider) => provider.name },
          { title: t('orders.columns.status'), cell: (provider) => <StatusTag status={provider.status} /> },
          { title: t('orders.columns.delivered'), align: 'end', cell: (provider) => count(provider.quantity) },
          { title: t('orders.columns.cost'), align: 'end', cell: (provider) => money(provider.cost) },
        ]}
      />
      <h3>{t('orders.attempts')}</h3>
      <SmallTable
        label={t('orders.attempts')}
        rows={order.external_panel_orders}
        rowKey={(attempt) => attempt.id}
        empty={t('orders.noAttempts')}
        columns={[
          { title: t('orders.externalId'), cell: (attempt) => attempt.external_panel_order_id ?? '–' },
          { title: t('orders.provider.provider'), cell: (attempt) => attempt.provider.name },
          { title: t('orders.columns.status'), cell: (attempt) => <Attempt attempt={attempt} /> },
          { title: t('orders.columns.quantity'), align: 'end', cell: (attempt) => <Ordered attempt={attempt} /> },
          { title: t('orders.remains'), align: 'end', cell: (attempt) => attempt.remains ?? '–' },
          { title: t('orders.charge'), align: 'end', cell: (attempt) => money(attempt.charge) },
          { title: t('orders.columns.createdAt'), cell: (attempt) => <When at={attempt.created_at} /> },
        ]}
      />
      {booking && <BookForm order={order} onClose={() => setBooking(false)} />}
    </Panel>
  );
}

/** What the counter service said, and why it says nothing newer. */
function Counter({ counter }: { counter: Schemas['OrderCounter'] }) {
  const { t } = useTranslation();
  return (
    <>
      <h3>{t('orders.counter.title')}</h3>
      <Facts
        rows={[
          [t('orders.counter.start'), counter.start_count],
          [t('orders.counter.last'), counter.last_count],
          [t('orders.counter.grown'), typeof counter.start_count === 'number' ? count(counter.quantity ?? 0) : null],
          [t('orders.counter.at'), counter.counted_at && <When key="at" at={counter.counted_at} />],
        ]}
      />
      {counter.is_shared && <p className="hint">{t('orders.counter.shared')}</p>}
      {counter.last_error && <p className="flag-bad">{counter.last_error}</p>}
    </>
  );
}

/** What the panel was ordered; beside it for how many of those sold, where these are not as many. */
function Ordered({ attempt }: { attempt: Schemas['OrderAttempt'] }) {
  const { t } = useTranslation();
  const sold = attempt.sold_quantity ?? attempt.initial_quantity;
  return (
    <>
      {count(attempt.initial_quantity)}
      {sold !== attempt.initial_quantity && <small> · {t('attempts.sold', { quantity: count(sold) })}</small>}
    </>
  );
}

function Attempt({ attempt }: { attempt: Schemas['OrderAttempt'] }) {
  const { t } = useTranslation();
  return (
    <>
      <ExternalStatus status={attempt.status} />
      {attempt.cancel_requested_at && <small> · {t('orders.cancelAsked')}</small>}
      {attempt.is_unknown && <small className="flag-bad"> · {t('attempts.unknownShort')}</small>}
      {attempt.last_error && <small className="flag-bad"> · {attempt.last_error}</small>}
      <Said attempt={attempt} />
    </>
  );
}
