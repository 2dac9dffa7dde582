//! Exit codes: stable, documented in `panelctl help exit-codes`, and in no other place of the code.

use std::process::ExitCode;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// All done.
    Ok,
    /// Nothing done, or a check found something.
    Failed,
    /// The command line is wrong.
    Usage,
    /// Some records moved, others did not.
    Partial,
    /// Not signed in, or no longer.
    NotSignedIn,
    /// Signed in, and not allowed.
    NotAllowed,
    /// Ctrl-C.
    Interrupted,
}

impl Exit {
    /// The number.
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
