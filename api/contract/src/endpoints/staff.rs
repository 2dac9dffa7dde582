//! Endpoints of staff, roles and permissions.

use crate::common::{Data, DryRun};
use crate::endpoint::{EmptyBody, EmptyQuery};
use crate::ids::{RoleId, UserId};
use crate::permission::PermissionInfo;
use crate::session::EndedSessions;
use crate::staff::*;
use crate::table::{Page, TableQuery};

crate::endpoints! { $ for_each_staff_endpoint "staff";
    /// Lists staff, newest first.
    ListStaff list_staff: GET "/api/v1/admin/staffs" [ManageStaff] exports_confirmed ((), TableQuery, EmptyBody) -> Page<StaffRow>;
    /// Creates a staff member; without a password they get an invitation by email to set their password.
    CreateStaff create_staff: POST "/api/v1/admin/staffs" [ManageStaff] confirmed ((), EmptyQuery, NewStaffInput) -> Data<StaffRow>;
    /// Updates name and password of a staff member, and whether they can sign in.
    UpdateStaff update_staff: PATCH "/api/v1/admin/staffs/{id}" [ManageStaff] partly_confirmed (UserId, DryRun, StaffInput) -> Data<StaffRow>;
    /// Emails a link to set a password to a staff member who has none. Earlier links stop working.
    InviteStaff invite_staff: POST "/api/v1/admin/staffs/{id}/invite" [ManageStaff] (UserId, DryRun, EmptyBody) -> Data<StaffRow>;
    /// Withdraws the invitation of a staff member: its link stops working.
    WithdrawInvitation withdraw_invitation: POST "/api/v1/admin/staffs/{id}/withdraw-invitation" [ManageStaff] (UserId, DryRun, EmptyBody) -> Data<StaffRow>;
    /// Ends all sessions of a staff member; for yourself, all except the current one.
    EndStaffSessions end_staff_sessions: POST "/api/v1/admin/staffs/{id}/end-sessions" [ManageStaff] confirmed (UserId, DryRun, EmptyBody) -> EndedSessions;
    /// Replaces the roles and permissions of a user; this turns a customer into a staff member.
    SyncGrants sync_grants: PATCH "/api/v1/admin/users/{id}/sync-roles-and-permissions" [ManageStaff] confirmed (UserId, EmptyQuery, GrantsInput) -> Data<StaffRow>;
    /// Lists roles, sorted by name.
    ListRoles list_roles: GET "/api/v1/admin/roles" [ManageStaff] ((), EmptyQuery, EmptyBody) -> Data<Vec<Role>>;
    /// Creates a role.
    CreateRole create_role: POST "/api/v1/admin/roles" [ManageStaff] confirmed ((), EmptyQuery, RoleInput) -> Data<Role>;
    /// Retrieves a role.
    GetRole get_role: GET "/api/v1/admin/roles/{id}" [ManageStaff] (RoleId, EmptyQuery, EmptyBody) -> Data<Role>;
    /// Updates a role and thereby the permissions of all staff members who have the role.
    UpdateRole update_role: PATCH "/api/v1/admin/roles/{id}" [ManageStaff] confirmed (RoleId, EmptyQuery, RolePatch) -> Data<Role>;
    /// Deletes a role that no user has.
    DeleteRole delete_role: DELETE "/api/v1/admin/roles/{id}" [ManageStaff] confirmed (RoleId, DryRun, EmptyBody) -> EmptyBody;
    /// Lists all permissions with their headings.
    ListPermissions list_permissions: GET "/api/v1/admin/permissions" [ManageStaff] ((), EmptyQuery, EmptyBody) -> Data<Vec<PermissionInfo>>;
}
