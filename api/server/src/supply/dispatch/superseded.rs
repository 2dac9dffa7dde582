//! Logs and counts results of calls to external panels that were not written, because another worker had claimed the record or
//! staff had decided it meanwhile. It writes nothing.

use panel_contract::ids::RecordId;
use panel_contract::quarantine::Poller as QuarantineKind;
use panel_platform::db::state::Transition;

use super::leases::{CANCEL_REQUEST, EXTERNAL_ORDER, REFILL};
use crate::metrics::RESULTS_SUPERSEDED;

/// Starts the metric of each kind of record at 0, so that a rate exists from the first event on.
pub(crate) fn begin() {
    for lease in [&CANCEL_REQUEST, &EXTERNAL_ORDER, &REFILL] {
        count_of(lease.kind, 0);
    }
}

/// Logs and counts the result of a call about this record where `written` is superseded.
pub(super) fn count(kind: QuarantineKind, record_id: RecordId, written: Transition) {
    if written.is_applied() {
        return;
    }
    count_of(kind, 1);
    let (kind, record_id) = (kind.as_str(), record_id.get());
    tracing::warn!(kind, record_id, "dropped the result of a call: its record had changed meanwhile");
}

pub(super) fn count_of(kind: QuarantineKind, results: u64) {
    RESULTS_SUPERSEDED.with([kind.as_str()]).increment(results);
}
