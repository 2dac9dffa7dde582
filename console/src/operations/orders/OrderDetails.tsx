// The details of an order: service, URL, customer, quantity and settings.
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { formatMoney, formatNumber, formatPercent } from '@/i18n/format';
import { Card } from '@/ui/Card';
import { CopyButton } from '@/ui/Copy';
import { BooleanText, CountryNames, UserLink } from '@/ui/cells';
import { DateTime } from '@/ui/DateTime';
import { DescriptionList } from '@/ui/DescriptionList';
import { SimpleTable } from '@/ui/SimpleTable';

export function OrderDetails({ order }: { order: Schemas['Order'] }) {
  const { t } = useTranslation();
  const settingRows = [
    [t('orders.columns.createdAt'), <DateTime key="at" time={order.created_at} />],
    [t('orders.columns.completedAt'), <DateTime key="at" time={order.completed_at} />],
    [t('orders.isPaid'), <BooleanText key="on" value={order.is_paid} />],
    [t('orders.columns.source'), t(`source.${order.source}`)],
    [t('orders.columns.hasRefill'), <BooleanText key="on" value={order.has_refill} />],
    [t('orders.autoRefill'), <BooleanText key="on" value={order.auto_refill_is_allowed} />],
    [t('orders.columns.noProviders'), <BooleanText key="on" value={order.has_no_active_providers} isWarning />],
    [t('orders.countries'), <CountryNames key="countries" codes={order.countries} />],
    [t('orders.columns.keyword'), order.keyword],
    [t('orders.columns.seoKeyword'), order.seo_keyword],
    [t('orders.columns.comment'), order.comment],
    ...(order.cancel_reason || order.cancel_description
      ? ([
          [
            t('orders.cancel.reason'),
            [order.cancel_reason && t(`cancelReason.${order.cancel_reason}`), order.cancel_description]
              .filter(Boolean)
              .join(': '),
          ],
        ] as const)
      : []),
  ] as const;
  return (
    <Card title={t('orders.details')}>
      <DescriptionList
        rows={[
          [t('orders.columns.service'), order.service.name],
          [t('orders.columns.name'), order.name],
          [
            t('orders.columns.url'),
            <span key="url" className="with-copy wraps">
              <span>{order.url}</span>
              <CopyButton text={order.url} />
            </span>,
          ],
          [t('orders.columns.user'), <UserLink key="user" user={order.user} />],
          [t('orders.columns.email'), order.user.email],
          [t('orders.columns.balance'), formatMoney(order.user.balance)],
          [t('orders.columns.spent'), formatMoney(order.user.spent)],
          [t('orders.columns.telegram'), order.user.telegram_username && `@${order.user.telegram_username}`],
          [t('orders.columns.quantity'), order.quantity],
          [
            t('orders.columns.delivered'),
            `${formatNumber(order.current_quantity)} · ${formatPercent(order.percent_of_current_fill)}`,
          ],
          ...settingRows,
        ]}
      />
      {order.targetable_values.length > 0 && (
        <SimpleTable
          label={t('orders.targets')}
          rows={order.targetable_values}
          getRowKey={(value) => value.name}
          emptyText=""
          columns={[
            { title: t('orders.target'), renderCell: (value) => value.name },
            { title: t('orders.targetValue'), renderCell: (value) => value.value },
          ]}
        />
      )}
    </Card>
  );
}
