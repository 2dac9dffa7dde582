// The actions on services, declared as data.
import { type Action, eraseInputType } from '@/table/action';
import { bulkRecordCalls } from '@/table/bulkCalls';
import { perRecordCalls } from '@/table/perRecordCalls';
import type { ServiceRow } from './calls';
import type { ServiceSwitches } from './fields';
import { SwitchesForm } from './SwitchesForm';

const switchServices = eraseInputType<ServiceRow, ServiceSwitches>({
  name: 'switchServices',
  icon: 'sliders-h',
  allows: (row) => row.actions.editable,
  isReady: (input) => Object.keys(input).length > 0,
  Form: SwitchesForm,
  ...bulkRecordCalls('/api/v1/admin/services/bulk', 'services', { changes: (switches: ServiceSwitches) => switches }),
});

export const SERVICE_ACTIONS: readonly Action<ServiceRow>[] = [
  switchServices,
  {
    name: 'copyService',
    icon: 'copy',
    allows: (row) => row.actions.copyable,
    ...perRecordCalls('POST', '/api/v1/admin/services/{id}/copy'),
  },
  {
    name: 'archiveService',
    icon: 'box',
    tone: 'danger',
    allows: (row) => row.actions.archivable,
    ...perRecordCalls('POST', '/api/v1/admin/services/{id}/archive'),
  },
  {
    name: 'unarchiveService',
    icon: 'undo',
    allows: (row) => row.actions.restore,
    ...perRecordCalls('POST', '/api/v1/admin/services/{id}/unarchive'),
  },
];
