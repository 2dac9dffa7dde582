// The money of an order: cost, payments, refunds, revenue and price modifications.
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { formatMoney, formatNumber, formatPercent } from '@/i18n/format';
import { Card } from '@/ui/Card';
import { BooleanText } from '@/ui/cells';
import { DateTime } from '@/ui/DateTime';
import { DescriptionList } from '@/ui/DescriptionList';
import { SimpleTable } from '@/ui/SimpleTable';

export function OrderMoney({ order }: { order: Schemas['Order'] }) {
  const { t } = useTranslation();
  return (
    <Card title={t('orders.money')}>
      <DescriptionList
        rows={[
          [t('orders.columns.cost'), <strong key="cost">{formatMoney(order.cost)}</strong>],
          [t('orders.price'), `${formatMoney(order.price)} / ${formatNumber(order.pricing_per)}`],
          [t('orders.columns.refunded'), formatMoney(order.refunded)],
          [t('orders.providerCost'), formatMoney(order.provider_cost)],
          [t('orders.revenue'), formatMoney(order.revenue)],
          [t('orders.columns.margin'), order.margin_percent && formatPercent(order.margin_percent)],
          [t('orders.defaultRefund'), formatMoney(order.refund_amount)],
        ]}
      />
      <h3>{t('orders.paidBy')}</h3>
      <SimpleTable
        label={t('orders.paidBy')}
        rows={order.order_balance_payments}
        getRowKey={(_, index) => index}
        emptyText={t('orders.noPayments')}
        columns={[
          { title: t('orders.balance'), renderCell: (payment) => t(`balanceType.${payment.balance_type}`) },
          { title: t('orders.amount'), align: 'end', renderCell: (payment) => formatMoney(payment.amount) },
        ]}
      />
      <h3>{t('orders.refunds')}</h3>
      <SimpleTable
        label={t('orders.refunds')}
        rows={order.refund_payments}
        getRowKey={(payment) => payment.id}
        emptyText={t('orders.noRefunds')}
        columns={[
          { title: t('payments.columns.createdAt'), renderCell: (payment) => <DateTime time={payment.created_at} /> },
          {
            title: t('payments.columns.admin'),
            renderCell: (payment) => payment.admin?.name ?? t('orders.systemActor'),
          },
          { title: t('orders.balance'), renderCell: (payment) => t(`balanceType.${payment.type}`) },
          { title: t('orders.amount'), align: 'end', renderCell: (payment) => formatMoney(payment.amount) },
        ]}
      />
      {order.price_modifications.length > 0 && (
        <>
          <h3>{t('orders.modifications')}</h3>
          <SimpleTable
            label={t('orders.modifications')}
            rows={order.price_modifications}
            getRowKey={(modification) => modification.id}
            emptyText=""
            columns={[
              { title: t('orders.columns.name'), renderCell: (modification) => modification.name },
              {
                title: t('orders.modificationType'),
                renderCell: ({ type }) => t(`orders.modificationTypes.${type as 'discount'}`, { defaultValue: type }),
              },
              {
                title: t('orders.isSpeedup'),
                renderCell: (modification) => <BooleanText value={modification.is_speedup} />,
              },
              {
                title: t('orders.isByCountry'),
                renderCell: (modification) => <BooleanText value={modification.has_countries} />,
              },
              {
                title: t('orders.costBefore'),
                align: 'end',
                renderCell: (modification) => formatMoney(modification.cost_before),
              },
              {
                title: t('orders.costAfter'),
                align: 'end',
                renderCell: (modification) => formatMoney(modification.cost_after),
              },
              {
                title: t('orders.costDifference'),
                align: 'end',
                renderCell: (modification) => formatMoney(modification.cost_diff),
              },
            ]}
          />
        </>
      )}
    </Card>
  );
}
