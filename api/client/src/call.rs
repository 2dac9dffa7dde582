//! Typed calls: builds the request of an endpoint and parses its response.

use panel_contract::endpoint::{AccessRule, ApiBody, BodyKind, Endpoint, Op, PathArgs as _, Query as _};
use panel_contract::endpoints::session::Logout;
use panel_contract::upload::FileBytes;
use serde::de::DeserializeOwned;

use crate::client::Client;
use crate::error::{Error, Result};
use crate::request::{Request, Response};

impl Client {
    /// Calls endpoint `E`. A sign-in stores the returned token, and a sign-out removes it. [`Error`] lists the ways in which a call
    /// can fail.
    pub async fn call<E: Endpoint>(
        &self,
        path: E::Path,
        query: &E::Query,
        body: &E::Body,
    ) -> Result<E::Response> {
        let mut request = Request::for_endpoint::<E>(path, query, body)?;
        if let (Some(key), true) = (&self.idempotency_key, E::OP.is_write()) {
            request = request.idempotency_key(&**key);
        }
        let response = self.request(&request).await?;
        self.update_session(&E::OP, &response);
        parse_response(&request, &response)
    }

    fn update_session(&self, op: &Op, response: &Response) {
        if op.id == Logout::OP.id {
            self.state.session.set_token(None);
        } else if op.area == Logout::OP.area {
            self.state.store_token(response);
        }
    }
}

impl Request {
    /// Builds the request for a call of endpoint `E`. Fails if the body cannot be serialized.
    pub fn for_endpoint<E: Endpoint>(path: E::Path, query: &E::Query, body: &E::Body) -> Result<Self> {
        let mut request = Self::new(E::OP.method, path.fill(E::OP.path))?.query(query.to_pairs());
        request.is_authenticated = E::OP.access_rule != AccessRule::Public;
        Ok(match serialize_body(body)? {
            Some(bytes) => request.body("application/json", bytes),
            None => request,
        })
    }
}

/// The body as JSON; `None` if the endpoint has no body.
fn serialize_body<B: ApiBody>(body: &B) -> Result<Option<Vec<u8>>> {
    match B::KIND {
        BodyKind::None => Ok(None),
        BodyKind::Json | BodyKind::Text | BodyKind::Upload | BodyKind::Fields | BodyKind::File => {
            serde_json::to_vec(body)
                .map(Some)
                .map_err(|error| Error::Setup(format!("Cannot serialize the body: {error}.")))
        }
    }
}

fn parse_response<B: ApiBody>(request: &Request, response: &Response) -> Result<B> {
    match B::KIND {
        BodyKind::None => decode(request, b"{}"),
        BodyKind::Json | BodyKind::Upload | BodyKind::Fields => decode(request, &response.body),
        BodyKind::Text => {
            let text = String::from_utf8_lossy(&response.body).into_owned();
            serde_json::from_value(text.into()).map_err(|error| to_decode_error(request, &error))
        }
        BodyKind::File => serde_json::to_value(FileBytes(response.body.to_vec()))
            .and_then(serde_json::from_value)
            .map_err(|error| to_decode_error(request, &error)),
    }
}

/// Parses the JSON body of a response.
pub(crate) fn decode<T: DeserializeOwned>(request: &Request, bytes: &[u8]) -> Result<T> {
    serde_json::from_slice(bytes).map_err(|error| to_decode_error(request, &error))
}

fn to_decode_error(request: &Request, error: &serde_json::Error) -> Error {
    Error::Decode { request: request.label(), reason: error.to_string() }
}
