//! The profiles of the programs that people run (`panelctl`, `panel-tui`): which panels there are, who signed in
//! where, and the tokens, in one place that all of them share.
//!
//! A token is written only into a file that nobody else can read, and one that others can read is never used.

pub mod config;
pub mod place;
pub mod secret;

use std::path::PathBuf;

/// What goes wrong with the files.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    /// There is nowhere to keep them.
    #[error("There is no home folder; set PANELCTL_HOME.")]
    NoHome,
    /// The system says no.
    #[error("{}: {source}", path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The configuration cannot be read.
    #[error("{} is not valid: {why}. Correct or remove that file.", path.display())]
    Invalid {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// Others can read a file with a token.
    #[error("{} can be read by others (mode {mode:o}); the token in it is not used. \
             Run chmod 600 on it, and sign in again if somebody may have read it.", path.display())]
    Exposed {
        /// Which file.
        path: PathBuf,
        /// Its mode.
        mode: u32,
    },
    /// A file that should hold a token does not.
    #[error("{} holds no token any more; sign in again.", path.display())]
    Spoiled {
        /// Which file.
        path: PathBuf,
    },
    /// A profile cannot be called so.
    #[error("{0:?} cannot be a profile's name: use letters, digits, dashes and underscores.")]
    Name(String),
}

impl Trouble {
    fn file(path: &std::path::Path, source: std::io::Error) -> Self {
        Self::File { path: path.to_owned(), source }
    }
}
