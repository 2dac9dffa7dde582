//! Declares the metrics of the platform: database, outbound calls, pollers, jobs, ledger, live channel. The server declares the
//! metrics of its areas and of HTTP.

use super::{Counter, Gauge, Histogram, Metric, ScrapedMetric};

/// From the time when the statement has a connection until the last row is read.
pub static DB_STATEMENT_DURATION: Histogram<2> = Histogram::new(
    "panel_db_statement_duration_seconds",
    ["operation", "table"],
    &[0.001, 0.005, 0.025, 0.1, 0.5, 2.5],
    "Time of database statements.",
);
/// On SQLite the wait of a writer includes BEGIN, which waits for the previous writer.
pub static DB_ACQUIRE_DURATION: Histogram<1> = Histogram::new(
    "panel_db_acquire_duration_seconds",
    ["pool"],
    &[0.001, 0.01, 0.1, 1.0, 5.0, 15.0],
    "Time of waits for a database connection.",
);
/// A connection is in use until it returns to the pool.
pub static DB_CONNECTIONS: ScrapedMetric<2> =
    ScrapedMetric::gauge("panel_db_connections", ["pool", "state"], "Open database connections.");
pub static DB_CONNECTIONS_MAX: ScrapedMetric<1> =
    ScrapedMetric::gauge("panel_db_connections_max", ["pool"], "Maximum number of database connections.");
/// The sum of both pools, for dashboards from before there were two.
pub static DB_POOL_IN_USE: ScrapedMetric =
    ScrapedMetric::gauge("panel_db_pool_in_use", [], "Database connections in use.");
/// SQLite is always available.
pub static DB_AVAILABLE: ScrapedMetric =
    ScrapedMetric::gauge("panel_db_available", [], "Whether the database answers.");
/// 0 if the scrape lacks the numbers that come from the database.
pub static DB_METRICS_READ: ScrapedMetric = ScrapedMetric::gauge(
    "panel_metrics_database_read",
    [],
    "Whether this scrape could read its numbers from the database in time.",
);
/// `dropped`: the code dropped the transaction, which rolls it back, after a rejection, an error or an aborted request.
pub static DB_TRANSACTIONS: Counter<1> = Counter::new(
    "panel_db_transactions_total",
    ["outcome"],
    "Transactions by how they ended: commit, rollback, unknown or dropped.",
);
/// A `unique` error is usually an expected rejection, such as a name in use.
pub static DB_ERRORS: Counter<1> =
    Counter::new("panel_db_errors_total", ["kind"], "Errors of database statements.");
/// `scope` is the scope of the retry policy, such as `request`.
pub static DB_RETRIES: Counter<1> = Counter::new(
    "panel_db_retries_total",
    ["scope"],
    "Retries of transactions after a conflict with another transaction or a broken connection.",
);
/// Each process counts the outages that it detects.
pub static DB_OUTAGES: Counter = Counter::new("panel_db_outages_total", [], "Outages of the database.");

/// The status is empty if there was no response.
pub static OUTBOUND_DURATION: Histogram<3> = Histogram::new(
    "http_client_request_duration_seconds",
    ["purpose", "http_response_status_code", "error_type"],
    &[0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 40.0],
    "Time of outbound requests, until the last byte of the response.",
);

/// Counted up to 10,000, which bounds the cost of a scrape.
pub static POLLER_DUE: ScrapedMetric<1> =
    ScrapedMetric::gauge("panel_poller_due_records", ["poller"], "Records that are due now, at most 10,000.");
/// 0 if no record is due.
pub static POLLER_LAG: ScrapedMetric<1> = ScrapedMetric::gauge(
    "panel_poller_lag_seconds",
    ["poller"],
    "How long the oldest due record has been due.",
);
/// Claimed records are under a lease.
pub static POLLER_CLAIMED: Counter<1> =
    Counter::new("panel_poller_claimed_total", ["poller"], "Records that a poller claimed.");
/// Includes records whose work ended in a rejection or in an error of another system.
pub static POLLER_DONE: Counter<1> =
    Counter::new("panel_poller_done_total", ["poller"], "Records whose due step succeeded.");
/// The poller claims them again later.
pub static POLLER_FAILED: Counter<1> =
    Counter::new("panel_poller_failed_total", ["poller"], "Records whose work failed.");
/// Idle polls found nothing due.
pub static POLLER_POLLS: Counter<2> = Counter::new(
    "panel_poller_polls_total",
    ["poller", "outcome"],
    "Polls by outcome: idle, worked, failed or panicked.",
);
/// Idle polls are not observed.
pub static POLLER_DURATION: Histogram<1> = Histogram::new(
    "panel_poller_duration_seconds",
    ["poller"],
    &[0.005, 0.05, 0.25, 1.0, 5.0, 15.0, 60.0],
    "Time of polls that found work.",
);
/// A keyed poller has one task for each key.
pub static POLLER_RUNNING: Gauge<1> =
    Gauge::new("panel_poller_running", ["poller"], "Running polls and tasks of pollers.");
pub static POLLER_LAST_POLL: Gauge<1> = Gauge::new(
    "panel_poller_last_poll_timestamp_seconds",
    ["poller"],
    "When the poller last looked for due records.",
);
/// A poller continues after a panic.
pub static POLLER_PANICS: Counter<1> =
    Counter::new("panel_poller_panics_total", ["poller"], "Panics of pollers.");

/// Includes webhook deliveries that wait for a retry.
pub static OUTBOX_DEPTH: ScrapedMetric =
    ScrapedMetric::gauge("panel_outbox_depth", [], "Unfinished jobs, at most 10,000 of each queue.");
/// Since the time at which the job was due.
pub static OUTBOX_OLDEST: ScrapedMetric =
    ScrapedMetric::gauge("panel_outbox_oldest_seconds", [], "Age of the oldest unfinished job.");
pub static QUARANTINE_RECORDS: ScrapedMetric<1> = ScrapedMetric::gauge(
    "panel_quarantine_records",
    ["status"],
    "Records whose work may have ended a process: suspected or quarantined.",
);

/// Incremented after the commit.
pub static LEDGER_POSTINGS: Counter<1> = Counter::new(
    "panel_ledger_postings_total",
    ["kind"],
    "Postings of the ledger by the kind of their cause.",
);
/// By the code of the rejection.
pub static LEDGER_REJECTIONS: Counter<1> =
    Counter::new("panel_ledger_rejections_total", ["code"], "Postings that the ledger rejected.");

pub static WS_CONNECTIONS: ScrapedMetric =
    ScrapedMetric::gauge("panel_ws_connections", [], "Open live sockets.");
/// Incremented before the subscription.
pub static WS_OPENED: Counter = Counter::new("panel_ws_opened_total", [], "Live sockets that were opened.");
/// The label `code` is `gone` if the client closed the socket.
pub static WS_CLOSED: Counter<1> =
    Counter::new("panel_ws_closed_total", ["code"], "Closed live sockets by close code.");
/// Incremented once for each event, regardless of the number of sockets that receive it.
pub static WS_EVENTS: Counter<1> =
    Counter::new("panel_ws_events_total", ["event"], "Events of the live channel that this process sent.");
/// The server closes them; clients reconnect.
pub static WS_LAGGED: Counter =
    Counter::new("panel_ws_lagged_total", [], "Live sockets that were too slow to follow the events.");

/// All metrics of this module.
pub static ALL: &[Metric] = &[
    DB_STATEMENT_DURATION.metric(),
    DB_ACQUIRE_DURATION.metric(),
    DB_CONNECTIONS.metric(),
    DB_CONNECTIONS_MAX.metric(),
    DB_POOL_IN_USE.metric(),
    DB_AVAILABLE.metric(),
    DB_METRICS_READ.metric(),
    DB_TRANSACTIONS.metric(),
    DB_ERRORS.metric(),
    DB_RETRIES.metric(),
    DB_OUTAGES.metric(),
    OUTBOUND_DURATION.metric(),
    POLLER_DUE.metric(),
    POLLER_LAG.metric(),
    POLLER_CLAIMED.metric(),
    POLLER_DONE.metric(),
    POLLER_FAILED.metric(),
    POLLER_POLLS.metric(),
    POLLER_DURATION.metric(),
    POLLER_RUNNING.metric(),
    POLLER_LAST_POLL.metric(),
    POLLER_PANICS.metric(),
    OUTBOX_DEPTH.metric(),
    OUTBOX_OLDEST.metric(),
    QUARANTINE_RECORDS.metric(),
    LEDGER_POSTINGS.metric(),
    LEDGER_REJECTIONS.metric(),
    WS_CONNECTIONS.metric(),
    WS_OPENED.metric(),
    WS_CLOSED.metric(),
    WS_EVENTS.metric(),
    WS_LAGGED.metric(),
];
