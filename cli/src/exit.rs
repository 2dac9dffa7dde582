//! Exit codes: stable, documented in `panelctl help exit-codes`, and defined only here.

use std::process::ExitCode;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    Ok,
    /// The command did nothing, or a check found a problem.
    Failed,
    /// The command line is invalid.
    Usage,
    /// Some records were changed, others were not.
    Partial,
    /// Not signed in, or the session has expired.
    NotSignedIn,
    /// Signed in, but without the permission.
    NotAllowed,
    /// The user pressed Ctrl-C.
    Interrupted,
}

impl Exit {
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Ok => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Partial => 3,
            Self::NotSignedIn => 4,
            Self::NotAllowed => 5,
            Self::Interrupted => 130,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
