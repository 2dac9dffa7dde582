//! Who is calling: the signed-in staff member of a request.

use panel_contract::common::Named;
use panel_contract::permission::Permission;

/// A signed-in staff member, as read at the start of the request, so that a change bites at once.
#[derive(Debug, Clone)]
pub struct Caller {
    /// The user's id.
    pub user_id: i64,
    /// The session that the token belongs to.
    pub session_id: i64,
    /// Name.
    pub name: String,
    /// E-mail address.
    pub email: String,
    /// Roles.
    pub roles: Vec<Named>,
    /// Everything they may do, directly or by role, in the order of [`Permission::ALL`].
    pub permissions: Vec<Permission>,
}

impl Caller {
    /// Whether they hold `permission`.
    #[must_use]
    pub fn may(&self, permission: Permission) -> bool {
        self.permissions.contains(&permission)
    }
}
