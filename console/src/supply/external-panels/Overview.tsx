// How a panel does, what it is worth to us, and what is taken over from it.
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { fractionToPercent } from '@/form/decimal';
import { formatMoneyIn, formatNumber, formatPercent } from '@/i18n/format';
import { useHasPermission } from '@/session/hooks';
import { Card, DescriptionList } from '@/ui/Card';
import { Flag } from '@/ui/cells';
import { DateTime } from '@/ui/DateTime';
import { Balance, type ExternalPanel, OWN_SYNC, SYNC } from './declaration';

export function Overview({ panel }: { panel: ExternalPanel }) {
  const { t } = useTranslation();
  const may = useHasPermission();
  const share = (fraction: string | null | undefined) => (fraction ? formatPercent(fractionToPercent(fraction)) : null);
  const token = panel.api_token_hint ? `…${panel.api_token_hint}` : t('externalPanels.tokenIsSet');
  return (
    <div className="record-grid">
      <Card title={t('externalPanels.parts.connection')}>
        <DescriptionList
          rows={[
            [t('externalPanels.columns.type'), panel.type_label],
            [
              t('externalPanels.columns.endpoint'),
              <span key="endpoint" className="long">
                {panel.endpoint}
              </span>,
            ],
            [t('externalPanels.token'), panel.api_token_is_set ? token : t('externalPanels.noToken')],
            [t('externalPanels.columns.lastOkAt'), <DateTime key="ok" at={panel.last_ok_at} />],
            [t('externalPanels.columns.lastError'), panel.last_error],
            [t('externalPanels.columns.createdAt'), <DateTime key="made" at={panel.created_at} />],
          ]}
        />
      </Card>
      <Card title={t('externalPanels.parts.money')}>
        <DescriptionList
          rows={[
            [t('externalPanels.columns.balance'), <Balance key="balance" panel={panel} />],
            [t('externalPanels.balanceAt'), <DateTime key="asked" at={panel.balance_at} />],
            [t('externalPanels.lowBalance'), panel.low_balance && formatMoneyIn(panel.low_balance, panel.currency)],
            [t('externalPanels.margin'), share(panel.resale_margin_percent)],
            [t('externalPanels.jump'), share(panel.price_jump_percent)],
          ]}
        />
      </Card>
      <Card title={t('externalPanels.parts.orders')}>
        <DescriptionList
          rows={[
            [t('externalPanels.columns.providers'), formatNumber(panel.providers_count)],
            [t('externalPanels.columns.openOrders'), formatNumber(panel.open_orders_count)],
            [
              t('attempts.title'),
              may('manage external panel orders') && (
                <Link key="attempts" href={`/external-panel-orders?external_panel=${panel.id}`}>
                  {t('providers.showOrders')}
                </Link>
              ),
            ],
            [t('externalPanels.statistic.label'), t(`externalPanels.statistic.${panel.statistic_type}`)],
            [t('externalPanels.recreate'), <Flag key="again" on={panel.auto_recreate_orders_is_allowed} />],
          ]}
        />
      </Card>
      {(panel.rejection_messages ?? []).length > 0 && (
        <Card title={t('externalPanels.rejections.title')}>
          <DescriptionList
            rows={(panel.rejection_messages ?? []).map(
              ({ message, reason }) => [message, t(`externalPanels.rejections.reasons.${reason}`)] as const,
            )}
          />
        </Card>
      )}
      <Card title={t('externalPanels.parts.sync')}>
        <DescriptionList
          rows={(panel.type === 'socpanel' ? [...OWN_SYNC, ...SYNC] : (['sync_services', ...SYNC] as const)).map(
            (name) => [t(`externalPanels.sync.${name}`), <Flag key={name} on={panel[name]} />] as const,
          )}
        />
      </Card>
    </div>
  );
}
