//! Additional fields of `services`: English texts, labels and the quantity step, for calls with `texts`. Panels of this product
//! request and import them. Read-only.

use std::collections::BTreeMap;

use panel_contract::ids::ServiceId;
use panel_contract::order_requests::ResellerRequest;
use panel_kernel::error::Result;
use serde_json::{Map, Value, json};

use super::protocol;
use panel_domain::reseller_protocol::extended_texts::REQUEST_FIELD;
use panel_platform::db::{Sql, SqlExecutor};

/// Stored field and response field of each text. The fields that start with `meta_` go into the object `meta`.
const TEXT_FIELDS: [(&str, &str); 5] = [
    ("description", "desc"),
    ("short_description", "short_description"),
    ("reviews", "reviews"),
    ("meta_title", "title"),
    ("meta_description", "description"),
];

/// The additional fields of each service, or an empty map if the call does not request them. A missing text is omitted; the list of
/// labels is always present.
pub(super) async fn load_requested(
    db: &mut impl SqlExecutor,
    call: &ResellerRequest,
    ids: &[ServiceId],
) -> Result<BTreeMap<ServiceId, Map<String, Value>>> {
    let (name, value) = REQUEST_FIELD;
    if protocol::field(call, name) != value {
        return Ok(BTreeMap::new());
    }
    let labels = load_labels(db, ids).await?;
    let base_fields = |id: &ServiceId| {
        let labels = labels.get(id).map(Vec::as_slice).unwrap_or_default();
        (*id, Map::from_iter([("labels".to_owned(), json!(labels))]))
    };
    let mut fields_by_service: BTreeMap<ServiceId, Map<String, Value>> =
        ids.iter().map(base_fields).collect();
    for (service, field, text) in load_texts(db, ids).await? {
        let Some(fields) = fields_by_service.get_mut(&service) else { continue };
        let Some((_, name)) = TEXT_FIELDS.iter().find(|(stored_field, _)| *stored_field == field) else {
            continue;
        };
        if field.starts_with("meta_") {
            fields.entry("meta").or_insert_with(|| json!({}))[*name] = text.into();
        } else {
            fields.insert((*name).to_owned(), text.into());
        }
    }
    Ok(fields_by_service)
}

// Store

async fn load_texts(
    db: &mut impl SqlExecutor,
    ids: &[ServiceId],
) -> Result<Vec<(ServiceId, String, String)>> {
    let sql = Sql::new(
        "SELECT owner_id, field, value FROM translations WHERE owner_type = 'service' AND locale = 'en'
           AND field IN ('description', 'short_description', 'reviews', 'meta_title', 'meta_description') AND owner_id IN ",
    );
    Ok(db.fetch_all(sql.ids(ids)).await?)
}

async fn load_labels(
    db: &mut impl SqlExecutor,
    ids: &[ServiceId],
) -> Result<BTreeMap<ServiceId, Vec<String>>> {
    let sql = Sql::new(
        "SELECT x.service_id, l.name FROM service_labels x JOIN labels l ON l.id = x.label_id WHERE x.service_id IN ",
    );
    let rows: Vec<(ServiceId, String)> = db.fetch_all(sql.ids(ids).push(" ORDER BY l.name, l.id")).await?;
    let mut labels: BTreeMap<ServiceId, Vec<String>> = BTreeMap::new();
    for (service, name) in rows {
        labels.entry(service).or_default().push(name);
    }
    Ok(labels)
}
