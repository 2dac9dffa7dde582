//! Logs and counts results of requests to external panels that were discarded, because another worker had claimed the record or
//! staff had decided the record in the meantime. This module writes nothing to the database.

use panel_contract::ids::RecordId;
use panel_contract::quarantine::Poller as QuarantineKind;
use panel_platform::db::state::Transition;

use super::leases::{CANCEL_REQUEST_LEASE, EXTERNAL_ORDER_LEASE, REFILL_LEASE};
use crate::metrics::RESULTS_SUPERSEDED;

/// Sets the metric of each kind of record to 0, so that its rate is already defined at the first event.
pub(crate) fn initialize_metric() {
    for lease in [&CANCEL_REQUEST_LEASE, &EXTERNAL_ORDER_LEASE, &REFILL_LEASE] {
        add_to_metric(lease.kind, 0);
    }
}

/// If `transition` is superseded, logs and counts the discarded result of a request about this record.
pub(super) fn log_if_superseded(kind: QuarantineKind, record_id: RecordId, transition: Transition) {
    if transition.is_applied() {
        return;
    }
    add_to_metric(kind, 1);
    let (kind, record_id) = (kind.as_str(), record_id.get());
    tracing::warn!(
        kind,
        record_id,
        "discarded the result of a request, because its record had changed in the meantime"
    );
}

pub(super) fn add_to_metric(kind: QuarantineKind, results: u64) {
    RESULTS_SUPERSEDED.with_labels([kind.as_str()]).increment(results);
}
