//! What a process knows of its own part in quarantining: whether it works on one record alone, and which program would.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use panel_contract::quarantine::Poller;

/// Which records this process may claim.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// Those that are not in quarantine.
    #[default]
    Serving,
    /// This one alone; none before the first is named.
    Alone(Option<(Poller, i64)>),
}

/// What a process knows of its own part.
#[derive(Debug, Default)]
pub struct Quarantine {
    mode: Mutex<Mode>,
    program: OnceLock<PathBuf>,
}

impl Quarantine {
    pub(super) fn mode(&self) -> Mode {
        *self.mode.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on this process claims `record` and nothing else.
    pub fn only(&self, record: Option<(Poller, i64)>) {
        *self.mode.lock().unwrap_or_else(PoisonError::into_inner) = Mode::Alone(record);
    }

    /// Whether this process works on single records only.
    #[must_use]
    pub fn is_alone(&self) -> bool {
        self.mode() != Mode::Serving
    }

    /// The program that works on a record alone, where one is named.
    pub fn program(&self) -> Option<&Path> {
        self.program.get().map(PathBuf::as_path)
    }

    /// Names the program that works on a record alone, as `panel-server retry-claimed`; where none is named, suspected records
    /// wait.
    pub fn set_program(&self, program: PathBuf) {
        // Named once, at the start.
        drop(self.program.set(program));
    }
}
