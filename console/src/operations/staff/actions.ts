// The actions on staff members and roles, declared as data.
import type { Schemas } from '@/api/client';
import type { Action } from '@/table/action';
import { createPerRecordRequests } from '@/table/perRecordRequests';

const createSetActiveRequests = (is_active: boolean) =>
  createPerRecordRequests('PATCH', '/api/v1/admin/staffs/{id}', { body: () => ({ is_active }) });

export const STAFF_ACTIONS: readonly Action<Schemas['StaffRow']>[] = [
  {
    name: 'deactivateStaff',
    icon: 'ban',
    tone: 'danger',
    isAllowedFor: (row) => row.actions.deactivable,
    ...createSetActiveRequests(false),
  },
  {
    name: 'activateStaff',
    icon: 'lock-open',
    isAllowedFor: (row) => row.actions.activable,
    ...createSetActiveRequests(true),
  },
  {
    name: 'endStaffSessions',
    icon: 'sign-out',
    // `deactivable` is false for the signed-in staff member, who can end their own sessions on their profile page.
    isAllowedFor: (row) => row.actions.deactivable,
    ...createPerRecordRequests('POST', '/api/v1/admin/staffs/{id}/end-sessions'),
  },
  {
    name: 'inviteStaff',
    icon: 'envelope',
    isAllowedFor: (row) => row.actions.invitable ?? false,
    ...createPerRecordRequests('POST', '/api/v1/admin/staffs/{id}/invite'),
  },
  {
    name: 'withdrawInvitation',
    icon: 'times-circle',
    tone: 'danger',
    isAllowedFor: (row) => row.actions.invitation_withdrawable ?? false,
    ...createPerRecordRequests('POST', '/api/v1/admin/staffs/{id}/withdraw-invitation'),
  },
  {
    name: 'resetSecondFactor',
    icon: 'shield',
    tone: 'danger',
    isAllowedFor: (row) => row.actions.second_factor_resettable ?? false,
    ...createPerRecordRequests('POST', '/api/v1/admin/staffs/{id}/reset-second-factor'),
  },
];

export const ROLE_ACTIONS: readonly Action<Schemas['Role']>[] = [
  {
    name: 'deleteRole',
    icon: 'trash',
    tone: 'danger',
    isAllowedFor: (role) => role.deletable ?? false,
    ...createPerRecordRequests('DELETE', '/api/v1/admin/roles/{id}'),
  },
];
