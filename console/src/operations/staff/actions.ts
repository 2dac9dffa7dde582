// Letting members of staff sign in, or no longer; ending their sessions; inviting them; removing a second factor that was
// lost; deleting roles.
import type { Schemas } from '@/api/client';
import type { Action } from '@/table/action';
import { eachOf } from '@/table/each';

const switched = (is_active: boolean) => eachOf('PATCH', '/api/v1/admin/staffs/{id}', { body: () => ({ is_active }) });

export const STAFF_ACTIONS: readonly Action<Schemas['StaffRow']>[] = [
  {
    name: 'deactivateStaff',
    icon: 'ban',
    tone: 'danger',
    allows: (row) => row.actions.deactivable,
    ...switched(false),
  },
  {
    name: 'activateStaff',
    icon: 'lock-open',
    allows: (row) => row.actions.activable,
    ...switched(true),
  },
  {
    name: 'endStaffSessions',
    icon: 'sign-out',
    // One's own sessions are ended in one's profile.
    allows: (row) => row.actions.deactivable,
    ...eachOf('POST', '/api/v1/admin/staffs/{id}/end-sessions'),
  },
  {
    name: 'inviteStaff',
    icon: 'envelope',
    allows: (row) => row.actions.invitable ?? false,
    ...eachOf('POST', '/api/v1/admin/staffs/{id}/invite'),
  },
  {
    name: 'withdrawInvitation',
    icon: 'times-circle',
    tone: 'danger',
    allows: (row) => row.actions.invitation_withdrawable ?? false,
    ...eachOf('POST', '/api/v1/admin/staffs/{id}/withdraw-invitation'),
  },
  {
    name: 'resetSecondFactor',
    icon: 'shield',
    tone: 'danger',
    allows: (row) => row.actions.second_factor_resettable ?? false,
    ...eachOf('POST', '/api/v1/admin/staffs/{id}/reset-second-factor'),
  },
];

export const ROLE_ACTIONS: readonly Action<Schemas['Role']>[] = [
  {
    name: 'deleteRole',
    icon: 'trash',
    tone: 'danger',
    allows: (role) => role.deletable ?? false,
    ...eachOf('DELETE', '/api/v1/admin/roles/{id}'),
  },
];
