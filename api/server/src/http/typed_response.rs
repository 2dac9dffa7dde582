//! Converts the return values of handlers to HTTP responses. After a sign-in or a refresh, the response has the token in a header.

use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, HeaderName, SET_COOKIE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use panel_contract::common::UndoOffer;
use panel_contract::endpoint::{ApiBody, BodyKind, EmptyBody};
use panel_contract::session::{Profile, SignInResponse};
use panel_kernel::error::{Error, Result};
use panel_kernel::request_meta::SessionCookie;
use serde_json::Value;

use crate::auth::sessions::IssuedToken;
use crate::context::Ctx;
use crate::http::session_cookie;
use panel_platform::work::to_json_with_undo;

/// A response with a new session token, either in the `Authorization` header or in the console's cookie.
pub struct WithToken<A> {
    body: A,
    /// `None` if the current token stays valid.
    token: Option<String>,
    cookie: Option<SessionCookie>,
    max_age_secs: i64,
}

impl WithToken<SignInResponse> {
    /// The response to a sign-in or a refresh.
    #[must_use]
    pub fn new(ctx: &Ctx, user: Profile, issued: IssuedToken) -> Self {
        let body = SignInResponse { user, expires_at: issued.expires_at };
        Self::renewed(ctx, body, Some(issued))
    }
}

impl<A> WithToken<A> {
    /// The response to a user who is already signed in. `issued` replaces the current token; `None` keeps it.
    #[must_use]
    pub fn renewed(ctx: &Ctx, body: A, issued: Option<IssuedToken>) -> Self {
        let max_age_secs =
            issued.as_ref().map_or(0, |issued| (issued.expires_at.0 - ctx.now().0) / 1_000_000);
        Self { body, token: issued.map(|issued| issued.token), cookie: ctx.meta.cookie, max_age_secs }
    }
}

/// The response to a sign-out. If the request had the cookie, the response makes the browser delete all data of the panel.
pub struct SignedOut {
    cookie: Option<SessionCookie>,
}

impl SignedOut {
    #[must_use]
    pub fn new(ctx: &Ctx) -> Self {
        Self { cookie: ctx.meta.cookie }
    }
}

impl IntoApiResponse<EmptyBody> for SignedOut {
    fn into_api_response(self, undo: Option<&UndoOffer>) -> Result<Response> {
        let mut response = body_response(&EmptyBody {}, undo)?;
        if let Some(cookie) = self.cookie {
            let headers = response.headers_mut();
            headers.insert(SET_COOKIE, header_value(&session_cookie::expired_cookie(cookie))?);
            headers.insert(
                HeaderName::from_static("clear-site-data"),
                HeaderValue::from_static("\"cache\", \"cookies\", \"storage\""),
            );
        }
        Ok(response)
    }
}

/// A type that a handler may return if the response type of its endpoint is `A`.
pub trait IntoApiResponse<A>: Send {
    /// Converts the value to the HTTP response. `undo` offers to undo the request.
    fn into_api_response(self, undo: Option<&UndoOffer>) -> Result<Response>;
}

impl<A: ApiBody> IntoApiResponse<A> for A {
    fn into_api_response(self, undo: Option<&UndoOffer>) -> Result<Response> {
        body_response(&self, undo)
    }
}

impl<A: ApiBody> IntoApiResponse<A> for WithToken<A> {
    fn into_api_response(self, undo: Option<&UndoOffer>) -> Result<Response> {
        let mut response = body_response(&self.body, undo)?;
        let Some(token) = self.token else { return Ok(response) };
        let (header_name, text) = match self.cookie {
            Some(cookie) => (SET_COOKIE, session_cookie::set_cookie(cookie, &token, self.max_age_secs)),
            None => (AUTHORIZATION, format!("Bearer {token}")),
        };
        response.headers_mut().insert(header_name, header_value(&text)?);
        Ok(response)
    }
}

fn header_value(text: &str) -> Result<HeaderValue> {
    HeaderValue::try_from(text).map_err(|error| Error::Internal(error.to_string()))
}

fn body_response<A: ApiBody>(body: &A, undo: Option<&UndoOffer>) -> Result<Response> {
    match A::KIND {
        BodyKind::None => Ok(StatusCode::NO_CONTENT.into_response()),
        BodyKind::Json | BodyKind::Upload | BodyKind::Fields => {
            json_response(StatusCode::OK, to_json_with_undo(body, undo))
        }
        BodyKind::File => Err(Error::Internal("a handler returned a file as a typed response".into())),
        BodyKind::Text => match serde_json::to_value(body) {
            Ok(Value::String(text)) => Ok(text.into_response()),
            _ => Err(Error::Internal("a text response does not serialize to a string".into())),
        },
    }
}

/// A response with serialized JSON.
pub fn json_response(status: StatusCode, bytes: serde_json::Result<Vec<u8>>) -> Result<Response> {
    let bytes = bytes.map_err(|error| Error::Internal(error.to_string()))?;
    Ok((status, [(CONTENT_TYPE, HeaderValue::from_static("application/json"))], bytes).into_response())
}
