//! Who is at which panel, and how the connection is. Only facts; signing in itself is the runner's.

use panel_contract::moment::Time;
use panel_contract::permission::Permission;

/// The signed-in staff member and the panel.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Who {
    /// The profile's name.
    pub profile: String,
    /// The panel's address.
    pub address: String,
    /// Its name is typed before anything is changed there.
    pub protected: bool,
    /// Nothing may be changed there from here.
    pub readonly: bool,
    /// Who it is.
    pub email: String,
    /// What they may do.
    pub permissions: Vec<Permission>,
}

impl Who {
    /// Whether they hold it.
    #[must_use]
    pub fn may(&self, permission: Permission) -> bool {
        self.permissions.contains(&permission)
    }
}

/// What the sign-in form asks for.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct SignIn {
    /// The panel's address.
    pub address: String,
    /// E-mail.
    pub email: String,
    /// Password.
    pub password: String,
    /// Six digits, or nothing.
    pub otp: String,
}

impl std::fmt::Debug for SignIn {
    /// Without the secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SignIn")
            .field("address", &self.address)
            .field("email", &self.email)
            .finish_non_exhaustive()
    }
}

/// A password that a person typed. It is never shown, also not in a trace.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(pub String);

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret")
    }
}

/// How the connection is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Connection {
    /// The first attempt.
    Connecting,
    /// Counters come as they change.
    Live,
    /// Counters do not come, but the panel answers; the next attempt is then.
    Retry(Time),
    /// The panel does not answer: read only; the next attempt is then.
    Offline(Time),
    /// The panel answers and its database is away: read only; the next attempt is then.
    DatabaseAway(Time),
}

impl Connection {
    /// Whether nothing can be asked for or changed until the next attempt succeeds.
    #[must_use]
    pub const fn is_offline(self) -> bool {
        matches!(self, Self::Offline(_) | Self::DatabaseAway(_))
    }
}

/// How the program was started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// Nothing may be changed.
    pub readonly: bool,
    /// The mouse is left to the terminal.
    pub no_mouse: bool,
    /// Looks.
    pub theme: crate::theme::Theme,
}
