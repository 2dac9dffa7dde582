//! Results of calls to external panels that were not written, because their record had moved on: another worker claimed it, or
//! staff decided about it. They are logged and counted, and nothing else follows. It writes nothing.

use panel_contract::ids::RecordId;
use panel_contract::quarantine::Poller as QuarantineKind;
use panel_platform::db::state::Transition;

use super::leases::{CANCEL_REQUEST, EXTERNAL_ORDER, REFILL};
use crate::metrics::RESULTS_SUPERSEDED;

/// Gives each kind of record its series, at 0, so that a rate is known from the first event on.
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
    tracing::warn!(kind, record_id, "dropped the result of a call, as its record had moved on meanwhile");
}

/// Counts results of calls about this kind of record.
pub(super) fn count_of(kind: QuarantineKind, results: u64) {
    RESULTS_SUPERSEDED.with([kind.as_str()]).increment(results);
}
