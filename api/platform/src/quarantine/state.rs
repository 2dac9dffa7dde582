//! State of the quarantine in this process: whether it retries one record alone, and the executable for such retries.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use panel_contract::ids::RecordId;
use panel_contract::quarantine::Poller;

use crate::lease::declared::Lease;

/// Which records this process may claim.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// All that are not in quarantine.
    #[default]
    Serving,
    /// Only this record; none before the first one is set.
    Alone(Option<(Poller, RecordId)>),
}

/// State of the quarantine in this process.
#[derive(Debug, Default)]
pub struct Quarantine {
    leases: &'static [&'static Lease],
    mode: Mutex<Mode>,
    program: OnceLock<PathBuf>,
}

impl Quarantine {
    /// Creates the state with the leases of all kinds of records.
    #[must_use]
    pub fn new(leases: &'static [&'static Lease]) -> Self {
        Self { leases, ..Self::default() }
    }

    pub(super) fn leases_of(&self, kind: Poller) -> impl Iterator<Item = &'static Lease> {
        self.leases.iter().copied().filter(move |lease| lease.kind == kind)
    }

    pub(super) fn mode(&self) -> Mode {
        *self.mode.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Restricts this process to `record` from now on.
    pub fn only(&self, record: Option<(Poller, RecordId)>) {
        *self.mode.lock().unwrap_or_else(PoisonError::into_inner) = Mode::Alone(record);
    }

    /// Whether this process only retries single records.
    #[must_use]
    pub fn is_alone(&self) -> bool {
        self.mode() != Mode::Serving
    }

    /// The executable that retries a record alone, where it is set.
    pub fn program(&self) -> Option<&Path> {
        self.program.get().map(PathBuf::as_path)
    }

    /// Sets the executable that retries a record alone by `panel-server retry-claimed`. While it is not set, suspects wait.
    pub fn set_program(&self, program: PathBuf) {
        // Set once, at the start.
        drop(self.program.set(program));
    }
}
