// The users list.
import type { Schemas } from '@/api/client';
import type { Column, List } from '@/table/declare';
import { columnsOf } from '@/table/kinds';
import { ServerTable } from '@/table/ServerTable';
import { USER_ACTIONS } from './actions';

type Row = Schemas['UserRow'];

const c = columnsOf<Row>('users');
const COLUMNS: readonly Column<Row>[] = [
  c.id(90, (row) => `/users/${row.id}`),
  c.text('name', 'name', 200),
  c.text('email', 'email', 230),
  c.status('status', 'status', ['active', 'frozen', 'deactivated']),
  c.money('balance', 'balance', 120),
  c.money('spent', 'spent', 120),
  c.person('manager', 'manager'),
  c.person('affiliate', 'affiliate'),
  c.text('affiliate_code', 'affiliateCode', 120, { hidden: true }),
  {
    name: 'grade.name',
    label: 'users.columns.grade',
    width: 120,
    filter: { kind: 'text' },
    permission: 'view grades',
    cell: (row) => row.grade?.name ?? '–',
  },
  {
    name: 'grade.id',
    label: 'users.columns.gradeId',
    width: 90,
    filter: { kind: 'ids' },
    filterOnly: true,
    permission: 'view grades',
    cell: (row) => row.grade?.id ?? '–',
  },
  {
    name: 'telegram_username',
    label: 'users.columns.telegram',
    width: 140,
    filter: { kind: 'text' },
    hidden: true,
    cell: (row) => (row.telegram_username ? `@${row.telegram_username}` : '–'),
  },
  c.flag('user_service_exists', 'customPrices', 110),
  c.time('created_at', 'createdAt'),
];

export const USERS: List<Row> = {
  name: 'users',
  title: 'users.title',
  path: '/api/v1/admin/users',
  columns: COLUMNS,
  defaults: { status: 'active' },
  actions: USER_ACTIONS,
  open: (row) => `/users/${row.id}`,
};

export default function Users() {
  return <ServerTable list={USERS} />;
}
