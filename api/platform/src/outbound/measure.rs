//! Measures outbound requests: records their duration as a metric by purpose, and a span of each request.

use std::time::Instant;

use reqwest::StatusCode;
use tracing::Span;

use crate::metrics::catalogue::OUTBOUND_DURATION;
use crate::outbound::{OutboundError, OutboundResponse, Purpose};
use crate::telemetry::spans;

pub(super) struct RequestTrace {
    purpose: Purpose,
    span: Span,
    started_at: Instant,
}

impl RequestTrace {
    pub(super) fn begin(purpose: Purpose, method: &str) -> Self {
        Self { purpose, span: spans::outbound_request(purpose.as_str(), method), started_at: Instant::now() }
    }

    pub(super) fn span(&self) -> Span {
        self.span.clone()
    }

    /// Records the host; the caller must pass no other part of the address.
    pub(super) fn record_host(&self, host: &str) {
        self.span.record("server.address", host);
    }

    pub(super) fn end(
        self,
        result: Result<OutboundResponse, OutboundError>,
    ) -> Result<OutboundResponse, OutboundError> {
        let status = result.as_ref().map_or_else(|_| "".into(), |response| status_label(response.status));
        let error = result.as_ref().err().map(error_type);
        let labels = [self.purpose.as_str().into(), status, error.unwrap_or_default().into()];
        OUTBOUND_DURATION.with_labels::<::metrics::SharedString>(labels).record(self.started_at.elapsed());
        match (&result, error) {
            (Ok(response), _) => {
                self.span.record("http.response.status_code", i64::from(response.status));
                self.span.record("response_bytes", spans::to_i64(response.body.len() as u64));
            }
            (Err(_), error) => {
                self.span.record("error.type", error);
                self.span.record("otel.status_code", "ERROR");
            }
        }
        result
    }
}

/// Returns the status as a label. Another server may send any number as the status; unassigned numbers share one label, so that the
/// number of series is bounded.
fn status_label(status: u16) -> ::metrics::SharedString {
    let is_assigned = StatusCode::from_u16(status).is_ok_and(|status| status.canonical_reason().is_some());
    if is_assigned { status.to_string().into() } else { "other".into() }
}

/// Returns the kind of an error as a label. The text of the error may contain an address.
const fn error_type(error: &OutboundError) -> &'static str {
    match error {
        OutboundError::ForbiddenAddress(_) => "forbidden_address",
        OutboundError::InvalidRequest(_) => "invalid_request",
        OutboundError::NotConnected(_) => "not_connected",
        OutboundError::NoCompleteResponse(_) => "no_complete_response",
        OutboundError::Status(_) => "status",
        OutboundError::TooLarge(_) => "too_large",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unassigned_status_codes_share_one_label() {
        assert_eq!(status_label(200).as_ref(), "200");
        assert_eq!(status_label(503).as_ref(), "503");
        let labels: std::collections::BTreeSet<String> =
            (0..=u16::MAX).map(|status| status_label(status).to_string()).collect();
        assert!(labels.contains("other") && labels.len() < 80, "{labels:?}");
    }
}
