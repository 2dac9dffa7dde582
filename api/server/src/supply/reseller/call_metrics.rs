//! Metrics of requests to external panels. The labels contain the id of the panel, never its name or address.

use std::time::Duration;

use panel_contract::ids::ExternalPanelId;

use crate::metrics::{PANEL_CALL_DURATION, PANEL_CALLS};

pub(super) fn count(panel: ExternalPanelId, action: &'static str, outcome: &'static str) {
    PANEL_CALLS
        .with_labels::<String>([panel.to_string(), action.to_owned(), outcome.to_owned()])
        .increment(1);
}

/// Counts a request that was sent, and records its duration.
pub(super) fn record(
    panel: ExternalPanelId,
    action: &'static str,
    outcome: &'static str,
    duration: Duration,
) {
    count(panel, action, outcome);
    PANEL_CALL_DURATION.with_labels([panel.to_string()]).record(duration);
}
