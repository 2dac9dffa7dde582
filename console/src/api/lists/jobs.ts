// Generated from openapi.json by `npm run openapi`. Do not edit.
import { declareList } from '../listDeclaration';
import { JobStatus } from '../enums';

export const jobs = declareList<'JobRow'>()({
  name: 'jobs',
  path: '/api/v1/admin/jobs',
  labels: 'jobs',
  defaultColumns: ['id', 'kind', 'about', 'status', 'attempts', 'run_at', 'last_error', 'created_at'],
  columns: [
    { name: 'id', kind: 'id' },
    { name: 'kind', kind: 'open_enum' },
    { name: 'status', kind: 'enum', enumName: 'JobStatus', values: JobStatus },
    { name: 'attempts', kind: 'number' },
    { name: 'run_at', kind: 'time' },
    { name: 'lease_until', kind: 'time' },
    { name: 'last_error', kind: 'text' },
    { name: 'created_at', kind: 'time' },
    { name: 'done_at', kind: 'time' },
    { name: 'dead_at', kind: 'time' },
    { name: 'about', kind: 'text', searchable: false },
  ],
  filters: [],
});
