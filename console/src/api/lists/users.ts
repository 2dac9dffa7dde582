// Generated from openapi.json by `npm run openapi`. Do not edit.
import { declareList } from '../listDeclaration';
import { UserStatus } from '../enums';

export const users = declareList<'UserRow'>()({
  name: 'users',
  path: '/api/v1/admin/users',
  labels: 'users',
  defaultColumns: ['id', 'name', 'email', 'status', 'balance', 'spent', 'manager.name', 'affiliate.name', 'grade.name', 'user_service_exists', 'created_at'],
  columns: [
    { name: 'id', kind: 'id' },
    { name: 'name', kind: 'text' },
    { name: 'email', kind: 'text' },
    { name: 'balance', kind: 'money' },
    { name: 'spent', kind: 'money' },
    { name: 'status', kind: 'enum', enumName: 'UserStatus', values: UserStatus },
    { name: 'created_at', kind: 'time' },
    { name: 'telegram_username', kind: 'text' },
    { name: 'affiliate_code', kind: 'text' },
    { name: 'affiliate', kind: 'record', recordKind: 'user', inRow: false, hasLabel: false },
    { name: 'affiliate.id', kind: 'id', hasLabel: false },
    { name: 'affiliate.name', kind: 'text', filteredBy: 'affiliate' },
    { name: 'manager', kind: 'record', recordKind: 'user', inRow: false, hasLabel: false },
    { name: 'manager.id', kind: 'id', hasLabel: false },
    { name: 'manager.name', kind: 'text', filteredBy: 'manager' },
    { name: 'seller', kind: 'record', recordKind: 'user', inRow: false, hasLabel: false, aliasOf: 'manager' },
    { name: 'seller.id', kind: 'id', inRow: false, hasLabel: false, aliasOf: 'manager.id' },
    { name: 'seller.name', kind: 'text', inRow: false, hasLabel: false, aliasOf: 'manager.name' },
    { name: 'current_grade', kind: 'text', permission: 'view grades', inRow: false, hasLabel: false, aliasOf: 'grade.name' },
    { name: 'current_grade.id', kind: 'id', permission: 'view grades', inRow: false, hasLabel: false, aliasOf: 'grade.id' },
    { name: 'current_grade.name', kind: 'text', permission: 'view grades', inRow: false, hasLabel: false, aliasOf: 'grade.name' },
    { name: 'grade.id', kind: 'id', permission: 'view grades' },
    { name: 'grade.name', kind: 'text', permission: 'view grades' },
    { name: 'user_service_exists', kind: 'flag' },
  ],
  filters: [],
});
