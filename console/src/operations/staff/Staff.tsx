// Staff: everybody with a role or a permission.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import type { Column, List } from '@/table/declare';
import { columnsOf } from '@/table/kinds';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import { StatusTag } from '@/ui/StatusTag';
import { Tabs } from '@/ui/Tabs';
import { STAFF_ACTIONS } from './actions';
import { NewMember } from './forms';
import { Names } from './Grants';
import { STAFF_TABS } from './tabs';

type Row = Schemas['StaffRow'];

const c = columnsOf<Row>('users');
const COLUMNS: readonly Column<Row>[] = [
  c.id(90, (row) => `/staff/${row.id}`),
  c.text('name', 'name', 160),
  c.text('email', 'email', 210),
  {
    name: 'is_active',
    label: 'users.columns.status',
    width: 130,
    filter: { kind: 'flag' },
    cell: (row) => <StatusTag status={row.is_active ? 'active' : 'deactivated'} />,
  },
  {
    name: 'roles',
    label: 'staff.roles',
    width: 180,
    sortable: false,
    cell: (row) => row.roles.map((role) => role.name).join(', ') || '–',
  },
  {
    name: 'permissions',
    label: 'staff.own',
    width: 200,
    sortable: false,
    cell: (row) => (row.permissions.length > 0 ? <Names permissions={row.permissions} /> : '–'),
  },
  c.time('created_at', 'createdAt'),
];

const STAFF: List<Row> = {
  name: 'staff',
  title: 'staff.title',
  path: '/api/v1/admin/staffs',
  columns: COLUMNS,
  actions: STAFF_ACTIONS,
  open: (row) => `/staff/${row.id}`,
};

export default function Staff() {
  return (
    <div className="tabbed">
      <Tabs base="/staff" tabs={STAFF_TABS} now="" />
      <ServerTable list={STAFF} tools={<Create />} />
    </div>
  );
}

function Create() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button look="filled" icon="plus" label={t('staff.create')} onClick={() => setOpen(true)} />
      {open && (
        <NewMember
          onClose={() => setOpen(false)}
          onDone={() => void queries.invalidateQueries({ queryKey: ['staff'] })}
        />
      )}
    </>
  );
}
