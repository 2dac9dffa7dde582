//! Declares the spans of the panel with all their fields. Recording a field that is not declared here has no effect.
//!
//! A span never holds query strings, bodies, tokens, the path of an address, client addresses, email addresses or names. Without an
//! exporter spans are disabled and cost one comparison.

use panel_contract::ids::JobId;
use tracing::Span;
use tracing::field::Empty;

/// Converts a number to `i64`, the only integer type that the exporter does not convert to text.
#[must_use]
pub fn to_i64(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// The span of a request, from the head of the request until the head of the response.
#[must_use]
pub fn request(method: &str, route: &str, request_id: &str) -> Span {
    let span = tracing::info_span!(
        "request",
        otel.name = Empty,
        otel.kind = "server",
        otel.status_code = Empty,
        http.request.method = method,
        http.route = route,
        request_id,
        http.response.status_code = Empty,
        actor_id = Empty,
        error.code = Empty,
        statements = Empty,
        rows = Empty,
        db_ms = Empty,
    );
    if !span.is_disabled() {
        span.record("otel.name", format!("{method} {route}"));
    }
    span
}

/// The span of an outbound request, until the last byte of the response.
#[must_use]
pub fn outbound_request(purpose: &str, method: &str) -> Span {
    let span = tracing::info_span!(
        "call",
        otel.name = Empty,
        otel.kind = "client",
        otel.status_code = Empty,
        purpose,
        http.request.method = method,
        server.address = Empty,
        http.response.status_code = Empty,
        error.type = Empty,
        response_bytes = Empty,
    );
    if !span.is_disabled() {
        span.record("otel.name", format!("{method} {purpose}"));
    }
    span
}

/// The span of a poll that has claimed records, or of the work on one key. `key` is the id of the external panel for pollers with
/// one task for each panel.
#[must_use]
pub fn poll(poller: &str, key: Option<i64>) -> Span {
    let span = tracing::info_span!(
        "poll",
        otel.name = Empty,
        otel.kind = "internal",
        otel.status_code = Empty,
        poller,
        key,
        done = Empty,
        failed = Empty,
        statements = Empty,
        rows = Empty,
        db_ms = Empty,
    );
    if !span.is_disabled() {
        span.record("otel.name", format!("poll {poller}"));
    }
    span
}

/// The span of one attempt of a job. `attempt` counts from 1.
#[must_use]
pub fn job(queue: &str, job_id: JobId, attempt: i64) -> Span {
    let span = tracing::info_span!(
        "job",
        otel.name = Empty,
        otel.kind = "internal",
        otel.status_code = Empty,
        queue,
        job_id = job_id.get(),
        attempt,
        outcome = Empty,
    );
    if !span.is_disabled() {
        span.record("otel.name", format!("job {queue}"));
    }
    span
}

/// The span of a transaction, from the wait for a connection until the end of the transaction.
#[must_use]
pub fn transaction(system: &str) -> Span {
    tracing::info_span!(
        "transaction",
        otel.kind = "internal",
        otel.status_code = Empty,
        db.system.name = system,
        wait_ms = Empty,
        statements = Empty,
        rows = Empty,
        outcome = Empty,
    )
}
