//! Declares the spans of the panel with all their fields. Recording a field that is not declared here has no effect.
//!
//! A span never holds query strings, bodies, tokens, the path of an address, client addresses, email addresses or names. Without an
//! exporter spans are disabled and cost one comparison.

use panel_contract::ids::JobId;
use tracing::Span;
use tracing::field::Empty;

/// Converts a number to `i64`, the only integer type that the exporter does not write as text.
#[must_use]
pub fn number(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// A request, from its head until the head of its answer.
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

/// An outbound call, until the last byte of its answer.
#[must_use]
pub fn call(purpose: &str, method: &str) -> Span {
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

/// A poll that has claimed records, or whose key is due. `key` is the id of the external panel for pollers with a task per panel.
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

/// One run of a job, by the name of its queue. `attempt` counts from 1.
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

/// A transaction, from the wait for its connection until its end.
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
