//! Sessions: opaque tokens, stored hashed.

use axum::http::HeaderMap;
use panel_contract::endpoint::Op;

use crate::app::App;
use crate::http::caller::Caller;
use crate::http::error::{ApiError, Result};

/// The caller that a request's token belongs to.
pub async fn authenticate(_app: &App, _headers: &HeaderMap, _op: &Op) -> Result<Caller> {
    Err(ApiError::unauthenticated("unauthenticated"))
}
