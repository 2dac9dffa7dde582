//! The action of a bulk run: an endpoint and a body without the ids. It is plain data, so that a journal can store it.

use std::collections::BTreeMap;

use panel_contract::amount::Money;
use panel_contract::common::{BulkOutcome, Data, DryRun, SkippedRecord, UndoOffer};
use panel_contract::endpoint::{Endpoint, Query as _};
use panel_contract::external_services::ImportOutcome;
use panel_contract::ids::{Id, RecordId};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::bulk::report::ChunkOutcome;
use crate::call::decode;
use crate::client::Client;
use crate::error::{ApiError, Error, Result};
use crate::request::Request;

/// An action on many records: a call of an endpoint, which the run sends for each chunk of ids.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BulkAction {
    /// Operation id of the endpoint, such as `cancel_orders`.
    pub endpoint: String,
    /// HTTP method; POST in journals of older versions, which lack it.
    #[serde(default = "default_method")]
    pub method: String,
    /// Path of the endpoint, with the placeholder `{id}` if each request is for one id.
    pub path: String,
    /// Name of the body field with the ids or records; empty if each request is for one id.
    pub ids_field: String,
    /// Fields of the body that are the same for all ids. They are sorted, so that a repeated request has the same bytes.
    #[serde(rename = "body")]
    pub common_fields: BTreeMap<String, Value>,
    /// Additional fields of the body by id. The ids are strings, because JSON keys are strings.
    #[serde(rename = "bodies", default, skip_serializing_if = "BTreeMap::is_empty")]
    pub fields_by_id: BTreeMap<String, BTreeMap<String, Value>>,
}

impl BulkAction {
    /// The action of bulk endpoint `E`, which takes many ids in the body field `ids_field`. The value of that field in `body` is
    /// ignored. Fails if `body` is not a JSON object.
    pub fn bulk<E>(ids_field: &str, body: &E::Body) -> Result<Self>
    where
        E: Endpoint<Path = (), Query = DryRun, Response = BulkOutcome>,
    {
        let value = serde_json::to_value(body).map_err(|error| Error::Setup(error.to_string()))?;
        let Value::Object(fields) = value else {
            return Err(Error::Setup(format!("The body of {} is not an object.", E::OP.id)));
        };
        let mut common_fields: BTreeMap<_, _> = fields.into_iter().collect();
        common_fields.remove(ids_field);
        Ok(Self {
            endpoint: E::OP.id.into(),
            method: E::OP.method.into(),
            path: E::OP.path.into(),
            ids_field: ids_field.into(),
            common_fields,
            fields_by_id: BTreeMap::new(),
        })
    }

    /// The action of endpoint `E` with one id in its path: the run sends one request with `body` per id.
    pub fn per_id<E>(body: &E::Body) -> Result<Self>
    where
        E: Endpoint<Path: Id, Query = DryRun>,
    {
        Ok(Self {
            endpoint: E::OP.id.into(),
            method: E::OP.method.into(),
            path: E::OP.path.into(),
            ids_field: String::new(),
            common_fields: serialize_fields(body)?,
            fields_by_id: BTreeMap::new(),
        })
    }

    /// Like [`BulkAction::per_id`], with a separate body per id. The run skips an id whose body is invalid.
    pub fn per_id_with_bodies<E>(bodies: &[(RecordId, E::Body)]) -> Result<Self>
    where
        E: Endpoint<Path: Id, Query = DryRun>,
    {
        Self::from_bodies::<E>(bodies)
    }

    /// Like [`BulkAction::per_id_with_bodies`], for an endpoint that creates a record. The caller numbers the new records, for
    /// example by the lines of a file.
    pub fn per_new_record<E>(bodies: &[(RecordId, E::Body)]) -> Result<Self>
    where
        E: Endpoint<Path = (), Query = DryRun>,
    {
        Self::from_bodies::<E>(bodies)
    }

    /// The action of import endpoint `E`, whose body has a list of records in the field `records_field`. The panel imports all
    /// records of a request or none. If a record of a chunk is invalid, the run sends the records of that chunk one by one.
    pub fn import<E>(
        records_field: &str,
        body: &E::Body,
        records: &[(RecordId, impl Serialize)],
    ) -> Result<Self>
    where
        E: Endpoint<Path = (), Query = DryRun, Response = Data<ImportOutcome>>,
    {
        let mut common_fields = serialize_fields(body)?;
        common_fields.remove(records_field);
        let fields_by_id = records.iter().map(|(id, record)| Ok((id.to_string(), serialize_fields(record)?)));
        Ok(Self {
            endpoint: E::OP.id.into(),
            method: E::OP.method.into(),
            path: E::OP.path.into(),
            ids_field: records_field.into(),
            common_fields,
            fields_by_id: fields_by_id.collect::<Result<_>>()?,
        })
    }

    fn from_bodies<E: Endpoint>(bodies: &[(RecordId, E::Body)]) -> Result<Self> {
        let fields_by_id = bodies.iter().map(|(id, body)| Ok((id.to_string(), serialize_fields(body)?)));
        Ok(Self {
            endpoint: E::OP.id.into(),
            method: E::OP.method.into(),
            path: E::OP.path.into(),
            ids_field: String::new(),
            common_fields: BTreeMap::new(),
            fields_by_id: fields_by_id.collect::<Result<_>>()?,
        })
    }

    /// Sends the action for the ids of one chunk. With an idempotency key the same chunk can be sent again.
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
        if !self.fields_by_id.is_empty() {
            return self.send_records(client, ids, key, dry_run).await;
        }
        let request = self.bulk_request(serde_json::json!(ids), key, dry_run)?;
        let outcome: BulkOutcome = decode(&request, &client.request(&request).await?.body)?;
        Ok(outcome.into())
    }

    /// The request for all ids, or all records, of a chunk.
    fn bulk_request(&self, ids: Value, key: Option<&str>, dry_run: DryRun) -> Result<Request> {
        let mut body = self.common_fields.clone();
        body.insert(self.ids_field.clone(), ids);
        let bytes = serde_json::to_vec(&body).map_err(|error| Error::Setup(error.to_string()))?;
        let request = Request::new(&self.method, self.path.clone())?.query(dry_run.to_pairs());
        let request = request.body("application/json", bytes);
        Ok(match key {
            Some(key) => request.idempotency_key(key),
            None => request,
        })
    }

    /// Sends all records in one request. If some are invalid, sends each record in a separate request and skips the invalid ones.
    /// Each of these requests has its own key, so that a resumed run gets the same result.
    async fn send_records(
        &self,
        client: &Client,
        ids: &[RecordId],
        key: Option<&str>,
        dry_run: DryRun,
    ) -> Result<ChunkOutcome> {
        let Some(skipped) = self.find_invalid_records(client, ids, key, dry_run).await? else {
            return Ok(ChunkOutcome { processed: id_count(ids), ..ChunkOutcome::default() });
        };
        if dry_run.dry_run || ids.len() == 1 {
            let processed = id_count(ids) - i64::try_from(skipped.len()).unwrap_or_default();
            return Ok(ChunkOutcome { processed, skipped, ..ChunkOutcome::default() });
        }
        let mut outcome = ChunkOutcome::default();
        for id in ids {
            let key = key.map(|key| format!("{key}-{id}"));
            match self.find_invalid_records(client, &[*id], key.as_deref(), dry_run).await? {
                None => outcome.processed += 1,
                Some(skipped) => outcome.skipped.extend(skipped),
            }
        }
        Ok(outcome)
    }

    /// Sends records in one request. Returns the invalid ones with their errors, or `None` if the panel accepted all.
    async fn find_invalid_records(
        &self,
        client: &Client,
        ids: &[RecordId],
        key: Option<&str>,
        dry_run: DryRun,
    ) -> Result<Option<Vec<SkippedRecord>>> {
        let to_record = |id: &RecordId| serde_json::json!(self.fields_by_id.get(&id.to_string()));
        let request = self.bulk_request(ids.iter().map(to_record).collect(), key, dry_run)?;
        match client.request(&request).await {
            Ok(_) => Ok(None),
            Err(error) => match parse_record_errors(&error, &self.ids_field, ids) {
                invalid_records if invalid_records.is_empty() => Err(error),
                invalid_records => Ok(Some(invalid_records)),
            },
        }
    }

    /// Sends one request per id. Skips a record that is missing or in another state. Any other error ends the chunk, which can be
    /// sent again with the same key.
    async fn send_each(
        &self,
        client: &Client,
        ids: &[RecordId],
        key: Option<&str>,
        dry_run: DryRun,
    ) -> Result<ChunkOutcome> {
        let mut outcome = ChunkOutcome::default();
        for id in ids {
            let separate_fields = self.fields_by_id.get(&id.to_string());
            let mut body = self.common_fields.clone();
            body.extend(
                separate_fields.into_iter().flatten().map(|(name, value)| (name.clone(), value.clone())),
            );
            let bytes = serde_json::to_vec(&body).map_err(|error| Error::Setup(error.to_string()))?;
            let path = self.path.replace("{id}", &id.to_string());
            let mut request = Request::new(&self.method, path)?.query(dry_run.to_pairs());
            request = request.body("application/json", bytes);
            if let Some(key) = key {
                request = request.idempotency_key(format!("{key}-{id}"));
            }
            match client.request(&request).await {
                Ok(response) => {
                    outcome.merge(ChunkOutcome::from_single(&decode_or_null(&request, &response.body)?));
                }
                Err(error) => match error.api_error().filter(|api_error| {
                    // A separate body may be the only invalid one. A common body would be invalid for the next id as well.
                    matches!(api_error.status, 404 | 409)
                        || (separate_fields.is_some() && api_error.status == 422)
                }) {
                    Some(ApiError { problem, .. }) => outcome.skipped.push(SkippedRecord {
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

/// Parses an error response that names the invalid records of a request by their positions. Returns each record with its first
/// invalid field as the code and all of its messages; empty if the error does not concern the records.
fn parse_record_errors(error: &Error, records_field: &str, ids: &[RecordId]) -> Vec<SkippedRecord> {
    let Some(api_error) = error.api_error().filter(|api_error| api_error.status == 422) else {
        return Vec::new();
    };
    let mut invalid_records: BTreeMap<usize, SkippedRecord> = BTreeMap::new();
    for (name, messages) in &api_error.problem.errors {
        let element_path = name.strip_prefix(records_field).and_then(|rest| rest.strip_prefix('.'));
        let (index, field) =
            element_path.map_or(("", ""), |path| path.split_once('.').unwrap_or((path, "id")));
        let index = index.parse().ok();
        let Some((index, id)) = index.and_then(|index: usize| Some((index, *ids.get(index)?))) else {
            return Vec::new();
        };
        let message = messages.join(" ");
        invalid_records
            .entry(index)
            .and_modify(|record| record.message = format!("{} {message}", record.message))
            .or_insert(SkippedRecord { id, code: field.to_owned(), message });
    }
    invalid_records.into_values().collect()
}

fn id_count(ids: &[RecordId]) -> i64 {
    i64::try_from(ids.len()).unwrap_or(i64::MAX)
}

fn default_method() -> String {
    "POST".to_owned()
}

/// The fields of a body, sorted so that a repeated request has the same bytes.
fn serialize_fields(body: &impl Serialize) -> Result<BTreeMap<String, Value>> {
    let value = serde_json::to_value(body).map_err(|error| Error::Setup(error.to_string()))?;
    Ok(value.as_object().into_iter().flatten().map(|(name, value)| (name.clone(), value.clone())).collect())
}

/// Parses the response for a single record; null if it has no body.
pub(crate) fn decode_or_null(request: &Request, body: &[u8]) -> Result<Value> {
    if body.is_empty() { Ok(Value::Null) } else { decode(request, body) }
}

/// Parses the offer to undo the request in a response for a single record; `None` if the request cannot be undone.
#[must_use]
pub fn parse_undo_offer(response: &Value) -> Option<UndoOffer> {
    serde_json::from_value(response.get("undo")?.clone()).ok()
}

/// Parses the refunded amount in a response: the amount that the action refunded, or else the amount of the record, for actions
/// that can refund a record only once.
pub(crate) fn parse_refunded_amount(response: &Value) -> Money {
    parse_money(response.get("refunded").or_else(|| response.pointer("/data/refunded")))
}

/// Parses the amount in a response that the action charged, without earlier charges of the record.
pub(crate) fn parse_charged_amount(response: &Value) -> Money {
    parse_money(response.get("charged"))
}

fn parse_money(value: Option<&Value>) -> Money {
    value.and_then(Value::as_str).and_then(|text| text.parse().ok()).unwrap_or_default()
}
