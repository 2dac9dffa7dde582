//! Staff, their roles and permissions. Nobody gives what they do not hold themselves.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::common::Named;
use crate::ids::{RoleId, UserId};
use crate::moment::{Stamp, Time};
use crate::permission::{Permission, PermissionEntry};

/// A member of staff: a user with at least one role or permission.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StaffRow {
    /// The user's id.
    pub id: UserId,
    /// When the account was made.
    pub created_at: Time,
    /// Name.
    pub name: String,
    /// E-mail address.
    pub email: String,
    /// Whether they may sign in.
    pub is_active: bool,
    /// Permissions held directly, beside those of their roles.
    pub permissions: Vec<PermissionEntry>,
    /// Roles.
    pub roles: Vec<Named<RoleId>>,
    /// Whether sign-in asks for a second factor.
    #[serde(default)]
    pub has_second_factor: bool,
    /// When the invitation ends, or ended, by which they set their first password; none once they have one, and where it was
    /// withdrawn.
    #[serde(default)]
    pub invitation_expires_at: Option<Time>,
    /// When the account last changed.
    pub updated_at: Stamp,
    /// What the caller may do now.
    pub actions: StaffActions,
}

/// What the caller may do with a member of staff now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct StaffActions {
    /// Name and password.
    pub editable: bool,
    /// Roles and permissions.
    pub grantable: bool,
    /// `is_active` to false.
    pub deactivable: bool,
    /// `is_active` to true.
    pub activable: bool,
    /// An invitation: they have no password yet.
    #[serde(default)]
    pub invitable: bool,
    /// The end of their invitation.
    #[serde(default)]
    pub invitation_withdrawable: bool,
    /// The removal of their second factor.
    #[serde(default)]
    pub second_factor_resettable: bool,
}

/// Body of `POST staffs`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewStaffInput {
    /// 1 to 100 characters.
    pub name: String,
    /// An address that nobody has yet.
    pub email: String,
    /// 8 to 256 characters. Without one they get an email with a link, good for seven days, by which they set it themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password: Option<String>,
    /// Ids of roles.
    #[serde(default)]
    pub roles: Vec<RoleId>,
    /// Permissions beside those of the roles. One role or permission is needed at least.
    #[serde(default)]
    pub permissions: Vec<Permission>,
}

/// Body of `PATCH staffs/{id}`; what is left out stays.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct StaffInput {
    /// 1 to 100 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// False ends all their sessions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_active: Option<bool>,
    /// A new password ends their other sessions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password: Option<String>,
    /// The record as the editor read it; a newer one is a 409.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Stamp>,
}

/// Body of `PATCH users/{id}/sync-roles-and-permissions`: each list as a whole; one that is left out stays.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct GrantsInput {
    /// Ids of all roles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub roles: Option<Vec<RoleId>>,
    /// All permissions beside those of the roles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permissions: Option<Vec<Permission>>,
}

/// A role: a name for permissions that go together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Role {
    /// Its id.
    pub id: RoleId,
    /// Its name.
    pub name: String,
    /// What it allows.
    pub permissions: Vec<PermissionEntry>,
    /// Whether staff with it must have a second factor.
    #[serde(default)]
    pub requires_second_factor: bool,
    /// How many users have it.
    pub users_count: i64,
    /// Whether the caller may change it: they hold everything that it allows.
    pub editable: bool,
    /// Whether the caller may delete it: they may change it, and no user has it.
    #[serde(default)]
    pub deletable: bool,
    /// Whether the caller may give it to others: they hold everything that it allows, whatever its members hold.
    #[serde(default)]
    pub grantable: bool,
    /// When it last changed; an editor sends it back.
    pub updated_at: Stamp,
}

/// Body of `POST roles`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RoleInput {
    /// 1 to 60 characters, unique.
    pub name: String,
    /// What it allows: at least one.
    pub permissions: Vec<Permission>,
    /// Whether staff with it must have a second factor.
    #[serde(default)]
    pub requires_second_factor: bool,
}

/// Body of `PATCH roles/{id}`: only what is named changes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RolePatch {
    /// 1 to 60 characters, unique.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// All that it allows: at least one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permissions: Option<Vec<Permission>>,
    /// Whether staff with it must have a second factor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requires_second_factor: Option<bool>,
    /// The record as the editor read it; a newer one is a 409.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Stamp>,
}

crate::wire!(StaffRow, NewStaffInput, StaffInput, GrantsInput, Role, RoleInput, RolePatch);
