//! Who acts: a member of staff, a customer's program, the panel itself. The HTTP layer finds it out once a request; background work
//! is the system's.

use std::sync::Arc;

use panel_contract::common::Named;
use panel_contract::ids::{RoleId, SessionId, UserId};
use panel_contract::moment::Time;
use panel_contract::permission::Permission;

/// Who a request or a piece of background work acts as.
#[derive(Debug, Clone)]
pub enum Actor {
    /// The caller gave no credentials.
    Anonymous,
    /// A signed-in member of staff.
    Staff(Arc<StaffMember>),
    /// The user whom an API key, a password or a link belongs to, without a session.
    User(UserId),
    /// The panel itself: background work.
    System,
}

impl Actor {
    /// The member of staff; none for anyone else.
    #[must_use]
    pub fn staff(&self) -> Option<&StaffMember> {
        match self {
            Self::Staff(staff) => Some(staff),
            _ => None,
        }
    }

    /// The user whom the audit trail names; none for the system and for a caller without credentials.
    #[must_use]
    pub fn user_id(&self) -> Option<UserId> {
        match self {
            Self::Staff(staff) => Some(staff.user_id),
            Self::User(id) => Some(*id),
            Self::Anonymous | Self::System => None,
        }
    }
}

/// A signed-in member of staff, as read at the start of the request, so that a changed permission counts at once.
#[derive(Debug, Clone)]
pub struct StaffMember {
    /// Their id in `users`.
    pub user_id: UserId,
    /// The session that the token belongs to.
    pub session_id: SessionId,
    /// Their name, as answers and emails write it.
    pub name: String,
    /// The email address that they sign in with.
    pub email: String,
    /// Their roles and permissions as of the same moment.
    pub grants: Arc<Grants>,
    /// Whether one of their roles requires a second factor that they do not have: until they enrol they may do nothing else.
    pub must_enrol: bool,
    /// For a cached session the version of all permissions at which it was read: the statement that reads the answer compares it.
    /// None: the session was read for this request.
    pub as_of: Option<i64>,
    /// When they last gave their password or a second factor in this session.
    pub confirmed_at: Option<Time>,
}

/// What a member of staff may do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Grants {
    /// The roles that they hold, by name.
    pub roles: Vec<Named<RoleId>>,
    /// All permissions, held directly or by a role, in the order of [`Permission::ALL`].
    pub permissions: Vec<Permission>,
}

impl Grants {
    /// Whether nothing is granted: the user is no member of staff.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.roles.is_empty() && self.permissions.is_empty()
    }
}

impl StaffMember {
    /// The roles that they hold, by name.
    #[must_use]
    pub fn roles(&self) -> &[Named<RoleId>] {
        &self.grants.roles
    }

    /// Everything they may do, directly or by role.
    #[must_use]
    pub fn permissions(&self) -> &[Permission] {
        &self.grants.permissions
    }

    /// Whether they hold `permission`.
    #[must_use]
    pub fn may(&self, permission: Permission) -> bool {
        self.permissions().contains(&permission)
    }
}
