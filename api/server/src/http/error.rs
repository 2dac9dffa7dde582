//! Converts errors to HTTP responses. No other module may do this.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use panel_contract::error::ErrorBody;
use panel_kernel::error::Error;
use panel_kernel::rejection::{Rejection, RejectionKind};
use serde::Serialize;

/// The error code of a rejected request, for the request's log line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RejectionCode(pub(crate) &'static str);

/// The error body of the reseller API.
#[derive(Serialize)]
struct ResellerErrorBody {
    error: String,
    #[serde(flatten)]
    body: ErrorBody,
}

#[must_use]
pub fn status_code(kind: RejectionKind) -> StatusCode {
    StatusCode::from_u16(kind.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

#[must_use]
pub fn error_response(error: Error, request_id: &str) -> Response {
    rejection_response(error.report(request_id), request_id, None)
}

/// The response for a rejection. `reseller_error` adds the field `error` to the body, which clients of the reseller API read.
#[must_use]
pub fn rejection_response(
    rejection: Rejection,
    request_id: &str,
    reseller_error: Option<String>,
) -> Response {
    let status = status_code(rejection.kind);
    let body = ErrorBody {
        message: rejection.message,
        errors: rejection.errors.0,
        skipped: rejection.skipped,
        second_factor: rejection.second_factor,
        code: rejection.code.to_owned(),
        request_id: request_id.to_owned(),
    };
    let mut response = match reseller_error {
        None => (status, axum::Json(body)).into_response(),
        Some(error) => (status, axum::Json(ResellerErrorBody { error, body })).into_response(),
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
