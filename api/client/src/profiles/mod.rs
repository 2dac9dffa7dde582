//! Profiles shared by `panelctl` and `panel-tui`: the panels, the signed-in users and their tokens.
//!
//! A token is only written to a file that no other user can read. A token file that others can read is never used.

pub mod config;
pub mod place;
pub mod secret;

use std::path::PathBuf;

/// Error with the files of profiles.
#[derive(Debug, thiserror::Error)]
pub enum ProfileError {
    /// The home folder is unknown.
    #[error("The home folder is unknown. Set PANELCTL_HOME.")]
    NoHome,
    /// Reading or writing a file failed.
    #[error("{}: {source}", path.display())]
    File {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// The configuration cannot be read.
    #[error("{} is not valid: {why}. Correct or remove that file.", path.display())]
    Invalid {
        /// Path of the file.
        path: PathBuf,
        /// Reason, as text.
        why: String,
    },
    /// Other users can read a file with a token.
    #[error("{} can be read by others (mode {mode:o}); the token in it is not used. \
             Run chmod 600 on it, and sign in again if another user may have read it.", path.display())]
    Exposed {
        /// Path of the file.
        path: PathBuf,
        /// Mode of the file, such as `0o644`.
        mode: u32,
    },
    /// A token file has no valid token.
    #[error("{} has no valid token. Sign in again.", path.display())]
    Spoiled {
        /// Path of the file.
        path: PathBuf,
    },
    /// The name is not allowed for a profile.
    #[error("{0:?} is not a valid profile name: use letters, digits, dashes and underscores.")]
    Name(String),
}

impl ProfileError {
    fn file(path: &std::path::Path, source: std::io::Error) -> Self {
        Self::File { path: path.to_owned(), source }
    }
}
