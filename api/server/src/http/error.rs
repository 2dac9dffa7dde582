//! Turns errors into HTTP responses. No other module does.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use panel_contract::error::ErrorBody;
use panel_kernel::error::Error;
use panel_kernel::rejection::{Rejection, RejectionKind};
use serde::Serialize;

/// Why a request was rejected, for its log line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RejectionCode(pub(crate) &'static str);

/// The error body of the reseller API.
#[derive(Serialize)]
struct ResellerErrorBody {
    error: String,
    #[serde(flatten)]
    problem: ErrorBody,
}

#[must_use]
pub fn status(kind: RejectionKind) -> StatusCode {
    StatusCode::from_u16(kind.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

#[must_use]
pub fn error_response(error: Error, request_id: &str) -> Response {
    rejection_response(error.report(request_id), request_id, None)
}

/// The response. With `sentence`, the body also has the field `error`, which clients of the reseller API read.
#[must_use]
pub fn rejection_response(rejection: Rejection, request_id: &str, sentence: Option<String>) -> Response {
    let status = status(rejection.kind);
    let problem = ErrorBody {
        message: rejection.message,
        errors: rejection.errors.0,
        skipped: rejection.skipped,
        second_factor: rejection.second_factor,
        code: rejection.code.to_owned(),
        request_id: request_id.to_owned(),
    };
    let mut response = match sentence {
        None => (status, axum::Json(problem)).into_response(),
        Some(error) => (status, axum::Json(ResellerErrorBody { error, problem })).into_response(),
    };
    response.extensions_mut().insert(RejectionCode(rejection.code));
    if status == StatusCode::UNAUTHORIZED {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    if let Some(seconds) = rejection.retry_after_secs {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    if rejection.closes_connection {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}
