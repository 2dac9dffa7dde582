//! Logs and counts results of calls to external panels that were not written, because another worker had claimed the record or
//! staff had decided it meanwhile. It writes nothing.

use panel_contract::ids::RecordId;
use panel_contract::quarantine::Poller as QuarantineKind;
use panel_platform::db::state::Transition;

use super::leases::{CANCEL_REQUEST, EXTERNAL_ORDER, REFILL};
use crate::metrics::RESULTS_SUPERSEDED;

/// Sets the metric of each kind of record to 0, so that its rate is defined from the first event on.
pub(crate) fn initialize_metric() {
    for lease in [&CANCEL_REQUEST, &EXTERNAL_ORDER, &REFILL] {
        add_to_metric(lease.kind, 0);
    }
}

/// Logs and counts the dropped result of a call about this record, if `written` is superseded.
pub(super) fn log_if_superseded(kind: QuarantineKind, record_id: RecordId, written: Transition) {
    if written.is_applied() {
        return;
    }
    add_to_metric(kind, 1);
    let (kind, record_id) = (kind.as_str(), record_id.get());
    tracing::warn!(kind, record_id, "dropped the result of a call: its record had changed meanwhile");
}

pub(super) fn add_to_metric(kind: QuarantineKind, results: u64) {
    RESULTS_SUPERSEDED.with_labels([kind.as_str()]).increment(results);
}
