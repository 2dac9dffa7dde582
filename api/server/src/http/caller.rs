//! Who is calling: the signed-in staff member of a request.

use panel_contract::common::Named;
use panel_contract::moment::Time;
use panel_contract::permission::Permission;

use crate::auth::people::Grants;

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
    /// Roles, and everything they may do, directly or by role, in the order of [`Permission::ALL`].
    pub grants: Grants,
    /// Whether one of their roles requires a second factor that they do not have: until they enrol they may do nothing else.
    pub must_enrol: bool,
    /// Of a remembered caller the version of who may do what at which they were read: whoever answers them makes sure that
    /// it still holds, in the statement that reads what they are answered. None: they were looked up for this request.
    pub as_of: Option<i64>,
    /// When they last gave their password or a second factor in this session.
    pub confirmed_at: Option<Time>,
}

impl Caller {
    /// Their roles.
    #[must_use]
    pub fn roles(&self) -> &[Named] {
        &self.grants.0
    }

    /// Everything they may do, directly or by role.
    #[must_use]
    pub fn permissions(&self) -> &[Permission] {
        &self.grants.1
    }

    /// Whether they hold `permission`.
    #[must_use]
    pub fn may(&self, permission: Permission) -> bool {
        self.permissions().contains(&permission)
    }
}
