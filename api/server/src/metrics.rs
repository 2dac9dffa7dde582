//! The metrics of HTTP and of the areas, and the list of all metrics of `/metrics`. The platform declares its own.

use panel_platform::metrics::catalogue;
use panel_platform::metrics::{Counter, Gauge, Histogram, Metric, ScrapedMetric, process};

/// Upper bounds of request times, in seconds.
const REQUEST_BUCKETS: [f64; 14] =
    [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0];

/// The route is a template, or `other` if no route matches, so that callers cannot create new series.
pub static REQUEST_DURATION: Histogram<3> = Histogram::new(
    "http_server_request_duration_seconds",
    ["http_request_method", "http_route", "http_response_status_code"],
    &REQUEST_BUCKETS,
    "Time from the head of the request to the head of the response.",
);
/// A streamed response no longer counts once its head is sent.
pub static ACTIVE_REQUESTS: Gauge =
    Gauge::new("http_server_active_requests", [], "Requests that are being processed.");
/// Codes are the fixed error codes of the contract.
pub static REJECTIONS: Counter<1> = Counter::new(
    "panel_http_rejections_total",
    ["code"],
    "Requests that were rejected or failed, by the code of the error body.",
);
/// Reasons: address, full, slow, file.
pub static BODIES_REFUSED: Counter<1> = Counter::new(
    "panel_request_bodies_refused_total",
    ["reason"],
    "Request bodies that were refused because they were too slow, or because the memory budget of their address or of the server was used up.",
);
/// Reasons: head, unread, address.
pub static CONNECTIONS_CLOSED: Counter<1> = Counter::new(
    "panel_connections_closed_total",
    ["reason"],
    "Connections closed because their address had too many, their head was too long, or the client did not read.",
);
/// Of this process; the bound is configured.
pub static BODY_BYTES: ScrapedMetric =
    ScrapedMetric::gauge("panel_request_body_bytes", [], "Memory reserved for request bodies.");

/// Counts wrong passwords and API keys at sign-ins and confirmations.
pub static LOGIN_FAILURES: Counter =
    Counter::new("panel_login_failures_total", [], "Sign-ins with a wrong password.");
/// The errors themselves are in the log.
pub static CONSOLE_ERRORS: Counter =
    Counter::new("panel_console_errors_total", [], "Errors that the console reported about itself.");

pub static QUARANTINED: Counter<1> = Counter::new(
    "panel_quarantined_total",
    ["poller"],
    "Records that crashed the process that worked on them alone.",
);
pub static RETENTION_REMOVED: Counter<1> =
    Counter::new("panel_retention_removed_total", ["table"], "Expired records that were removed, by table.");
/// Absent before the first backup.
pub static BACKUP_AGE: ScrapedMetric =
    ScrapedMetric::gauge("panel_backup_age_seconds", [], "Time since the start of the last backup.");
/// Overdue by the configured interval.
pub static BACKUP_OVERDUE: ScrapedMetric =
    ScrapedMetric::gauge("panel_backup_overdue", [], "1 if the last backup is too old.");
/// Absent before the first `panel-server doctor` on this database.
pub static DOCTOR_BROKEN: ScrapedMetric = ScrapedMetric::gauge(
    "panel_doctor_broken_checks",
    [],
    "Invariants that the doctor found broken at its last run.",
);
pub static DOCTOR_CHECKED: ScrapedMetric =
    ScrapedMetric::gauge("panel_doctor_checked_timestamp_seconds", [], "When the doctor last ran.");

/// Read from materialized counts, so that a scrape counts no rows.
pub static ORDERS: ScrapedMetric<1> = ScrapedMetric::gauge("panel_orders", ["status"], "Orders by status.");

/// Outcomes: answered, rejected, no_answer, rate_limited, breaker_open, refused.
pub static PANEL_CALLS: Counter<3> = Counter::new(
    "panel_external_panel_calls_total",
    ["external_panel_id", "action", "outcome"],
    "Calls to external panels, by action and outcome, including calls that the limits did not admit.",
);
/// The panel may deliver and charge such an order although it is not recorded here. Reconciliation searches for it.
pub static EXTERNAL_ORDERS_UNRECORDED: Counter = Counter::new(
    "panel_external_orders_unrecorded_total",
    [],
    "Orders that an external panel accepted, but whose acceptance could not be recorded.",
);
/// Results that changed no row, because the record had a later state.
pub static RESULTS_SUPERSEDED: Counter<1> = Counter::new(
    "panel_external_panel_results_superseded_total",
    ["poller"],
    "Results of calls to external panels that were dropped because their record had changed meanwhile. For placement attempts, only acceptances count.",
);
/// Only calls that were sent.
pub static PANEL_CALL_DURATION: Histogram<1> = Histogram::new(
    "panel_external_panel_call_duration_seconds",
    ["external_panel_id"],
    &[0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0],
    "Time of calls to an external panel.",
);
/// Of this process; each process has its own breaker.
pub static PANEL_BREAKER: ScrapedMetric<1> = ScrapedMetric::gauge(
    "panel_external_panel_circuit_breaker_state",
    ["external_panel_id"],
    "The circuit breaker of an external panel: 0 closed, 1 half-open, 2 open.",
);
/// 0 while the breaker is open.
pub static PANEL_RATE_AVAILABLE: ScrapedMetric<1> = ScrapedMetric::gauge(
    "panel_external_panel_rate_limit_available",
    ["external_panel_id"],
    "Calls that the rate limit of an external panel would admit now.",
);
/// The share of this process.
pub static PANEL_RATE_BURST: ScrapedMetric<1> = ScrapedMetric::gauge(
    "panel_external_panel_rate_limit_burst",
    ["external_panel_id"],
    "Maximum number of calls that the rate limit of an external panel admits at once.",
);

/// Metrics of HTTP and the areas.
pub static SERVER_METRICS: &[Metric] = &[
    REQUEST_DURATION.metric(),
    ACTIVE_REQUESTS.metric(),
    REJECTIONS.metric(),
    BODIES_REFUSED.metric(),
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

/// Every metric of this program.
#[must_use]
pub fn all() -> Vec<Metric> {
    [SERVER_METRICS, catalogue::ALL, process::ALL].concat()
}
