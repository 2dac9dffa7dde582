// The list of staff: the users with a role or a permission.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { staff } from '@/api/lists/staff';
import { defineList } from '@/table/defineList';
import type { List } from '@/table/listDefinition';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import { StatusTag } from '@/ui/StatusTag';
import { Tabs } from '@/ui/Tabs';
import { STAFF_ACTIONS } from './actions';
import { NewMemberForm } from './forms';
import { PermissionNames } from './PermissionCheckboxes';
import { STAFF_TABS } from './tabs';

type StaffRow = Schemas['StaffRow'];

const STAFF_LIST: List<StaffRow> = defineList(staff, {
  title: 'staff.title',
  columns: {
    id: { width: 90, linkTo: (row) => `/staff/${row.id}` },
    name: 160,
    email: 210,
    is_active: { width: 130, cell: (row) => <StatusTag status={row.is_active ? 'active' : 'deactivated'} /> },
    roles: { width: 180, cell: (row) => row.roles.map((role) => role.name).join(', ') || '–' },
    permissions: (row) => (row.permissions.length > 0 ? <PermissionNames permissions={row.permissions} /> : '–'),
  },
  actions: STAFF_ACTIONS,
  getRecordUrl: (row) => `/staff/${row.id}`,
});

export default function Staff() {
  return (
    <div className="tabbed">
      <Tabs baseUrl="/staff" tabs={STAFF_TABS} currentTab="" />
      <ServerTable list={STAFF_LIST} tools={<NewMemberButton />} />
    </div>
  );
}

function NewMemberButton() {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button variant="filled" icon="plus" label={t('staff.create')} onClick={() => setIsOpen(true)} />
      {isOpen && (
        <NewMemberForm
          onClose={() => setIsOpen(false)}
          onDone={() => void queryClient.invalidateQueries({ queryKey: ['staff'] })}
        />
      )}
    </>
  );
}
