//! Answers: a body of the endpoint's answer type, now and then with a token in the header.

use axum::http::header::{AUTHORIZATION, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use panel_contract::common::UndoOffer;
use panel_contract::endpoint::{Kind, Wire};
use serde::Serialize;
use serde_json::Value;

use crate::http::error::{ApiError, Result};

/// An answer with a fresh bearer token in its `Authorization` header.
pub struct WithToken<A> {
    /// The body.
    pub body: A,
    /// The token itself.
    pub token: String,
}

/// What a handler of an endpoint that answers `A` may return.
pub trait IntoReply<A>: Send {
    /// Makes the HTTP answer, which says how to take the request back where that is possible.
    fn into_reply(self, undo: Option<&UndoOffer>) -> Result<Response>;
}

impl<A: Wire> IntoReply<A> for A {
    fn into_reply(self, undo: Option<&UndoOffer>) -> Result<Response> {
        body_of(&self, undo)
    }
}

impl<A: Wire> IntoReply<A> for WithToken<A> {
    fn into_reply(self, undo: Option<&UndoOffer>) -> Result<Response> {
        let mut response = body_of(&self.body, undo)?;
        let value = HeaderValue::try_from(format!("Bearer {}", self.token));
        response
            .headers_mut()
            .insert(AUTHORIZATION, value.map_err(|error| ApiError::Fault(error.to_string()))?);
        Ok(response)
    }
}

fn body_of<A: Wire>(body: &A, undo: Option<&UndoOffer>) -> Result<Response> {
    match A::KIND {
        Kind::None => Ok(StatusCode::NO_CONTENT.into_response()),
        Kind::Json | Kind::Upload | Kind::Fields => json(StatusCode::OK, with_undo(body, undo)),
        Kind::File => Err(ApiError::Fault("a file is answered by the uploads room".into())),
        Kind::Text => match serde_json::to_value(body) {
            Ok(Value::String(text)) => Ok(text.into_response()),
            _ => Err(ApiError::Fault("a text answer is not a text".into())),
        },
    }
}

/// An answer as JSON, with the offer to take the request back beside its other fields.
pub fn with_undo<A: Serialize>(answer: &A, undo: Option<&UndoOffer>) -> serde_json::Result<Vec<u8>> {
    let Some(undo) = undo else { return serde_json::to_vec(answer) };
    let mut value = serde_json::to_value(answer)?;
    if let Value::Object(fields) = &mut value {
        fields.insert("undo".to_owned(), serde_json::to_value(undo)?);
    }
    serde_json::to_vec(&value)
}

/// A JSON answer of bytes already written.
pub fn json(status: StatusCode, bytes: serde_json::Result<Vec<u8>>) -> Result<Response> {
    let bytes = bytes.map_err(|error| ApiError::Fault(error.to_string()))?;
    Ok((status, [(CONTENT_TYPE, HeaderValue::from_static("application/json"))], bytes).into_response())
}
