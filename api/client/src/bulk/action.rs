//! The action of a bulk run: an endpoint and a body without the ids. Plain data, so that a journal can store it.

use std::collections::BTreeMap;

use panel_contract::amount::Money;
use panel_contract::common::{BulkOutcome, Data, DryRun, Skipped, UndoOffer};
use panel_contract::endpoint::{Endpoint, Query as _};
use panel_contract::external_services::ImportOutcome;
use panel_contract::ids::{Id, RecordId};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::bulk::report::ChunkOutcome;
use crate::call::decode;
use crate::client::Client;
use crate::error::{Error, Refused, Result};
use crate::request::Request;

/// An action on many records.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Action {
    /// Operation id of the endpoint, such as `cancel_orders`.
    pub endpoint: String,
    /// HTTP method; POST in journals of older versions, which lack it.
    #[serde(default = "post")]
    pub method: String,
    /// Path of the endpoint.
    pub path: String,
    /// Body field with the ids; empty if the path has one id per request.
    pub ids_field: String,
    /// The other fields of the body; sorted, so that a repeated request has the same bytes.
    pub body: BTreeMap<String, Value>,
    /// Additional body fields per id. The ids are strings, because JSON keys are.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub bodies: BTreeMap<String, BTreeMap<String, Value>>,
}

impl Action {
    /// The action of bulk endpoint `E`. The value of `ids_field` in `body` is ignored. Fails if `body` is not an object.
    pub fn of<E>(ids_field: &str, body: &E::Body) -> Result<Self>
    where
        E: Endpoint<Path = (), Query = DryRun, Answer = BulkOutcome>,
    {
        let value = serde_json::to_value(body).map_err(|error| Error::Setup(error.to_string()))?;
        let Value::Object(fields) = value else {
            return Err(Error::Setup(format!("The body of {} is not an object.", E::OP.id)));
        };
        let mut body: BTreeMap<_, _> = fields.into_iter().collect();
        body.remove(ids_field);
        Ok(Self {
            endpoint: E::OP.id.into(),
            method: E::OP.method.into(),
            path: E::OP.path.into(),
            ids_field: ids_field.into(),
            body,
            bodies: BTreeMap::new(),
        })
    }

    /// The action of endpoint `E` with one id in its path: one request per id.
    pub fn each<E>(body: &E::Body) -> Result<Self>
    where
        E: Endpoint<Path: Id, Query = DryRun>,
    {
        Ok(Self {
            endpoint: E::OP.id.into(),
            method: E::OP.method.into(),
            path: E::OP.path.into(),
            ids_field: String::new(),
            body: fields(body)?,
            bodies: BTreeMap::new(),
        })
    }

    /// Like [`Action::each`], with a separate body per id. An invalid body only skips its own id.
    pub fn each_its_own<E>(bodies: &[(RecordId, E::Body)]) -> Result<Self>
    where
        E: Endpoint<Path: Id, Query = DryRun>,
    {
        Self::of_bodies::<E>(bodies)
    }

    /// Like [`Action::each_its_own`], for new records: one request per record. The caller numbers them, for example by the
    /// lines of a file.
    pub fn new_ones<E>(bodies: &[(RecordId, E::Body)]) -> Result<Self>
    where
        E: Endpoint<Path = (), Query = DryRun>,
    {
        Self::of_bodies::<E>(bodies)
    }

    /// The action of import `E`, whose body has records with their ids under `records_field`. The panel imports all records of
    /// a request or none. If one is invalid, the others of its chunk are sent one by one.
    pub fn records<E>(
        records_field: &str,
        body: &E::Body,
        records: &[(RecordId, impl Serialize)],
    ) -> Result<Self>
    where
        E: Endpoint<Path = (), Query = DryRun, Answer = Data<ImportOutcome>>,
    {
        let mut shared = fields(body)?;
        shared.remove(records_field);
        let bodies = records.iter().map(|(id, record)| Ok((id.to_string(), fields(record)?)));
        Ok(Self {
            endpoint: E::OP.id.into(),
            method: E::OP.method.into(),
            path: E::OP.path.into(),
            ids_field: records_field.into(),
            body: shared,
            bodies: bodies.collect::<Result<_>>()?,
        })
    }

    fn of_bodies<E: Endpoint>(bodies: &[(RecordId, E::Body)]) -> Result<Self> {
        let bodies = bodies.iter().map(|(id, body)| Ok((id.to_string(), fields(body)?)));
        Ok(Self {
            endpoint: E::OP.id.into(),
            method: E::OP.method.into(),
            path: E::OP.path.into(),
            ids_field: String::new(),
            body: BTreeMap::new(),
            bodies: bodies.collect::<Result<_>>()?,
        })
    }

    /// Sends the action for some ids. With a key it can be repeated.
    pub(crate) async fn send(
        &self,
        client: &Client,
        ids: &[RecordId],
        key: Option<&str>,
        dry_run: DryRun,
    ) -> Result<ChunkOutcome> {
        if self.ids_field.is_empty() {
            return self.send_each(client, ids, key, dry_run).await;
        }
        if !self.bodies.is_empty() {
            return self.send_records(client, ids, key, dry_run).await;
        }
        let request = self.request_of(serde_json::json!(ids), key, dry_run)?;
        let outcome: BulkOutcome = decode(&request, &client.request(&request).await?.body)?;
        Ok(outcome.into())
    }

    /// The request for all ids, or all records, of a chunk.
    fn request_of(&self, ids: Value, key: Option<&str>, dry_run: DryRun) -> Result<Request> {
        let mut body = self.body.clone();
        body.insert(self.ids_field.clone(), ids);
        let bytes = serde_json::to_vec(&body).map_err(|error| Error::Setup(error.to_string()))?;
        let request = Request::new(&self.method, self.path.clone())?.query(dry_run.pairs());
        let request = request.body("application/json", bytes);
        Ok(match key {
            Some(key) => request.idempotency_key(key),
            None => request,
        })
    }

    /// Sends all records in one request. If some are invalid, they are skipped and the others are sent one by one, each under
    /// its own key, so that a resumed run gets the same result for each.
    async fn send_records(
        &self,
        client: &Client,
        ids: &[RecordId],
        key: Option<&str>,
        dry_run: DryRun,
    ) -> Result<ChunkOutcome> {
        let Some(skipped) = self.refused_records(client, ids, key, dry_run).await? else {
            return Ok(ChunkOutcome { processed: count(ids), ..ChunkOutcome::default() });
        };
        if dry_run.dry_run || ids.len() == 1 {
            let processed = count(ids) - i64::try_from(skipped.len()).unwrap_or_default();
            return Ok(ChunkOutcome { processed, skipped, ..ChunkOutcome::default() });
        }
        let mut outcome = ChunkOutcome::default();
        for id in ids {
            let key = key.map(|key| format!("{key}-{id}"));
            match self.refused_records(client, &[*id], key.as_deref(), dry_run).await? {
                None => outcome.processed += 1,
                Some(skipped) => outcome.skipped.extend(skipped),
            }
        }
        Ok(outcome)
    }

    /// Sends records. Returns those that the panel refuses, each with its reasons, or `None` if it accepted all.
    async fn refused_records(
        &self,
        client: &Client,
        ids: &[RecordId],
        key: Option<&str>,
        dry_run: DryRun,
    ) -> Result<Option<Vec<Skipped>>> {
        let record = |id: &RecordId| serde_json::json!(self.bodies.get(&id.to_string()));
        let request = self.request_of(ids.iter().map(record).collect(), key, dry_run)?;
        match client.request(&request).await {
            Ok(_) => Ok(None),
            Err(error) => match wrong_records(&error, &self.ids_field, ids) {
                wrong if wrong.is_empty() => Err(error),
                wrong => Ok(Some(wrong)),
            },
        }
    }

    /// Sends one request per id. A missing record, or one in another state, is skipped. Any other error ends the chunk, which
    /// can be sent again under the same key.
    async fn send_each(
        &self,
        client: &Client,
        ids: &[RecordId],
        key: Option<&str>,
        dry_run: DryRun,
    ) -> Result<ChunkOutcome> {
        let mut outcome = ChunkOutcome::default();
        for id in ids {
            let own = self.bodies.get(&id.to_string());
            let mut body = self.body.clone();
            body.extend(own.into_iter().flatten().map(|(name, value)| (name.clone(), value.clone())));
            let bytes = serde_json::to_vec(&body).map_err(|error| Error::Setup(error.to_string()))?;
            let path = self.path.replace("{id}", &id.to_string());
            let mut request = Request::new(&self.method, path)?.query(dry_run.pairs());
            request = request.body("application/json", bytes);
            if let Some(key) = key {
                request = request.idempotency_key(format!("{key}-{id}"));
            }
            match client.request(&request).await {
                Ok(answer) => {
                    outcome.add(ChunkOutcome::of_one(&decoded(&request, &answer.body)?));
                }
                Err(error) => match error.refused().filter(|refused| {
                    // A separate body may be invalid alone; a shared body would be invalid for the next id as well.
                    matches!(refused.status, 404 | 409) || (own.is_some() && refused.status == 422)
                }) {
                    Some(Refused { problem, .. }) => outcome.skipped.push(Skipped {
                        id: *id,
                        code: problem.code.clone(),
                        message: problem.message.clone(),
                    }),
                    None => return Err(error),
                },
            }
        }
        Ok(outcome)
    }
}

/// Reads the errors of single records from an error response, by their positions in the request: each id with its first field
/// and all of its messages. Empty if the error is not about the records.
fn wrong_records(error: &Error, records_field: &str, ids: &[RecordId]) -> Vec<Skipped> {
    let Some(refused) = error.refused().filter(|refused| refused.status == 422) else { return Vec::new() };
    let mut wrong: BTreeMap<usize, Skipped> = BTreeMap::new();
    for (name, messages) in &refused.problem.errors {
        let place = name.strip_prefix(records_field).and_then(|rest| rest.strip_prefix('.'));
        let (at, field) = place.map_or(("", ""), |place| place.split_once('.').unwrap_or((place, "id")));
        let Some((at, id)) = at.parse().ok().and_then(|at: usize| Some((at, *ids.get(at)?))) else {
            return Vec::new();
        };
        let message = messages.join(" ");
        wrong
            .entry(at)
            .and_modify(|skip| skip.message = format!("{} {message}", skip.message))
            .or_insert(Skipped { id, code: field.to_owned(), message });
    }
    wrong.into_values().collect()
}

fn count(ids: &[RecordId]) -> i64 {
    i64::try_from(ids.len()).unwrap_or(i64::MAX)
}

fn post() -> String {
    "POST".to_owned()
}

/// The fields of a body; sorted, so that a repeated request has the same bytes.
fn fields(body: &impl Serialize) -> Result<BTreeMap<String, Value>> {
    let value = serde_json::to_value(body).map_err(|error| Error::Setup(error.to_string()))?;
    Ok(value.as_object().into_iter().flatten().map(|(name, value)| (name.clone(), value.clone())).collect())
}

/// Parses the response for a single record; null if it has no body.
pub(crate) fn decoded(request: &Request, body: &[u8]) -> Result<Value> {
    if body.is_empty() { Ok(Value::Null) } else { decode(request, body) }
}

/// The offer to undo the request, from the response for a single record.
#[must_use]
pub fn offer_of(answer: &Value) -> Option<UndoOffer> {
    serde_json::from_value(answer.get("undo")?.clone()).ok()
}

/// The refunded amount in a response: of the action, or else of a record that is refunded once.
pub(crate) fn returned_in(answer: &Value) -> Money {
    money(answer.get("returned").or_else(|| answer.pointer("/data/returned")))
}

/// The amount that the action charged, from a response. Earlier charges of the record do not count.
pub(crate) fn charged_in(answer: &Value) -> Money {
    money(answer.get("charged"))
}

fn money(value: Option<&Value>) -> Money {
    value.and_then(Value::as_str).and_then(|text| text.parse().ok()).unwrap_or_default()
}
