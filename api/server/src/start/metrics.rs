//! The recorder of the process's metrics.

use std::sync::OnceLock;

use metrics::{describe_counter, describe_gauge, describe_histogram};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};

/// Upper bounds of request times, in seconds.
const BUCKETS: [f64; 14] = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0];

/// One recorder for the process, however many panels tests start in it.
pub(super) fn metrics_of_process() -> PrometheusHandle {
    static HANDLE: OnceLock<PrometheusHandle> = OnceLock::new();
    HANDLE
        .get_or_init(|| {
            let matcher = Matcher::Full("http_server_request_duration_seconds".into());
            let builder =
                PrometheusBuilder::new().set_buckets_for_metric(matcher, &BUCKETS).unwrap_or_default();
            let handle = builder
                .install_recorder()
                .unwrap_or_else(|_| PrometheusBuilder::new().build_recorder().handle());
            describe_histogram!(
                "http_server_request_duration_seconds",
                "Time from a request's head to its answer's."
            );
            describe_gauge!("http_server_active_requests", "Requests in work.");
            describe_counter!("panel_login_failures_total", "Sign-ins with a wrong password.");
            describe_counter!("panel_console_errors_total", "Errors that the console reported about itself.");
            describe_counter!(
                "panel_request_bodies_refused_total",
                "Bodies refused as too slow, or for want of memory of their address or of all."
            );
            describe_counter!(
                "panel_connections_closed_total",
                "Connections closed because their address had too many, or because the client did not read."
            );
            describe_counter!(
                "panel_quarantined_total",
                "Records whose work ended the process that did it, alone."
            );
            describe_counter!(
                "panel_retention_removed_total",
                "Expired records that were removed, by table."
            );
            describe_counter!("panel_db_outages_total", "Times that the database stopped to answer.");
            describe_counter!(
                "panel_db_retries_total",
                "Transactions run again because another was in the way."
            );
            handle
        })
        .clone()
}
