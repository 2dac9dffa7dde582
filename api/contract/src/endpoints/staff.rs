//! Endpoints of staff, roles and permissions.

use crate::common::{Data, DryRun};
use crate::endpoint::{NoBody, NoQuery};
use crate::ids::{RoleId, UserId};
use crate::permission::PermissionEntry;
use crate::session::EndedSessions;
use crate::staff::*;
use crate::table::{Page, TableQuery};

crate::endpoints! { $ for_each_staff_endpoint "staff";
    /// Staff, newest first.
    ListStaff list_staff: GET "/api/v1/admin/staffs" [ManageStaff] exports_confirmed ((), TableQuery, NoBody) -> Page<StaffRow>;
    /// Makes a member of staff; without a password they are invited by email to set one.
    CreateStaff create_staff: POST "/api/v1/admin/staffs" [ManageStaff] confirmed ((), NoQuery, NewStaffInput) -> Data<StaffRow>;
    /// Changes a member of staff: name, password, whether they may sign in.
    UpdateStaff update_staff: PATCH "/api/v1/admin/staffs/{id}" [ManageStaff] partly_confirmed (UserId, DryRun, StaffInput) -> Data<StaffRow>;
    /// Emails a member of staff without a password a link to set one; a link from before no longer works.
    InviteStaff invite_staff: POST "/api/v1/admin/staffs/{id}/invite" [ManageStaff] (UserId, DryRun, NoBody) -> Data<StaffRow>;
    /// Withdraws the invitation of a member of staff: its link no longer works.
    WithdrawInvitation withdraw_invitation: POST "/api/v1/admin/staffs/{id}/withdraw-invitation" [ManageStaff] (UserId, DryRun, NoBody) -> Data<StaffRow>;
    /// Ends all sessions of a member of staff; of your own all but the one in use.
    EndStaffSessions end_staff_sessions: POST "/api/v1/admin/staffs/{id}/end-sessions" [ManageStaff] confirmed (UserId, DryRun, NoBody) -> EndedSessions;
    /// Replaces the roles and permissions of a user; of a customer this makes staff.
    SyncGrants sync_grants: PATCH "/api/v1/admin/users/{id}/sync-roles-and-permissions" [ManageStaff] confirmed (UserId, NoQuery, GrantsInput) -> Data<StaffRow>;
    /// Roles, by name.
    ListRoles list_roles: GET "/api/v1/admin/roles" [ManageStaff] ((), NoQuery, NoBody) -> Data<Vec<Role>>;
    /// Makes a role.
    CreateRole create_role: POST "/api/v1/admin/roles" [ManageStaff] confirmed ((), NoQuery, RoleInput) -> Data<Role>;
    /// One role.
    GetRole get_role: GET "/api/v1/admin/roles/{id}" [ManageStaff] (RoleId, NoQuery, NoBody) -> Data<Role>;
    /// Changes a role, and with it what everybody who has it may do.
    UpdateRole update_role: PATCH "/api/v1/admin/roles/{id}" [ManageStaff] confirmed (RoleId, NoQuery, RolePatch) -> Data<Role>;
    /// Deletes a role that nobody has.
    DeleteRole delete_role: DELETE "/api/v1/admin/roles/{id}" [ManageStaff] confirmed (RoleId, DryRun, NoBody) -> NoBody;
    /// Every permission there is, with its group.
    ListPermissions list_permissions: GET "/api/v1/admin/permissions" [ManageStaff] ((), NoQuery, NoBody) -> Data<Vec<PermissionEntry>>;
}
