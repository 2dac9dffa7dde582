//! The spans of the panel, with all their fields, in one place. A field that is not declared here is lost silently.
//!
//! Never in a span: query strings, bodies, tokens, what stands behind a host in an address, client addresses, email addresses, names.
//! Where nothing is exported the spans are disabled and cost a comparison.

use panel_contract::ids::JobId;
use tracing::Span;
use tracing::field::Empty;

/// A number as the exporter reads it: of integers it knows `i64` alone, and writes all others as texts.
#[must_use]
pub fn number(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// A request, from its head to its answer's.
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

/// A call to the outside, until the last byte of its answer.
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

/// The work of a poll that has claimed records, or that a key has due. `key` is the external panel of work that is done by panel.
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

/// A transaction, from the wait for its connection until it has ended.
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
