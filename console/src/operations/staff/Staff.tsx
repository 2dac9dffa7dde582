// Staff: everybody with a role or a permission.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { Schemas } from '@/api/client';
import type { Column, List } from '@/table/declare';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import { StatusTag } from '@/ui/StatusTag';
import { Tabs } from '@/ui/Tabs';
import { When } from '@/ui/When';
import { STAFF_ACTIONS } from './actions';
import { NewMember } from './forms';
import { Names } from './Grants';
import { STAFF_TABS } from './tabs';

type Row = Schemas['StaffRow'];

const COLUMNS: readonly Column<Row>[] = [
  {
    name: 'id',
    label: 'users.columns.id',
    width: 90,
    filter: { kind: 'ids' },
    cell: (row) => <Link href={`/staff/${row.id}`}>{row.id}</Link>,
  },
  { name: 'name', label: 'users.columns.name', width: 180, filter: { kind: 'text' }, cell: (row) => row.name },
  { name: 'email', label: 'users.columns.email', width: 230, filter: { kind: 'text' }, cell: (row) => row.email },
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
    width: 260,
    sortable: false,
    cell: (row) => (row.permissions.length > 0 ? <Names permissions={row.permissions} /> : '–'),
  },
  {
    name: 'created_at',
    label: 'users.columns.createdAt',
    width: 168,
    filter: { kind: 'time' },
    cell: (row) => <When at={row.created_at} />,
  },
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
    <>
      <Tabs base="/staff" tabs={STAFF_TABS} now="" />
      <ServerTable list={STAFF} tools={<Create />} />
    </>
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
