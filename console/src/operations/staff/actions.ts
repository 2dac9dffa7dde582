// The actions on staff members and roles, declared as data.
import type { Schemas } from '@/api/client';
import type { Action } from '@/table/action';
import { perRecordCalls } from '@/table/perRecordCalls';

const createSetActiveCalls = (is_active: boolean) =>
  perRecordCalls('PATCH', '/api/v1/admin/staffs/{id}', { body: () => ({ is_active }) });

export const STAFF_ACTIONS: readonly Action<Schemas['StaffRow']>[] = [
  {
    name: 'deactivateStaff',
    icon: 'ban',
    tone: 'danger',
    allows: (row) => row.actions.deactivable,
    ...createSetActiveCalls(false),
  },
  {
    name: 'activateStaff',
    icon: 'lock-open',
    allows: (row) => row.actions.activable,
    ...createSetActiveCalls(true),
  },
  {
    name: 'endStaffSessions',
    icon: 'sign-out',
    // `deactivable` is false for the signed-in staff member, who can end their own sessions on their profile page.
    allows: (row) => row.actions.deactivable,
    ...perRecordCalls('POST', '/api/v1/admin/staffs/{id}/end-sessions'),
  },
  {
    name: 'inviteStaff',
    icon: 'envelope',
    allows: (row) => row.actions.invitable ?? false,
    ...perRecordCalls('POST', '/api/v1/admin/staffs/{id}/invite'),
  },
  {
    name: 'withdrawInvitation',
    icon: 'times-circle',
    tone: 'danger',
    allows: (row) => row.actions.invitation_withdrawable ?? false,
    ...perRecordCalls('POST', '/api/v1/admin/staffs/{id}/withdraw-invitation'),
  },
  {
    name: 'resetSecondFactor',
    icon: 'shield',
    tone: 'danger',
    allows: (row) => row.actions.second_factor_resettable ?? false,
    ...perRecordCalls('POST', '/api/v1/admin/staffs/{id}/reset-second-factor'),
  },
];

export const ROLE_ACTIONS: readonly Action<Schemas['Role']>[] = [
  {
    name: 'deleteRole',
    icon: 'trash',
    tone: 'danger',
    allows: (role) => role.deletable ?? false,
    ...perRecordCalls('DELETE', '/api/v1/admin/roles/{id}'),
  },
];
