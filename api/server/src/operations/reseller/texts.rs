//! What `services` says of a service beside the API of this field: English texts and labels, for those who ask by `texts`,
//! who are told the quantity step as well. Panels of this product ask for them and follow them. It writes nothing.

use std::collections::BTreeMap;

use panel_contract::ids::ServiceId;
use panel_contract::intake::ResellerCall;
use panel_kernel::error::Result;
use serde_json::{Map, Value, json};

use super::words;
use panel_domain::reseller_protocol::own_texts::ASKED_BY;
use panel_platform::db::{Source, Sql};

/// The texts, as they are stored and as they are told; those of `meta` stand in an object of their own.
const TOLD: [(&str, &str); 5] = [
    ("description", "desc"),
    ("short_description", "short_description"),
    ("reviews", "reviews"),
    ("meta_title", "title"),
    ("meta_description", "description"),
];

/// The fields of each service, where the call asks for them; a text that a service does not have is left out, the list of
/// labels never is.
pub(super) async fn asked(
    db: &mut impl Source,
    call: &ResellerCall,
    ids: &[ServiceId],
) -> Result<BTreeMap<ServiceId, Map<String, Value>>> {
    let (name, value) = ASKED_BY;
    if words::field(call, name) != value {
        return Ok(BTreeMap::new());
    }
    let labels = labels(db, ids).await?;
    let of = |id: &ServiceId| {
        let labels = labels.get(id).map(Vec::as_slice).unwrap_or_default();
        (*id, Map::from_iter([("labels".to_owned(), json!(labels))]))
    };
    let mut told: BTreeMap<ServiceId, Map<String, Value>> = ids.iter().map(of).collect();
    for (service, field, text) in texts(db, ids).await? {
        let Some(fields) = told.get_mut(&service) else { continue };
        let Some((_, name)) = TOLD.iter().find(|(stored, _)| *stored == field) else { continue };
        if field.starts_with("meta_") {
            fields.entry("meta").or_insert_with(|| json!({}))[*name] = text.into();
        } else {
            fields.insert((*name).to_owned(), text.into());
        }
    }
    Ok(told)
}

// Store

async fn texts(db: &mut impl Source, ids: &[ServiceId]) -> Result<Vec<(ServiceId, String, String)>> {
    let sql = Sql::new(
        "SELECT owner_id, field, value FROM translations WHERE owner_type = 'service' AND locale = 'en'
           AND field IN ('description', 'short_description', 'reviews', 'meta_title', 'meta_description') AND owner_id IN ",
    );
    Ok(db.all(sql.ids(ids)).await?)
}

async fn labels(db: &mut impl Source, ids: &[ServiceId]) -> Result<BTreeMap<ServiceId, Vec<String>>> {
    let sql = Sql::new(
        "SELECT x.service_id, l.name FROM service_labels x JOIN labels l ON l.id = x.label_id WHERE x.service_id IN ",
    );
    let rows: Vec<(ServiceId, String)> = db.all(sql.ids(ids).push(" ORDER BY l.name, l.id")).await?;
    let mut labels: BTreeMap<ServiceId, Vec<String>> = BTreeMap::new();
    for (service, name) in rows {
        labels.entry(service).or_default().push(name);
    }
    Ok(labels)
}
