//! Data types for the session and the state of the connection. The runner signs in and updates them.

use panel_contract::moment::Time;
use panel_contract::permission::Permission;

/// The signed-in staff member, the profile and the server.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SessionInfo {
    pub profile: String,
    /// The server's base URL.
    pub address: String,
    /// Whether the staff member must type the profile name to confirm a change.
    pub is_protected: bool,
    /// Whether the profile is read only.
    pub readonly: bool,
    /// The email address of the staff member.
    pub email: String,
    /// The permissions of the staff member.
    pub permissions: Vec<Permission>,
}

impl SessionInfo {
    /// Whether the staff member has the permission.
    #[must_use]
    pub fn has_permission(&self, permission: Permission) -> bool {
        self.permissions.contains(&permission)
    }
}

/// The input of the sign-in form.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct SignInInput {
    /// The server's base URL.
    pub address: String,
    pub email: String,
    pub password: String,
    /// The code of the second factor; may be empty.
    pub otp: String,
}

impl std::fmt::Debug for SignInInput {
    /// Omits the password and the code.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SignInInput")
            .field("address", &self.address)
            .field("email", &self.email)
            .finish_non_exhaustive()
    }
}

/// A password. `Debug` does not print it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(pub String);

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret")
    }
}

/// The state of the connection to the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Connection {
    Connecting,
    /// The live channel is open.
    Live,
    /// The live channel is down, but the server responds. The field is the time of the next attempt.
    Retry(Time),
    /// The server does not respond, so the dashboard is read only. The field is the time of the next attempt.
    Offline(Time),
    /// The server responds, but its database is down, so the dashboard is read only. The field is the time of the next attempt.
    DatabaseDown(Time),
}

impl Connection {
    /// Whether reads and changes are impossible until the next attempt succeeds.
    #[must_use]
    pub const fn is_offline(self) -> bool {
        matches!(self, Self::Offline(_) | Self::DatabaseDown(_))
    }
}

/// The options of the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    pub readonly: bool,
    /// Whether the dashboard ignores the mouse, so that the terminal can select text.
    pub no_mouse: bool,
    pub theme: crate::theme::Theme,
}
