//! Collecting the bodies of requests. Every frame is copied into one buffer, because a frame keeps the whole read buffer
//! that it was cut from (8 KiB for a body that comes byte by byte). The buffer grows within the endpoint's limit and
//! within a budget of the whole process; a body that comes too slowly is cut off. Nothing here knows what a body means.

mod budget;
mod rate;

use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody as _};
use axum::http::{HeaderMap, StatusCode, header};
use http_body_util::BodyExt as _;
use tokio::time::{Instant, timeout};

use crate::app::App;
use crate::config::Limits;
use crate::http::error::{ApiError, Result};
use budget::BudgetRefusal;
use rate::{MinimumRate, RateVerdict};

pub use budget::{BodyBudget, OVERHEAD_BYTES};
pub(crate) use budget::{Reservation, Sender};

/// The smallest buffer of a body, in bytes.
const SMALLEST_BUFFER: usize = 1024;
/// What a refused caller waits: most bodies are whole within a second or cut off soon after the grace.
const RETRY_AFTER_SECS: u64 = 5;

/// A whole body.
#[derive(Debug)]
pub(crate) struct Collected {
    pub(crate) bytes: Bytes,
    /// Kept until the request is answered, as what is read from the body takes its memory next; none for an empty body.
    pub(crate) reservation: Option<Reservation>,
}

/// Collects a body of at most `limit` bytes.
pub(crate) async fn collect(
    app: &App,
    headers: &HeaderMap,
    body: Body,
    sender: Sender,
    limit: usize,
) -> Result<Collected> {
    let declared = declared_length(headers);
    if declared.is_some_and(|length| length > limit) {
        return Err(too_large(limit));
    }
    if body.is_end_stream() {
        return Ok(Collected { bytes: Bytes::new(), reservation: None });
    }
    let limits = &app.config.limits;
    let reservation = app.bodies.begin(sender).map_err(|refusal| refused(refusal, limits))?;
    let mut unfinished =
        Unfinished { buffer: Vec::new(), limit, likely: declared.unwrap_or(limit), reservation };
    unfinished.receive(body, limits).await?;
    unfinished.reservation.finish();
    Ok(Collected { bytes: unfinished.buffer.into(), reservation: Some(unfinished.reservation) })
}

/// A body that is still being received.
struct Unfinished {
    buffer: Vec<u8>,
    limit: usize,
    /// The length that the client announced, or the limit: no buffer is larger.
    likely: usize,
    reservation: Reservation,
}

impl Unfinished {
    async fn receive(&mut self, mut body: Body, limits: &Limits) -> Result<()> {
        let rate = MinimumRate {
            grace: Duration::from_secs(limits.body_grace_seconds),
            bytes_per_second: limits.body_bytes_per_second,
        };
        let began = Instant::now();
        loop {
            let RateVerdict::Wait(left) = rate.judge(self.buffer.len(), began.elapsed()) else {
                return Err(too_slow(limits));
            };
            match timeout(left, body.frame()).await {
                // No frame in time: the rule is asked again, with the time that went by.
                Err(_) => {}
                Ok(None) => return Ok(()),
                Ok(Some(Err(_))) => return Err(broken_off()),
                Ok(Some(Ok(frame))) => {
                    if let Ok(data) = frame.into_data() {
                        self.append(&data, limits)?;
                    }
                }
            }
        }
    }

    fn append(&mut self, data: &[u8], limits: &Limits) -> Result<()> {
        let length = self.buffer.len() + data.len();
        if length > self.limit {
            return Err(too_large(self.limit));
        }
        let capacity = capacity_for(length, self.likely);
        if capacity > self.buffer.capacity() {
            let more = capacity - self.buffer.capacity();
            self.reservation.grow(more).map_err(|refusal| refused(refusal, limits))?;
            self.buffer.reserve_exact(capacity - self.buffer.len());
        }
        self.buffer.extend_from_slice(data);
        Ok(())
    }
}

/// The size of the buffer for `length` bytes: doubled each time, so that a body is copied at most twice, and not beyond
/// `likely` while that is enough.
fn capacity_for(length: usize, likely: usize) -> usize {
    length.next_power_of_two().max(SMALLEST_BUFFER).min(likely).max(length)
}

fn declared_length(headers: &HeaderMap) -> Option<usize> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

fn refused(refusal: BudgetRefusal, limits: &Limits) -> ApiError {
    let (reason, error) = match refusal {
        BudgetRefusal::Address => {
            let message = format!(
                "Your address sends too many request bodies at the same time (at most {}, and only a share of the server's memory). Let them finish and send this one again in {RETRY_AFTER_SECS} seconds.",
                limits.bodies_per_address
            );
            ("address", ApiError::told(StatusCode::TOO_MANY_REQUESTS, "too_many_bodies", message))
        }
        BudgetRefusal::Full => {
            let message = format!(
                "The server receives as many request bodies as its memory allows; send this one again in {RETRY_AFTER_SECS} seconds."
            );
            ("full", ApiError::told(StatusCode::SERVICE_UNAVAILABLE, "bodies_full", message))
        }
    };
    count_refusal(reason);
    error.retry_after(RETRY_AFTER_SECS).closing()
}

fn too_slow(limits: &Limits) -> ApiError {
    count_refusal("slow");
    let message = format!(
        "The request body arrives too slowly: send at least {} bytes a second.",
        limits.body_bytes_per_second
    );
    ApiError::told(StatusCode::REQUEST_TIMEOUT, "body_too_slow", message).closing()
}

fn too_large(limit: usize) -> ApiError {
    let message = format!("The body is too large: send at most {limit} bytes.");
    ApiError::told(StatusCode::PAYLOAD_TOO_LARGE, "payload_too_large", message).closing()
}

fn broken_off() -> ApiError {
    ApiError::told(
        StatusCode::BAD_REQUEST,
        "body_unreadable",
        "The body ended before its end; send it again.",
    )
    .closing()
}

fn count_refusal(reason: &'static str) {
    metrics::counter!("panel_request_bodies_refused_total", "reason" => reason).increment(1);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_double_up_to_what_is_likely() {
        let sizes = [1, 1_024, 1_025, 700_000, 1_000_000].map(|length| capacity_for(length, 1_000_000));
        assert_eq!(sizes, [1_024, 1_024, 2_048, 1_000_000, 1_000_000]);
        assert_eq!(capacity_for(1, 7), 7, "no more than is announced");
        assert_eq!(capacity_for(9, 7), 9, "an announcement may be wrong");
    }
}
