//! What a call to the outside cost, as a metric by its purpose and as a span.

use std::time::Instant;

use tracing::Span;

use crate::metrics::catalogue::OUTBOUND_DURATION;
use crate::outbound::{Answer, OutboundError, Purpose};
use crate::telemetry::spans;

/// Measures one call.
pub(super) struct CallTrace {
    purpose: Purpose,
    span: Span,
    begun: Instant,
}

impl CallTrace {
    pub(super) fn begin(purpose: Purpose, method: &str) -> Self {
        Self { purpose, span: spans::call(purpose.as_str(), method), begun: Instant::now() }
    }

    pub(super) fn span(&self) -> Span {
        self.span.clone()
    }

    /// Notes the host that is called, and nothing else of the address.
    pub(super) fn to_host(&self, host: &str) {
        self.span.record("server.address", host);
    }

    /// Records the end.
    pub(super) fn end(self, answer: Result<Answer, OutboundError>) -> Result<Answer, OutboundError> {
        let status = answer.as_ref().map_or_else(|_| String::new(), |answer| answer.status.to_string());
        let error = answer.as_ref().err().map(error_type);
        let labels = [self.purpose.as_str().into(), status.into(), error.unwrap_or_default().into()];
        OUTBOUND_DURATION.with::<::metrics::SharedString>(labels).record(self.begun.elapsed());
        match (&answer, error) {
            (Ok(answer), _) => {
                self.span.record("http.response.status_code", i64::from(answer.status));
                self.span.record("response_bytes", spans::number(answer.body.len() as u64));
            }
            (Err(_), error) => {
                self.span.record("error.type", error);
                self.span.record("otel.status_code", "ERROR");
            }
        }
        answer
    }
}

/// The kind of an error; its text may name an address.
const fn error_type(error: &OutboundError) -> &'static str {
    match error {
        OutboundError::Refused(_) => "refused",
        OutboundError::Unreached(_) => "unreached",
        OutboundError::Failed(_) => "failed",
        OutboundError::Status(_) => "status",
        OutboundError::TooLarge(_) => "too_large",
    }
}
