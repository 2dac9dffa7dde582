// Staff: everybody with a role or a permission.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { staff } from '@/api/lists/staff';
import type { List } from '@/table/declare';
import { listOf } from '@/table/listOf';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import { StatusTag } from '@/ui/StatusTag';
import { Tabs } from '@/ui/Tabs';
import { STAFF_ACTIONS } from './actions';
import { NewMember } from './forms';
import { Names } from './Grants';
import { STAFF_TABS } from './tabs';

type Row = Schemas['StaffRow'];

const STAFF: List<Row> = listOf(staff, {
  title: 'staff.title',
  columns: {
    id: { width: 90, to: (row) => `/staff/${row.id}` },
    name: 160,
    email: 210,
    is_active: { width: 130, cell: (row) => <StatusTag status={row.is_active ? 'active' : 'deactivated'} /> },
    roles: { width: 180, cell: (row) => row.roles.map((role) => role.name).join(', ') || '–' },
    permissions: (row) => (row.permissions.length > 0 ? <Names permissions={row.permissions} /> : '–'),
  },
  actions: STAFF_ACTIONS,
  open: (row) => `/staff/${row.id}`,
});

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
