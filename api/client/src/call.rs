//! One typed call for every endpoint of the table.

use panel_contract::endpoint::{AccessRule, BodyKind, Endpoint, Op, PathArgs as _, Query as _, Wire};
use panel_contract::endpoints::session::Logout;
use panel_contract::upload::FileBytes;
use serde::de::DeserializeOwned;

use crate::client::Client;
use crate::error::{Error, Result};
use crate::request::{Answer, Request};

impl Client {
    /// Calls endpoint `E`. Signing in stores the returned token; signing out removes it. Fails as described by [`Error`].
    pub async fn call<E: Endpoint>(
        &self,
        path: E::Path,
        query: &E::Query,
        body: &E::Body,
    ) -> Result<E::Answer> {
        let mut request = Request::of::<E>(path, query, body)?;
        if let (Some(key), true) = (&self.key, E::OP.writes()) {
            request = request.idempotency_key(&**key);
        }
        let answer = self.request(&request).await?;
        self.update_session(&E::OP, &answer);
        read(&request, &answer)
    }

    fn update_session(&self, op: &Op, answer: &Answer) {
        if op.id == Logout::OP.id {
            self.inner.session.set(None);
        } else if op.area == Logout::OP.area {
            self.inner.store_token(answer);
        }
    }
}

impl Request {
    /// Builds the request of a call of `E`. Fails if the body cannot be serialized.
    pub fn of<E: Endpoint>(path: E::Path, query: &E::Query, body: &E::Body) -> Result<Self> {
        let mut request = Self::new(E::OP.method, path.fill(E::OP.path))?.query(query.pairs());
        request.signed = E::OP.access_rule != AccessRule::Public;
        Ok(match bytes_of(body)? {
            Some(bytes) => request.body("application/json", bytes),
            None => request,
        })
    }
}

/// Serializes a body.
fn bytes_of<B: Wire>(body: &B) -> Result<Option<Vec<u8>>> {
    match B::KIND {
        BodyKind::None => Ok(None),
        BodyKind::Json | BodyKind::Text | BodyKind::Upload | BodyKind::Fields | BodyKind::File => {
            serde_json::to_vec(body)
                .map(Some)
                .map_err(|error| Error::Setup(format!("Cannot serialize the body: {error}.")))
        }
    }
}

fn read<A: Wire>(request: &Request, answer: &Answer) -> Result<A> {
    match A::KIND {
        BodyKind::None => decode(request, b"{}"),
        BodyKind::Json | BodyKind::Upload | BodyKind::Fields => decode(request, &answer.body),
        BodyKind::Text => {
            let text = String::from_utf8_lossy(&answer.body).into_owned();
            serde_json::from_value(text.into()).map_err(|error| unreadable(request, &error))
        }
        BodyKind::File => serde_json::to_value(FileBytes(answer.body.to_vec()))
            .and_then(serde_json::from_value)
            .map_err(|error| unreadable(request, &error)),
    }
}

/// Parses a JSON response.
pub(crate) fn decode<T: DeserializeOwned>(request: &Request, bytes: &[u8]) -> Result<T> {
    serde_json::from_slice(bytes).map_err(|error| unreadable(request, &error))
}

fn unreadable(request: &Request, error: &serde_json::Error) -> Error {
    Error::Decode { what: request.what(), why: error.to_string() }
}
