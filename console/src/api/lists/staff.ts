// Generated from openapi.json by `npm run openapi`. Do not edit.
import { declareList } from '../listDeclaration';

export const staff = declareList<'StaffRow'>()({
  name: 'staff',
  path: '/api/v1/admin/staffs',
  labels: 'staff',
  defaultColumns: ['id', 'name', 'email', 'is_active', 'roles', 'permissions', 'created_at'],
  columns: [
    { name: 'id', kind: 'id' },
    { name: 'name', kind: 'text' },
    { name: 'email', kind: 'text' },
    { name: 'is_active', kind: 'flag' },
    { name: 'created_at', kind: 'time' },
    { name: 'roles', kind: 'json', searchable: false },
    { name: 'permissions', kind: 'json', searchable: false },
    { name: 'has_second_factor', kind: 'flag', hasLabel: false, searchable: false },
    { name: 'invitation_expires_at', kind: 'time', hasLabel: false, searchable: false },
  ],
  filters: [],
});
