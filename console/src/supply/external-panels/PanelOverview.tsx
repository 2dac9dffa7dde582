// The overview tab of an external panel's page: connection, balance, orders and the fields that syncs copy.
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { fractionToPercent } from '@/form/decimal';
import { formatMoneyIn, formatNumber, formatPercent } from '@/i18n/format';
import { useHasPermission } from '@/session/hooks';
import { Card } from '@/ui/Card';
import { BooleanText } from '@/ui/cells';
import { DateTime } from '@/ui/DateTime';
import { DescriptionList } from '@/ui/DescriptionList';
import { COMMON_SYNC_FLAGS, type ExternalPanel, PanelBalance, SOCPANEL_SYNC_FLAGS } from './externalPanelList';

export function PanelOverview({ panel }: { panel: ExternalPanel }) {
  const { t } = useTranslation();
  const canSeeOrders = useHasPermission()('manage external panel orders');
  const formatFraction = (fraction: string | null | undefined) =>
    fraction ? formatPercent(fractionToPercent(fraction)) : null;
  const maskedToken = panel.api_token_hint ? `…${panel.api_token_hint}` : t('externalPanels.tokenIsSet');
  const syncFlags =
    panel.type === 'socpanel'
      ? [...SOCPANEL_SYNC_FLAGS, ...COMMON_SYNC_FLAGS]
      : (['sync_services', ...COMMON_SYNC_FLAGS] as const);
  return (
    <div className="record-grid">
      <Card title={t('externalPanels.sections.connection')}>
        <DescriptionList
          rows={[
            [t('externalPanels.columns.type'), panel.type_label],
            [
              t('externalPanels.columns.endpoint'),
              <span key="endpoint" className="long">
                {panel.endpoint}
              </span>,
            ],
            [t('externalPanels.token'), panel.api_token_is_set ? maskedToken : t('externalPanels.noToken')],
            [t('externalPanels.columns.lastOkAt'), <DateTime key="lastOkAt" time={panel.last_ok_at} />],
            [t('externalPanels.columns.lastError'), panel.last_error],
            [t('externalPanels.columns.createdAt'), <DateTime key="createdAt" time={panel.created_at} />],
          ]}
        />
      </Card>
      <Card title={t('externalPanels.sections.money')}>
        <DescriptionList
          rows={[
            [t('externalPanels.columns.balance'), <PanelBalance key="balance" panel={panel} />],
            [t('externalPanels.balanceCheckedAt'), <DateTime key="balanceAt" time={panel.balance_at} />],
            [t('externalPanels.lowBalance'), panel.low_balance && formatMoneyIn(panel.low_balance, panel.currency)],
            [t('externalPanels.margin'), formatFraction(panel.resale_margin_fraction)],
            [t('externalPanels.priceChangeLimit'), formatFraction(panel.price_jump_fraction)],
          ]}
        />
      </Card>
      <Card title={t('externalPanels.sections.orders')}>
        <DescriptionList
          rows={[
            [t('externalPanels.columns.providers'), formatNumber(panel.providers_count)],
            [t('externalPanels.columns.openOrders'), formatNumber(panel.open_orders_count)],
            [
              t('externalPanelOrders.title'),
              canSeeOrders && (
                <Link key="showOrders" href={`/external-panel-orders?external_panel=${panel.id}`}>
                  {t('providers.showOrders')}
                </Link>
              ),
            ],
            [t('externalPanels.statisticType.label'), t(`externalPanels.statisticType.${panel.statistic_type}`)],
            [
              t('externalPanels.failOver'),
              <BooleanText key="recreate" value={panel.auto_recreate_orders_is_allowed} />,
            ],
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
      <Card title={t('externalPanels.sections.sync')}>
        <DescriptionList
          rows={syncFlags.map(
            (flag) => [t(`externalPanels.sync.${flag}`), <BooleanText key={flag} value={panel[flag]} />] as const,
          )}
        />
      </Card>
    </div>
  );
}
