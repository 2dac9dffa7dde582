// Letting members of staff sign in, or no longer; deleting roles.
import { api, type Schemas, told } from '@/api/client';
import type { Action } from '@/table/action';
import { eachOf } from '@/table/each';

function switched(isActive: boolean): Pick<Action<Schemas['StaffRow']>, 'one' | 'many'> {
  return eachOf((id, init) =>
    told(api.PATCH('/api/v1/admin/staffs/{id}', { params: { path: { id } }, body: { is_active: isActive }, ...init })),
  );
}

export const STAFF_ACTIONS: readonly Action<Schemas['StaffRow']>[] = [
  {
    name: 'deactivateStaff',
    icon: 'ban',
    tone: 'danger',
    allows: (row) => row.actions.deactivable,
    undoable: true,
    ...switched(false),
  },
  {
    name: 'activateStaff',
    icon: 'lock-open',
    allows: (row) => row.actions.activable,
    undoable: true,
    ...switched(true),
  },
];

export const ROLE_ACTIONS: readonly Action<Schemas['Role']>[] = [
  {
    name: 'deleteRole',
    icon: 'trash',
    tone: 'danger',
    allows: (role) => role.editable && role.users_count === 0,
    ...eachOf((id, init) => told(api.DELETE('/api/v1/admin/roles/{id}', { params: { path: { id } }, ...init }))),
  },
];
