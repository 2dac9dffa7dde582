// The declaration of the actions on services.
import { type Action, asUntypedAction } from '@/table/action';
import { createBulkRecordRequests } from '@/table/bulkRequests';
import { createPerRecordRequests } from '@/table/perRecordRequests';
import type { ServiceSwitches } from './fields';
import type { ServiceRow } from './requests';
import { SwitchesForm } from './SwitchesForm';

const switchServices = asUntypedAction<ServiceRow, ServiceSwitches>({
  name: 'switchServices',
  icon: 'sliders-h',
  isAllowedFor: (row) => row.actions.editable,
  isReady: (input) => Object.keys(input).length > 0,
  Form: SwitchesForm,
  ...createBulkRecordRequests('/api/v1/admin/services/bulk', 'services', {
    changes: (switches: ServiceSwitches) => switches,
  }),
});

export const SERVICE_ACTIONS: readonly Action<ServiceRow>[] = [
  switchServices,
  {
    name: 'copyService',
    icon: 'copy',
    isAllowedFor: (row) => row.actions.copyable,
    ...createPerRecordRequests('POST', '/api/v1/admin/services/{id}/copy'),
  },
  {
    name: 'archiveService',
    icon: 'box',
    tone: 'danger',
    isAllowedFor: (row) => row.actions.archivable,
    ...createPerRecordRequests('POST', '/api/v1/admin/services/{id}/archive'),
  },
  {
    name: 'unarchiveService',
    icon: 'undo',
    isAllowedFor: (row) => row.actions.restore,
    ...createPerRecordRequests('POST', '/api/v1/admin/services/{id}/unarchive'),
  },
];
