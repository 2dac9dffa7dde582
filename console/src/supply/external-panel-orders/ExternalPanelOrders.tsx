// The screen with the list of external panel orders.
import { useTranslation } from 'react-i18next';
import { Link, useSearch } from 'wouter';
import { ServerTable } from '@/table/ServerTable';
import { EXTERNAL_PANEL_ORDERS } from './externalPanelOrderList';

/** Switches between all external panel orders and those that need the attention of staff. */
function StuckFilterLink() {
  const { t } = useTranslation();
  const isFilterOn = new URLSearchParams(useSearch()).get('stuck') === '1';
  return (
    <Link
      className={`button ${isFilterOn ? 'button-filled' : 'button-quiet'}`}
      href={isFilterOn ? '/external-panel-orders?' : '/external-panel-orders?stuck=1'}
      aria-current={isFilterOn ? 'true' : undefined}
    >
      <i className="pi pi-exclamation-triangle" aria-hidden />
      <span>{t('externalPanelOrders.stuckFilter')}</span>
    </Link>
  );
}

export default function ExternalPanelOrders() {
  return <ServerTable list={EXTERNAL_PANEL_ORDERS} tools={<StuckFilterLink />} />;
}
