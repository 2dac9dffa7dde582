// The list of external panel orders.
import { useTranslation } from 'react-i18next';
import { Link, useSearch } from 'wouter';
import { ServerTable } from '@/table/ServerTable';
import { EXTERNAL_PANEL_ORDERS } from './declaration';

/** A toggle between all external panel orders and the orders that need the attention of staff. */
function StuckFilterLink() {
  const { t } = useTranslation();
  const isOn = new URLSearchParams(useSearch()).get('stuck') === '1';
  return (
    <Link
      className={`button ${isOn ? 'button-filled' : 'button-quiet'}`}
      href={isOn ? '/external-panel-orders?' : '/external-panel-orders?stuck=1'}
      aria-current={isOn ? 'true' : undefined}
    >
      <i className="pi pi-exclamation-triangle" aria-hidden />
      <span>{t('attempts.stuckFilter')}</span>
    </Link>
  );
}

export default function ExternalPanelOrders() {
  return <ServerTable list={EXTERNAL_PANEL_ORDERS} tools={<StuckFilterLink />} />;
}
