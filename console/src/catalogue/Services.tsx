// The screen with the list of services.
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import type { Schemas } from '@/api/client';
import { services } from '@/api/lists/services';
import { formatMoney, formatNumber } from '@/i18n/format';
import { useHasPermission } from '@/session/hooks';
import { defineList } from '@/table/defineList';
import type { List } from '@/table/listDefinition';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import { StatusTag } from '@/ui/StatusTag';
import { SERVICE_ACTIONS } from './services/actions';
import { CatalogueTabs } from './Tabs';

type ServiceRow = Schemas['ServiceRow'];

const SERVICES: List<ServiceRow> = defineList(services, {
  title: 'services.title',
  columns: {
    id: { linkTo: (row) => `/services/${row.id}` },
    name: 320,
    'network.name': 140,
    'service_type.name': 150,
    panel_service_type: 150,
    default_price: {
      width: 150,
      cell: (row) => `${formatMoney(row.default_price)} / ${formatNumber(row.pricing_per)}`,
    },
    max_quantity: 110,
    moderation_is_enabled: 130,
    drip_feed_is_allowed: 110,
    is_enabled: {
      width: 130,
      cell: (row) => <StatusTag status={row.is_archived ? 'archived' : row.is_enabled ? 'active' : 'disabled'} />,
    },
    is_archived: 110,
    has_refill: 90,
    has_no_active_providers: { width: 120, isWarning: true },
    external_panels: 180,
  },
  defaultFilters: { is_archived: '0' },
  actions: SERVICE_ACTIONS,
  getRecordUrl: (row) => `/services/${row.id}`,
});

export default function Services() {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const canManage = useHasPermission()('manage services and providers');
  const tools = canManage && (
    <Button icon="plus" label={t('services.create')} onClick={() => navigate('/services/create')} />
  );
  return (
    <div className="with-tabs">
      <CatalogueTabs current="" />
      <ServerTable list={SERVICES} tools={tools} />
    </div>
  );
}
