// What was ordered, by whom, to where.
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { count, money, percent } from '@/i18n/format';
import { CopyButton } from '@/ui/Copy';
import { Countries, Flag, UserLink } from '@/ui/cells';
import { Facts, Panel, SmallTable } from '@/ui/Facts';
import { When } from '@/ui/When';

export function OrderFacts({ order }: { order: Schemas['Order'] }) {
  const { t } = useTranslation();
  const seconds = [
    [t('orders.columns.createdAt'), <When key="at" at={order.created_at} />],
    [t('orders.columns.completedAt'), <When key="at" at={order.completed_at} />],
    [t('orders.isPaid'), <Flag key="on" on={order.is_paid} />],
    [t('orders.columns.source'), t(`source.${order.source}`)],
    [t('orders.columns.hasRefill'), <Flag key="on" on={order.has_refill} />],
    [t('orders.autoRefill'), <Flag key="on" on={order.auto_refill_is_allowed} />],
    [t('orders.columns.noProviders'), <Flag key="on" on={order.has_no_active_providers} bad />],
    [t('orders.countries'), <Countries key="countries" codes={order.countries} />],
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
    <Panel title={t('orders.facts')}>
      <Facts
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
          [t('orders.columns.balance'), money(order.user.balance)],
          [t('orders.columns.spent'), money(order.user.spent)],
          [t('orders.columns.telegram'), order.user.telegram_username && `@${order.user.telegram_username}`],
          [t('orders.columns.quantity'), order.quantity],
          [
            t('orders.columns.delivered'),
            `${count(order.current_quantity)} · ${percent(order.percent_of_current_fill)}`,
          ],
          ...seconds,
        ]}
      />
      {order.targetable_values.length > 0 && (
        <SmallTable
          label={t('orders.targets')}
          rows={order.targetable_values}
          rowKey={(value) => value.name}
          empty=""
          columns={[
            { title: t('orders.target'), cell: (value) => value.name },
            { title: t('orders.value'), cell: (value) => value.value },
          ]}
        />
      )}
    </Panel>
  );
}
