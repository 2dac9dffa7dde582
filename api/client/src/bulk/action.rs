//! What a bulk run does: an endpoint and a body that lacks only its ids. Plain data, so that a journal can hold it.

use std::collections::BTreeMap;

use panel_contract::common::{BulkOutcome, DryRun};
use panel_contract::endpoint::{Endpoint, Query as _};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::call::decode;
use crate::client::Client;
use crate::error::{Error, Result};
use crate::request::Request;

/// An action on many records.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Action {
    /// The endpoint's id, such as `cancel_orders`.
    pub endpoint: String,
    /// Its path.
    pub path: String,
    /// The body's field that takes the ids.
    pub ids_field: String,
    /// The rest of the body; sorted, so that a repeated request repeats its bytes.
    pub body: BTreeMap<String, Value>,
}

impl Action {
    /// The action of bulk endpoint `E`; what `body` holds under `ids_field` does not matter.
    pub fn of<E>(ids_field: &str, body: &E::Body) -> Result<Self>
    where
        E: Endpoint<Path = (), Query = DryRun, Answer = BulkOutcome>,
    {
        let value = serde_json::to_value(body).map_err(|error| Error::Setup(error.to_string()))?;
        let Value::Object(fields) = value else {
            return Err(Error::Setup(format!("The body of {} is no object.", E::OP.id)));
        };
        let mut body: BTreeMap<_, _> = fields.into_iter().collect();
        body.remove(ids_field);
        Ok(Self { endpoint: E::OP.id.into(), path: E::OP.path.into(), ids_field: ids_field.into(), body })
    }

    /// Sends it for some ids. A key makes it repeatable.
    pub(crate) async fn send(
        &self,
        client: &Client,
        ids: &[i64],
        key: Option<&str>,
        dry_run: DryRun,
    ) -> Result<BulkOutcome> {
        let mut body = self.body.clone();
        body.insert(self.ids_field.clone(), ids.into());
        let bytes = serde_json::to_vec(&body).map_err(|error| Error::Setup(error.to_string()))?;
        let mut request = Request::new("POST", self.path.clone())?.query(dry_run.pairs());
        request = request.body("application/json", bytes);
        if let Some(key) = key {
            request = request.idempotency_key(key);
        }
        decode(&request, &client.request(&request).await?.body)
    }
}
