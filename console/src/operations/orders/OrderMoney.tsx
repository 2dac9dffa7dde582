// The money of an order: cost, payments, refunds, revenue and price modifications.
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { formatMoney, formatNumber, formatPercent } from '@/i18n/format';
import { Card, DescriptionList, SmallTable } from '@/ui/Card';
import { Flag } from '@/ui/cells';
import { DateTime } from '@/ui/DateTime';

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
      <h3>{t('orders.payments')}</h3>
      <SmallTable
        label={t('orders.payments')}
        rows={order.order_balance_payments}
        rowKey={(_, index) => index}
        empty={t('orders.noPayments')}
        columns={[
          { title: t('orders.balance'), cell: (payment) => t(`balanceType.${payment.balance_type}`) },
          { title: t('orders.amount'), align: 'end', cell: (payment) => formatMoney(payment.amount) },
        ]}
      />
      <h3>{t('orders.refunds')}</h3>
      <SmallTable
        label={t('orders.refunds')}
        rows={order.refund_payments}
        rowKey={(payment) => payment.id}
        empty={t('orders.noRefunds')}
        columns={[
          { title: t('payments.columns.createdAt'), cell: (payment) => <DateTime time={payment.created_at} /> },
          { title: t('payments.columns.admin'), cell: (payment) => payment.admin?.name ?? t('orders.system') },
          { title: t('orders.balance'), cell: (payment) => t(`balanceType.${payment.type}`) },
          { title: t('orders.amount'), align: 'end', cell: (payment) => formatMoney(payment.amount) },
        ]}
      />
      {order.price_modifications.length > 0 && (
        <>
          <h3>{t('orders.modifications')}</h3>
          <SmallTable
            label={t('orders.modifications')}
            rows={order.price_modifications}
            rowKey={(modification) => modification.id}
            empty=""
            columns={[
              { title: t('orders.columns.name'), cell: (modification) => modification.name },
              {
                title: t('orders.modificationType'),
                cell: ({ type }) => t(`orders.modificationTypes.${type as 'discount'}`, { defaultValue: type }),
              },
              { title: t('orders.isSpeedup'), cell: (modification) => <Flag value={modification.is_speedup} /> },
              { title: t('orders.isByCountry'), cell: (modification) => <Flag value={modification.has_countries} /> },
              {
                title: t('orders.costBefore'),
                align: 'end',
                cell: (modification) => formatMoney(modification.cost_before),
              },
              {
                title: t('orders.costAfter'),
                align: 'end',
                cell: (modification) => formatMoney(modification.cost_after),
              },
              {
                title: t('orders.costDifference'),
                align: 'end',
                cell: (modification) => formatMoney(modification.cost_diff),
              },
            ]}
          />
        </>
      )}
    </Card>
  );
}
