// What can be done with services, as data.
import { api, type Schemas, told } from '@/api/client';
import type { Action, How, Input } from '@/table/action';
import { eachOf } from '@/table/each';
import type { Row } from './calls';
import { SwitchesForm } from './SwitchesForm';

function switches(ids: readonly number[], input: Input, { dryRun, key, signal }: How) {
  const services = ids.map((id) => ({ ...input, id })) as Schemas['BulkService'][];
  return told(
    api.PATCH('/api/v1/admin/services/bulk', {
      params: { query: dryRun ? { dry_run: '1' } : {} },
      body: { services },
      headers: { 'Idempotency-Key': key },
      ...(signal ? { signal } : {}),
    }),
  );
}

export const SERVICE_ACTIONS: readonly Action<Row>[] = [
  {
    name: 'switchServices',
    icon: 'sliders-h',
    allows: (row) => row.actions.editable,
    ready: (input) => Object.keys(input).length > 0,
    Form: SwitchesForm,
    one: (id, input, how) => switches([id], input, how),
    many: switches,
  },
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
