// What can be done with services, as data.
import { type Action, typed } from '@/table/action';
import { recordsOf } from '@/table/bulk';
import { eachOf } from '@/table/each';
import type { Row } from './calls';
import type { ServiceSwitches } from './fields';
import { SwitchesForm } from './SwitchesForm';

const switchServices = typed<Row, ServiceSwitches>({
  name: 'switchServices',
  icon: 'sliders-h',
  allows: (row) => row.actions.editable,
  ready: (input) => Object.keys(input).length > 0,
  Form: SwitchesForm,
  ...recordsOf('/api/v1/admin/services/bulk', 'services', { record: (switches: ServiceSwitches) => switches }),
});

export const SERVICE_ACTIONS: readonly Action<Row>[] = [
  switchServices,
  {
    name: 'copyService',
    icon: 'copy',
    allows: (row) => row.actions.copyable,
    ...eachOf('POST', '/api/v1/admin/services/{id}/copy'),
  },
  {
    name: 'archiveService',
    icon: 'box',
    tone: 'danger',
    allows: (row) => row.actions.archivable,
    ...eachOf('POST', '/api/v1/admin/services/{id}/archive'),
  },
  {
    name: 'unarchiveService',
    icon: 'undo',
    allows: (row) => row.actions.restore,
    ...eachOf('POST', '/api/v1/admin/services/{id}/unarchive'),
  },
];
