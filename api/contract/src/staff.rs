//! Staff, roles and permissions. A staff member can only grant permissions that they hold.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::common::NamedRef;
use crate::ids::{RoleId, UserId};
use crate::moment::{Time, Timestamp};
use crate::permission::{Permission, PermissionInfo};

/// A staff member: a user with at least one role or permission.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StaffRow {
    /// Id of the user.
    pub id: UserId,
    /// When the account was created.
    pub created_at: Time,
    /// Display name of the user.
    pub name: String,
    /// Email address of the user.
    pub email: String,
    /// Whether the staff member can sign in.
    pub is_active: bool,
    /// Permissions that are granted directly, in addition to those of the roles.
    pub permissions: Vec<PermissionInfo>,
    /// Roles of the staff member, by id and name.
    pub roles: Vec<NamedRef<RoleId>>,
    /// Whether the staff member needs a second factor to sign in.
    #[serde(default)]
    pub has_second_factor: bool,
    /// When the invitation to set the first password expires; null if there is no invitation or if a password is set.
    #[serde(default)]
    pub invitation_expires_at: Option<Time>,
    /// When the account last changed.
    pub updated_at: Timestamp,
    /// Actions that the caller's permissions and the state of the record allow.
    pub actions: StaffActions,
}

/// Actions that the caller's permissions and the state of the record allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct StaffActions {
    /// Whether the caller can change name and password.
    pub editable: bool,
    /// Whether the caller can change roles and permissions.
    pub grantable: bool,
    /// Whether the caller can set `is_active` to false.
    pub deactivable: bool,
    /// Whether the caller can set `is_active` to true.
    pub activable: bool,
    /// Whether the caller can send an invitation, because no password is set yet.
    #[serde(default)]
    pub invitable: bool,
    /// Whether the caller can withdraw the invitation.
    #[serde(default)]
    pub invitation_withdrawable: bool,
    /// Whether the caller can remove the second factor.
    #[serde(default)]
    pub second_factor_resettable: bool,
}

/// Body of `POST staffs`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewStaffInput {
    /// Display name, 1 to 100 characters.
    pub name: String,
    /// Email address that no other account has.
    pub email: String,
    /// Password, 8 to 256 characters. If absent, the staff member gets an email with a link to set the password, valid for seven
    /// days.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password: Option<String>,
    /// Ids of the roles that the staff member gets.
    #[serde(default)]
    pub roles: Vec<RoleId>,
    /// Permissions in addition to those of the roles. At least one role or permission is required.
    #[serde(default)]
    pub permissions: Vec<Permission>,
}

/// Body of `PATCH staffs/{id}`. Absent fields keep their value.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct StaffInput {
    /// Display name, 1 to 100 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whether the staff member can sign in; false ends all sessions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_active: Option<bool>,
    /// New password, 8 to 256 characters. All other sessions of the staff member end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password: Option<String>,
    /// `updated_at` of the record that the editor read; 409 `stale_record` if the record has changed since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
}

/// Body of `PATCH users/{id}/sync-roles-and-permissions`. Each list replaces the current one. An absent list keeps its value.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct GrantsInput {
    /// Ids of all roles of the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub roles: Option<Vec<RoleId>>,
    /// All permissions in addition to those of the roles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permissions: Option<Vec<Permission>>,
}

/// A role: a named set of permissions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Role {
    /// Id of the role.
    pub id: RoleId,
    /// Name of the role.
    pub name: String,
    /// Permissions that the role grants.
    pub permissions: Vec<PermissionInfo>,
    /// Whether staff with the role must have a second factor.
    #[serde(default)]
    pub requires_second_factor: bool,
    /// Number of users who have the role.
    pub users_count: i64,
    /// Whether the caller can update the role, because they hold all its permissions.
    pub editable: bool,
    /// Whether the caller can delete the role, because they can update it and no user has it.
    #[serde(default)]
    pub deletable: bool,
    /// Whether the caller can grant the role to others, because they hold all its permissions.
    #[serde(default)]
    pub grantable: bool,
    /// When the record last changed; editors send this time back to detect conflicts.
    pub updated_at: Timestamp,
}

/// Body of `POST roles`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RoleInput {
    /// Name of the role, 1 to 60 characters, unique.
    pub name: String,
    /// Permissions that the role grants, at least one.
    pub permissions: Vec<Permission>,
    /// Whether staff with the role must have a second factor.
    #[serde(default)]
    pub requires_second_factor: bool,
}

/// Body of `PATCH roles/{id}`. Absent fields keep their value.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RolePatch {
    /// Name of the role, 1 to 60 characters, unique.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// All permissions that the role grants, at least one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permissions: Option<Vec<Permission>>,
    /// Whether staff with the role must have a second factor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requires_second_factor: Option<bool>,
    /// `updated_at` of the record that the editor read; 409 `stale_record` if the record has changed since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
}

crate::json_bodies!(StaffRow, NewStaffInput, StaffInput, GrantsInput, Role, RoleInput, RolePatch);
