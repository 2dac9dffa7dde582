//! The state of the quarantine in this process: whether the process only retries a single record, and the executable for such
//! retries.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use panel_contract::ids::RecordId;
use panel_contract::quarantine::Poller;

use crate::lease::declared::Lease;

/// Which records this process may claim.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClaimMode {
    /// A server process claims all records that are not in quarantine.
    #[default]
    Serving,
    /// A retry process claims only this record, and no record before the first one is set.
    SingleRecord(Option<(Poller, RecordId)>),
}

#[derive(Debug, Default)]
pub struct Quarantine {
    leases: &'static [&'static Lease],
    claim_mode: Mutex<ClaimMode>,
    retry_program: OnceLock<PathBuf>,
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

    pub(super) fn claim_mode(&self) -> ClaimMode {
        *self.claim_mode.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes this process a retry process, which claims only `record` from now on.
    pub fn restrict_claims_to(&self, record: Option<(Poller, RecordId)>) {
        *self.claim_mode.lock().unwrap_or_else(PoisonError::into_inner) = ClaimMode::SingleRecord(record);
    }

    /// Whether this process only retries single records.
    #[must_use]
    pub fn is_retry_process(&self) -> bool {
        self.claim_mode() != ClaimMode::Serving
    }

    /// The executable of retry processes, if it is set.
    pub fn retry_program(&self) -> Option<&Path> {
        self.retry_program.get().map(PathBuf::as_path)
    }

    /// Sets the executable of retry processes, which run `panel-server retry-claimed`. Without it, no suspect is retried.
    pub fn set_retry_program(&self, program: PathBuf) {
        // Start-up sets it once, so this never fails.
        drop(self.retry_program.set(program));
    }
}
