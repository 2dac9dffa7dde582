//! The actor of a request: a staff member, a customer, or the system. The HTTP layer determines it once per request; background
//! work acts as the system.

use std::sync::Arc;

use panel_contract::common::NamedRef;
use panel_contract::ids::{RoleId, SessionId, UserId};
use panel_contract::moment::Time;
use panel_contract::permission::Permission;

/// The user or system on whose behalf a request or background work acts.
#[derive(Debug, Clone)]
pub enum Actor {
    /// The caller sent no credentials.
    Anonymous,
    /// A signed-in staff member.
    Staff(Arc<StaffMember>),
    /// The user to whom an API key, a password or a link belongs; there is no session.
    User(UserId),
    /// The panel itself: background work.
    System,
}

impl Actor {
    /// The staff member; `None` for other actors.
    #[must_use]
    pub fn staff(&self) -> Option<&StaffMember> {
        match self {
            Self::Staff(staff) => Some(staff),
            _ => None,
        }
    }

    /// The user recorded in the audit trail; `None` for the system and for a caller without credentials.
    #[must_use]
    pub fn user_id(&self) -> Option<UserId> {
        match self {
            Self::Staff(staff) => Some(staff.user_id),
            Self::User(id) => Some(*id),
            Self::Anonymous | Self::System => None,
        }
    }
}

/// A signed-in staff member. The server reads it at the start of each request, so that changed permissions apply immediately.
#[derive(Debug, Clone)]
pub struct StaffMember {
    pub user_id: UserId,
    pub session_id: SessionId,
    /// Display name.
    pub name: String,
    /// Email address for sign-in.
    pub email: String,
    pub grants: Arc<Grants>,
    /// Whether a role of the staff member requires a second factor that they have not set up. The server then rejects all calls
    /// except those of the enrolment.
    pub must_enrol: bool,
    /// For a cached session, the `access_version` at which it was read; the statement that reads the response must compare it with
    /// the current version. `None` if the session was read for this request.
    pub access_version: Option<i64>,
    /// When the staff member last confirmed their identity in this session, by password or second factor.
    pub confirmed_at: Option<Time>,
}

/// Roles and permissions of a staff member.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Grants {
    /// Roles, sorted by name.
    pub roles: Vec<NamedRef<RoleId>>,
    /// All permissions, held directly or by a role, in the order of [`Permission::ALL`].
    pub permissions: Vec<Permission>,
}

impl Grants {
    /// Whether there are neither roles nor permissions, so that the user is not a staff member.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.roles.is_empty() && self.permissions.is_empty()
    }
}

impl StaffMember {
    /// Roles, sorted by name.
    #[must_use]
    pub fn roles(&self) -> &[NamedRef<RoleId>] {
        &self.grants.roles
    }

    /// All permissions, granted directly or through a role.
    #[must_use]
    pub fn permissions(&self) -> &[Permission] {
        &self.grants.permissions
    }

    #[must_use]
    pub fn has_permission(&self, permission: Permission) -> bool {
        self.permissions().contains(&permission)
    }
}
