// How a panel does, what it is worth to us, and what is taken over from it.
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { percentOf } from '@/form/decimal';
import { count, moneyOf, percent } from '@/i18n/format';
import { useMay } from '@/session/hooks';
import { Flag } from '@/ui/cells';
import { Facts, Panel } from '@/ui/Facts';
import { When } from '@/ui/When';
import { Balance, type ExternalPanel, OWN_SYNC, SYNC } from './declaration';

export function Overview({ panel }: { panel: ExternalPanel }) {
  const { t } = useTranslation();
  const may = useMay();
  const share = (fraction: string | null | undefined) => (fraction ? percent(percentOf(fraction)) : null);
  const token = panel.api_token_hint ? `…${panel.api_token_hint}` : t('externalPanels.tokenIsSet');
  return (
    <div className="record-grid">
      <Panel title={t('externalPanels.parts.connection')}>
        <Facts
          rows={[
            [t('externalPanels.columns.type'), panel.type_label],
            [
              t('externalPanels.columns.endpoint'),
              <span key="endpoint" className="long">
                {panel.endpoint}
              </span>,
            ],
            [t('externalPanels.token'), panel.api_token_is_set ? token : t('externalPanels.noToken')],
            [t('externalPanels.columns.lastOkAt'), <When key="ok" at={panel.last_ok_at} />],
            [t('externalPanels.columns.lastError'), panel.last_error],
            [t('externalPanels.columns.createdAt'), <When key="made" at={panel.created_at} />],
          ]}
        />
      </Panel>
      <Panel title={t('externalPanels.parts.money')}>
        <Facts
          rows={[
            [t('externalPanels.columns.balance'), <Balance key="balance" panel={panel} />],
            [t('externalPanels.balanceAt'), <When key="asked" at={panel.balance_at} />],
            [t('externalPanels.lowBalance'), panel.low_balance && moneyOf(panel.low_balance, panel.currency)],
            [t('externalPanels.margin'), share(panel.resale_margin_percent)],
            [t('externalPanels.jump'), share(panel.price_jump_percent)],
          ]}
        />
      </Panel>
      <Panel title={t('externalPanels.parts.orders')}>
        <Facts
          rows={[
            [t('externalPanels.columns.providers'), count(panel.providers_count)],
            [t('externalPanels.columns.openOrders'), count(panel.open_orders_count)],
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
      </Panel>
      {(panel.rejection_messages ?? []).length > 0 && (
        <Panel title={t('externalPanels.rejections.title')}>
          <Facts
            rows={(panel.rejection_messages ?? []).map(
              ({ message, reason }) => [message, t(`externalPanels.rejections.reasons.${reason}`)] as const,
            )}
          />
        </Panel>
      )}
      <Panel title={t('externalPanels.parts.sync')}>
        <Facts
          rows={(panel.type === 'socpanel' ? [...OWN_SYNC, ...SYNC] : (['sync_services', ...SYNC] as const)).map(
            (name) => [t(`externalPanels.sync.${name}`), <Flag key={name} on={panel[name]} />] as const,
          )}
        />
      </Panel>
    </div>
  );
}
