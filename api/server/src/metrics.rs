//! Declares the metrics of this crate, and lists all metrics of `/metrics`. The crate `panel_platform` declares its own
//! metrics.

use panel_platform::metrics::catalogue;
use panel_platform::metrics::{Counter, Gauge, Histogram, Metric, ScrapedMetric, process};

/// Upper bounds of request times, in seconds.
const REQUEST_BUCKETS: [f64; 14] =
    [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0];

/// `http_route` is a route template, or `other` if no route matches, so that callers cannot create new time series.
pub static REQUEST_DURATION: Histogram<3> = Histogram::new(
    "http_server_request_duration_seconds",
    ["http_request_method", "http_route", "http_response_status_code"],
    &REQUEST_BUCKETS,
    "Time from the head of the request to the head of the response.",
);
/// A request stops counting when the head of its response is sent, even if the body is still streamed.
pub static ACTIVE_REQUESTS: Gauge =
    Gauge::new("http_server_active_requests", [], "Requests that are being processed.");
/// `code` is one of the fixed error codes of the contract.
pub static REJECTIONS: Counter<1> = Counter::new(
    "panel_http_rejections_total",
    ["code"],
    "Requests that were rejected or failed, by the code of the error body.",
);
/// Values of `reason`: address, full, slow, file.
pub static BODIES_REJECTED: Counter<1> = Counter::new(
    "panel_request_bodies_rejected_total",
    ["reason"],
    "Request bodies that were rejected because they were too slow, or because the memory budget of their address or of the server was used up.",
);
/// Values of `reason`: head, unread, address.
pub static CONNECTIONS_CLOSED: Counter<1> = Counter::new(
    "panel_connections_closed_total",
    ["reason"],
    "Connections closed because their address had too many, their head was too long, or the client did not read.",
);
/// Counts the bytes of this process only. The maximum is configured.
pub static BODY_BYTES: ScrapedMetric =
    ScrapedMetric::gauge("panel_request_body_bytes", [], "Memory reserved for request bodies.");

/// Counts wrong passwords and API keys at sign-ins and confirmations.
pub static LOGIN_FAILURES: Counter =
    Counter::new("panel_login_failures_total", [], "Sign-ins with a wrong password.");
/// The log contains the text of each error.
pub static CONSOLE_ERRORS: Counter =
    Counter::new("panel_console_errors_total", [], "Errors that the console reported about itself.");

pub static QUARANTINED: Counter<1> = Counter::new(
    "panel_quarantined_total",
    ["poller"],
    "Records that crashed the process that worked on them alone.",
);
pub static RETENTION_REMOVED: Counter<1> =
    Counter::new("panel_retention_removed_total", ["table"], "Expired records that were removed, by table.");
/// The metric is absent until the first backup.
pub static BACKUP_AGE: ScrapedMetric =
    ScrapedMetric::gauge("panel_backup_age_seconds", [], "Time since the start of the last backup.");
/// 1 if the last backup is older than twice the configured interval.
pub static BACKUP_OVERDUE: ScrapedMetric =
    ScrapedMetric::gauge("panel_backup_overdue", [], "1 if the last backup is too old.");
/// The metric is absent until `panel-server doctor` has run on this database.
pub static DOCTOR_BROKEN: ScrapedMetric = ScrapedMetric::gauge(
    "panel_doctor_broken_checks",
    [],
    "Invariants that the doctor found broken at its last run.",
);
pub static DOCTOR_CHECKED: ScrapedMetric =
    ScrapedMetric::gauge("panel_doctor_checked_timestamp_seconds", [], "When the doctor last ran.");

/// A scrape reads materialized counts, so it does not count the rows of the table.
pub static ORDERS: ScrapedMetric<1> = ScrapedMetric::gauge("panel_orders", ["status"], "Orders by status.");

/// Values of `outcome`: answered, rejected, no_answer, rate_limited, breaker_open, forbidden_address.
pub static PANEL_CALLS: Counter<3> = Counter::new(
    "panel_external_panel_calls_total",
    ["external_panel_id", "action", "outcome"],
    "Calls to external panels, by action and outcome, including calls that the limits did not admit.",
);
/// The external panel may deliver such an order and charge for it, although this panel has no record of it. Reconciliation
/// searches for such orders.
pub static EXTERNAL_ORDERS_UNRECORDED: Counter = Counter::new(
    "panel_external_orders_unrecorded_total",
    [],
    "Orders that an external panel accepted, but whose acceptance could not be recorded.",
);
/// Counts results that changed no row, because the record already had a later state.
pub static RESULTS_SUPERSEDED: Counter<1> = Counter::new(
    "panel_external_panel_results_superseded_total",
    ["poller"],
    "Results of calls to external panels that were dropped because their record had changed meanwhile. For placement attempts, only acceptances count.",
);
/// Requests that the limits did not admit are not measured.
pub static PANEL_CALL_DURATION: Histogram<1> = Histogram::new(
    "panel_external_panel_call_duration_seconds",
    ["external_panel_id"],
    &[0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0],
    "Time of calls to an external panel.",
);
/// Shows the breakers of this process; each process has its own.
pub static PANEL_BREAKER: ScrapedMetric<1> = ScrapedMetric::gauge(
    "panel_external_panel_circuit_breaker_state",
    ["external_panel_id"],
    "The circuit breaker of an external panel: 0 closed, 1 half-open, 2 open.",
);
/// The value is 0 while the circuit breaker is open.
pub static PANEL_RATE_AVAILABLE: ScrapedMetric<1> = ScrapedMetric::gauge(
    "panel_external_panel_rate_limit_available",
    ["external_panel_id"],
    "Calls that the rate limit of an external panel would admit now.",
);
/// The processes share the rate limit; the value is the share of this process.
pub static PANEL_RATE_BURST: ScrapedMetric<1> = ScrapedMetric::gauge(
    "panel_external_panel_rate_limit_burst",
    ["external_panel_id"],
    "Maximum number of calls that the rate limit of an external panel admits at once.",
);

/// The metrics that this crate declares.
pub static SERVER_METRICS: &[Metric] = &[
    REQUEST_DURATION.metric(),
    ACTIVE_REQUESTS.metric(),
    REJECTIONS.metric(),
    BODIES_REJECTED.metric(),
    CONNECTIONS_CLOSED.metric(),
    BODY_BYTES.metric(),
    LOGIN_FAILURES.metric(),
    CONSOLE_ERRORS.metric(),
    QUARANTINED.metric(),
    RETENTION_REMOVED.metric(),
    BACKUP_AGE.metric(),
    BACKUP_OVERDUE.metric(),
    DOCTOR_BROKEN.metric(),
    DOCTOR_CHECKED.metric(),
    ORDERS.metric(),
    PANEL_CALLS.metric(),
    EXTERNAL_ORDERS_UNRECORDED.metric(),
    RESULTS_SUPERSEDED.metric(),
    PANEL_CALL_DURATION.metric(),
    PANEL_BREAKER.metric(),
    PANEL_RATE_AVAILABLE.metric(),
    PANEL_RATE_BURST.metric(),
];

/// All metrics that `/metrics` shows, including those of `panel_platform`.
#[must_use]
pub fn all() -> Vec<Metric> {
    [SERVER_METRICS, catalogue::ALL, process::ALL].concat()
}
