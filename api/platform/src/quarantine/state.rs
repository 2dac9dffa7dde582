//! What a process knows of its own part in quarantining: whether it works on one record alone, and which program would.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use panel_contract::ids::RecordId;
use panel_contract::quarantine::Poller;

use crate::lease::declared::Lease;

/// Which records this process may claim.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// Those that are not in quarantine.
    #[default]
    Serving,
    /// This one alone; none before the first is named.
    Alone(Option<(Poller, RecordId)>),
}

/// What a process knows of its own part.
#[derive(Debug, Default)]
pub struct Quarantine {
    leases: &'static [&'static Lease],
    mode: Mutex<Mode>,
    program: OnceLock<PathBuf>,
}

impl Quarantine {
    /// With the leases of all kinds of records.
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

    /// From now on this process claims `record` and nothing else.
    pub fn only(&self, record: Option<(Poller, RecordId)>) {
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
