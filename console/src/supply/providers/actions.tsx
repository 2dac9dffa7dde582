// What can be done with providers, as data.
import { useTranslation } from 'react-i18next';
import type { Action } from '@/table/action';
import { perRecordCalls } from '@/table/perRecordCalls';
import { PATH, type Provider, type Row } from './calls';

/** What uses it, and which services its going leaves without anybody. */
function PreviewDetails({ row }: { row: Row }) {
  const { t } = useTranslation();
  const { services = [], open_orders_count: open = 0 } = row as Partial<Provider>;
  const left = services.filter((service) => service.has_no_active_providers);
  const names = left.map(({ id, name }) => `${name} (${id})`).join(', ');
  return (
    <>
      <p>{t('providers.usedBy', { services: services.length, orders: open })}</p>
      {left.length > 0 && <p className="field-error">{t('providers.leaves', { names })}</p>}
    </>
  );
}

export const PROVIDER_ACTIONS: readonly Action<Row>[] = [
  {
    name: 'archiveProvider',
    icon: 'box',
    tone: 'danger',
    allows: (row) => row.actions.archivable,
    PreviewDetails,
    ...perRecordCalls('POST', `${PATH}/{id}/archive`),
  },
  {
    name: 'unarchiveProvider',
    icon: 'undo',
    allows: (row) => row.actions.restore,
    ...perRecordCalls('POST', `${PATH}/{id}/unarchive`),
  },
];
