// External panel orders: what is at panels, and what is stuck there.
import { useTranslation } from 'react-i18next';
import { Link, useSearch } from 'wouter';
import { ServerTable } from '@/table/ServerTable';
import { EXTERNAL_PANEL_ORDERS } from './declaration';

/** One click to what a person should look at, and back. */
function Stuck() {
  const { t } = useTranslation();
  const isOn = new URLSearchParams(useSearch()).get('stuck') === '1';
  return (
    <Link
      className={`button ${isOn ? 'button-filled' : 'button-quiet'}`}
      href={isOn ? '/external-panel-orders?' : '/external-panel-orders?stuck=1'}
      aria-current={isOn ? 'true' : undefined}
    >
      <i className="pi pi-exclamation-triangle" aria-hidden />
      <span>{t('attempts.stuck')}</span>
    </Link>
  );
}

export default function ExternalPanelOrders() {
  return <ServerTable list={EXTERNAL_PANEL_ORDERS} tools={<Stuck />} />;
}
