//! One typed call for every endpoint of the table.

use panel_contract::endpoint::{Endpoint, Kind, Op, PathArgs as _, Query as _, Who, Wire};
use panel_contract::endpoints::session::Logout;
use panel_contract::upload::FileBytes;
use serde::de::DeserializeOwned;

use crate::client::Client;
use crate::error::{Error, Result};
use crate::request::{Answer, Request};

impl Client {
    /// Calls endpoint `E`. Signing in keeps the token that comes back; signing out forgets it.
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
        self.keep_session(&E::OP, &answer);
        read(&request, &answer)
    }

    fn keep_session(&self, op: &Op, answer: &Answer) {
        if op.id == Logout::OP.id {
            self.inner.session.set(None);
        } else if op.area == Logout::OP.area {
            self.inner.take_token(answer);
        }
    }
}

impl Request {
    /// The request that calling `E` makes.
    pub fn of<E: Endpoint>(path: E::Path, query: &E::Query, body: &E::Body) -> Result<Self> {
        let mut request = Self::new(E::OP.method, path.fill(E::OP.path))?.query(query.pairs());
        request.signed = E::OP.who != Who::Public;
        Ok(match bytes_of(body)? {
            Some(bytes) => request.body("application/json", bytes),
            None => request,
        })
    }
}

/// A body as it travels.
fn bytes_of<B: Wire>(body: &B) -> Result<Option<Vec<u8>>> {
    match B::KIND {
        Kind::None => Ok(None),
        Kind::Json | Kind::Text | Kind::Upload | Kind::Fields | Kind::File => serde_json::to_vec(body)
            .map(Some)
            .map_err(|error| Error::Setup(format!("The body cannot be written: {error}."))),
    }
}

fn read<A: Wire>(request: &Request, answer: &Answer) -> Result<A> {
    match A::KIND {
        Kind::None => decode(request, b"{}"),
        Kind::Json | Kind::Upload | Kind::Fields => decode(request, &answer.body),
        Kind::Text => {
            let text = String::from_utf8_lossy(&answer.body).into_owned();
            serde_json::from_value(text.into()).map_err(|error| unreadable(request, &error))
        }
        Kind::File => serde_json::to_value(FileBytes(answer.body.to_vec()))
            .and_then(serde_json::from_value)
            .map_err(|error| unreadable(request, &error)),
    }
}

/// Reads a JSON answer.
pub(crate) fn decode<T: DeserializeOwned>(request: &Request, bytes: &[u8]) -> Result<T> {
    serde_json::from_slice(bytes).map_err(|error| unreadable(request, &error))
}

fn unreadable(request: &Request, error: &serde_json::Error) -> Error {
    Error::Decode { what: request.what(), why: error.to_string() }
}
