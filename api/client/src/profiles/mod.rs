//! Profiles that `panelctl` and `panel-tui` share: panels, the users who signed in to them, and their tokens.
//!
//! A token must never be in a file that other users of the machine can read.

pub mod config;
pub mod paths;
pub mod token_file;

use std::path::PathBuf;

/// Why a file of a profile cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ProfileError {
    /// Neither `PANELCTL_HOME` nor the home folder of the user is known.
    #[error("The home folder is unknown. Set PANELCTL_HOME.")]
    NoHome,
    /// A file could not be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// A file could be read, but its content is invalid.
    #[error("{} is not valid: {reason}. Correct or remove that file.", path.display())]
    Invalid {
        /// Path of the file.
        path: PathBuf,
        /// Message of the parser.
        reason: String,
    },
    /// Other users of the machine can read a file with a token.
    #[error("Other users can read {} (mode {mode:o}), so its token is not used. \
             Run chmod 600 on the file, and sign in again if another user may have read it.", path.display())]
    Exposed {
        /// Path of the file.
        path: PathBuf,
        /// Permission bits of the file, such as `0o644`.
        mode: u32,
    },
    /// The content of a token file is not a valid token.
    #[error("{} has no valid token. Sign in again.", path.display())]
    InvalidToken {
        /// Path of the file.
        path: PathBuf,
    },
    /// The text is not allowed as the name of a profile.
    #[error("{0:?} is not a valid profile name: use letters, digits, dashes and underscores.")]
    InvalidName(String),
}

impl ProfileError {
    fn from_io(path: &std::path::Path, source: std::io::Error) -> Self {
        Self::File { path: path.to_owned(), source }
    }
}
