// The money of an order: what was charged, changed, paid, returned and earned.
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { count, money, percent } from '@/i18n/format';
import { Flag } from '@/ui/cells';
import { Facts, Panel, SmallTable } from '@/ui/Facts';
import { When } from '@/ui/When';

export function MoneyOfOrder({ order }: { order: Schemas['Order'] }) {
  const { t } = useTranslation();
  return (
    <Panel title={t('orders.money')}>
      <Facts
        rows={[
          [t('orders.columns.cost'), <strong key="cost">{money(order.cost)}</strong>],
          [t('orders.price'), `${money(order.price)} / ${count(order.pricing_per)}`],
          [t('orders.columns.refunded'), money(order.refunded)],
          [t('orders.providerCost'), money(order.provider_cost)],
          [t('orders.revenue'), money(order.revenue)],
          [t('orders.columns.margin'), order.margin_percent && percent(order.margin_percent)],
          [t('orders.refundable'), money(order.refund_amount)],
        ]}
      />
      <h3>{t('orders.paidBy')}</h3>
      <SmallTable
        label={t('orders.paidBy')}
        rows={order.order_balance_payments}
        rowKey={(_, at) => at}
        empty={t('orders.notPaid')}
        columns={[
          { title: t('orders.balance'), cell: (payment) => t(`balanceType.${payment.balance_type}`) },
          { title: t('orders.amount'), align: 'end', cell: (payment) => money(payment.amount) },
        ]}
      />
      <h3>{t('orders.refunds')}</h3>
      <SmallTable
        label={t('orders.refunds')}
        rows={order.refund_payments}
        rowKey={(payment) => payment.id}
        empty={t('orders.noRefunds')}
        columns={[
          { title: t('payments.columns.createdAt'), cell: (payment) => <When at={payment.created_at} /> },
          { title: t('payments.columns.admin'), cell: (payment) => payment.admin?.name ?? t('orders.system') },
          { title: t('orders.balance'), cell: (payment) => t(`balanceType.${payment.type}`) },
          { title: t('orders.amount'), align: 'end', cell: (payment) => money(payment.amount) },
        ]}
      />
      {order.price_modifications.length > 0 && (
        <>
          <h3>{t('orders.modifications')}</h3>
          <SmallTable
            label={t('orders.modifications')}
            rows={order.price_modifications}
            rowKey={(one) => one.id}
            empty=""
            columns={[
              { title: t('orders.columns.name'), cell: (one) => one.name },
              {
                title: t('orders.modificationType'),
                cell: (one) => t(`orders.modification.${one.type as 'discount'}`, { defaultValue: one.type }),
              },
              { title: t('orders.isSpeedup'), cell: (one) => <Flag on={one.is_speedup} /> },
              { title: t('orders.hasCountries'), cell: (one) => <Flag on={one.has_countries} /> },
              { title: t('orders.before'), align: 'end', cell: (one) => money(one.cost_before) },
              { title: t('orders.after'), align: 'end', cell: (one) => money(one.cost_after) },
              { title: t('orders.difference'), align: 'end', cell: (one) => money(one.cost_diff) },
            ]}
          />
        </>
      )}
    </Panel>
  );
}
