// The list of customers.

import type { Schemas } from '@/api/client';
import { users } from '@/api/lists/users';
import { defineList } from '@/table/defineList';
import type { List } from '@/table/listDefinition';
import { ServerTable } from '@/table/ServerTable';
import { USER_ACTIONS } from './actions';

type UserRow = Schemas['UserRow'];

export const CUSTOMER_LIST: List<UserRow> = defineList(users, {
  title: 'users.title',
  columns: {
    id: { width: 90, linkTo: (row) => `/users/${row.id}` },
    email: 230,
    balance: 120,
    spent: 120,
    affiliate_code: 120,
    'grade.name': 120,
    telegram_username: { width: 140, cell: (row) => (row.telegram_username ? `@${row.telegram_username}` : '–') },
    user_service_exists: 110,
  },
  defaultFilters: { status: 'active' },
  actions: USER_ACTIONS,
  getRecordUrl: (row) => `/users/${row.id}`,
});

export default function Users() {
  return <ServerTable list={CUSTOMER_LIST} />;
}
