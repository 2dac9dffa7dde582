// The delivery of an order: its providers, the counts of its link, and every attempt to place the order at an external panel.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { formatMoney, formatNumber, formatPercent } from '@/i18n/format';
import { AttemptExchange } from '@/supply/external-panel-orders/AttemptExchange';
import { ExternalStatusTag } from '@/supply/external-panel-orders/externalPanelOrderList';
import { Button } from '@/ui/Button';
import { Card } from '@/ui/Card';
import { DateTime } from '@/ui/DateTime';
import { DescriptionList } from '@/ui/DescriptionList';
import { SimpleTable } from '@/ui/SimpleTable';
import { StatusTag } from '@/ui/StatusTag';
import { DeliveryStatisticsForm } from './DeliveryStatisticsForm';

export function Delivery({ order }: { order: Schemas['Order'] }) {
  const { t } = useTranslation();
  const [isRecordingStatistics, setIsRecordingStatistics] = useState(false);
  return (
    <Card
      title={t('orders.delivery')}
      headerActions={
        order.actions.delivery_bookable &&
        order.providers.length > 0 && (
          <Button
            icon="calculator"
            label={t('orders.deliveryStatistics.title')}
            onClick={() => setIsRecordingStatistics(true)}
          />
        )
      }
    >
      <DescriptionList
        rows={[
          [t('orders.startCount'), order.external_order_start_count],
          [t('orders.quantityForFullFill'), order.quantity_for_full_fill],
          [
            t('orders.externalStatisticsFill'),
            order.percent_of_external_statistics_fill && formatPercent(order.percent_of_external_statistics_fill),
          ],
          [t('orders.childPanelOrderId'), order.child_id],
        ]}
      />
      {order.counter && <CounterDetails counter={order.counter} />}
      <h3>{t('orders.providers')}</h3>
      <SimpleTable
        label={t('orders.providers')}
        rows={order.providers}
        getRowKey={(provider) => provider.id}
        emptyText={t('orders.noProviders')}
        columns={[
          { title: t('orders.provider.provider'), renderCell: (provider) => provider.name },
          { title: t('orders.columns.status'), renderCell: (provider) => <StatusTag status={provider.status} /> },
          {
            title: t('orders.columns.delivered'),
            align: 'end',
            renderCell: (provider) => formatNumber(provider.quantity),
          },
          { title: t('orders.columns.cost'), align: 'end', renderCell: (provider) => formatMoney(provider.cost) },
        ]}
      />
      <h3>{t('orders.externalOrders')}</h3>
      <SimpleTable
        label={t('orders.externalOrders')}
        rows={order.external_panel_orders}
        getRowKey={(attempt) => attempt.id}
        emptyText={t('orders.noExternalOrders')}
        columns={[
          { title: t('orders.externalId'), renderCell: (attempt) => attempt.external_panel_order_id ?? '–' },
          { title: t('orders.provider.provider'), renderCell: (attempt) => attempt.provider.name },
          { title: t('orders.columns.status'), renderCell: (attempt) => <AttemptStatus attempt={attempt} /> },
          {
            title: t('orders.columns.quantity'),
            align: 'end',
            renderCell: (attempt) => <AttemptQuantity attempt={attempt} />,
          },
          { title: t('orders.remains'), align: 'end', renderCell: (attempt) => attempt.remains ?? '–' },
          { title: t('orders.charge'), align: 'end', renderCell: (attempt) => formatMoney(attempt.charge) },
          { title: t('orders.columns.createdAt'), renderCell: (attempt) => <DateTime time={attempt.created_at} /> },
        ]}
      />
      {isRecordingStatistics && (
        <DeliveryStatisticsForm order={order} onClose={() => setIsRecordingStatistics(false)} />
      )}
    </Card>
  );
}

/** The counts that the counter service returned for the link of the order, and the last error of the service. */
function CounterDetails({ counter }: { counter: Schemas['OrderCounter'] }) {
  const { t } = useTranslation();
  return (
    <>
      <h3>{t('orders.counter.title')}</h3>
      <DescriptionList
        rows={[
          [t('orders.counter.startCount'), counter.start_count],
          [t('orders.counter.lastCount'), counter.last_count],
          [
            t('orders.counter.growth'),
            typeof counter.start_count === 'number' ? formatNumber(counter.quantity ?? 0) : null,
          ],
          [t('orders.counter.countedAt'), counter.counted_at && <DateTime key="at" time={counter.counted_at} />],
        ]}
      />
      {counter.is_shared && <p className="hint">{t('orders.counter.sharedLinkHint')}</p>}
      {counter.last_error && <p className="flag-bad">{counter.last_error}</p>}
    </>
  );
}

/** The quantity that was ordered at the external panel, and the quantity sold to the customer if both differ. */
function AttemptQuantity({ attempt }: { attempt: Schemas['OrderAttempt'] }) {
  const { t } = useTranslation();
  const soldQuantity = attempt.sold_quantity ?? attempt.initial_quantity;
  return (
    <>
      {formatNumber(attempt.initial_quantity)}
      {soldQuantity !== attempt.initial_quantity && (
        <small> · {t('externalPanelOrders.forSoldQuantity', { quantity: formatNumber(soldQuantity) })}</small>
      )}
    </>
  );
}

function AttemptStatus({ attempt }: { attempt: Schemas['OrderAttempt'] }) {
  const { t } = useTranslation();
  return (
    <>
      <ExternalStatusTag status={attempt.status} />
      {attempt.cancel_requested_at && <small> · {t('orders.cancelRequested')}</small>}
      {attempt.is_unknown && <small className="flag-bad"> · {t('externalPanelOrders.unconfirmed')}</small>}
      {attempt.last_error && <small className="flag-bad"> · {attempt.last_error}</small>}
      <AttemptExchange attempt={attempt} />
    </>
  );
}
