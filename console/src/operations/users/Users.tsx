// The users list.
import { Link } from 'wouter';
import type { Schemas } from '@/api/client';
import { money } from '@/i18n/format';
import type { Column, List } from '@/table/declare';
import { ServerTable } from '@/table/ServerTable';
import { Flag, UserLink } from '@/ui/cells';
import { StatusTag } from '@/ui/StatusTag';
import { When } from '@/ui/When';
import { USER_ACTIONS } from './actions';

type Row = Schemas['UserRow'];

const COLUMNS: readonly Column<Row>[] = [
  {
    name: 'id',
    label: 'users.columns.id',
    width: 90,
    filter: { kind: 'ids' },
    cell: (row) => <Link href={`/users/${row.id}`}>{row.id}</Link>,
  },
  { name: 'name', label: 'users.columns.name', width: 200, filter: { kind: 'text' }, cell: (row) => row.name },
  { name: 'email', label: 'users.columns.email', width: 230, filter: { kind: 'text' }, cell: (row) => row.email },
  {
    name: 'status',
    label: 'users.columns.status',
    width: 130,
    filter: { kind: 'words', words: ['active', 'frozen', 'deactivated'], texts: 'status' },
    cell: (row) => <StatusTag status={row.status} />,
  },
  {
    name: 'balance',
    label: 'users.columns.balance',
    width: 120,
    align: 'end',
    filter: { kind: 'money' },
    cell: (row) => money(row.balance),
  },
  {
    name: 'spent',
    label: 'users.columns.spent',
    width: 120,
    align: 'end',
    filter: { kind: 'money' },
    cell: (row) => money(row.spent),
  },
  {
    name: 'manager.name',
    label: 'users.columns.manager',
    width: 150,
    filter: { kind: 'text' },
    filterName: 'manager',
    cell: (row) => (row.manager ? <UserLink user={row.manager} /> : '–'),
  },
  {
    name: 'affiliate.name',
    label: 'users.columns.affiliate',
    width: 150,
    filter: { kind: 'text' },
    filterName: 'affiliate',
    cell: (row) => (row.affiliate ? <UserLink user={row.affiliate} /> : '–'),
  },
  {
    name: 'affiliate_code',
    label: 'users.columns.affiliateCode',
    width: 120,
    filter: { kind: 'text' },
    hidden: true,
    cell: (row) => row.affiliate_code ?? '–',
  },
  {
    name: 'grade.name',
    label: 'users.columns.grade',
    width: 120,
    filter: { kind: 'text' },
    permission: 'view grades',
    cell: (row) => row.grade?.name ?? '–',
  },
  {
    name: 'telegram_username',
    label: 'users.columns.telegram',
    width: 140,
    filter: { kind: 'text' },
    hidden: true,
    cell: (row) => (row.telegram_username ? `@${row.telegram_username}` : '–'),
  },
  {
    name: 'user_service_exists',
    label: 'users.columns.customPrices',
    width: 110,
    filter: { kind: 'flag' },
    cell: (row) => <Flag on={row.user_service_exists} />,
  },
  {
    name: 'created_at',
    label: 'users.columns.createdAt',
    width: 168,
    filter: { kind: 'time' },
    cell: (row) => <When at={row.created_at} />,
  },
];

const USERS: List<Row> = {
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
