//! Replaces the labels of services that sync them from a panel of this product. Labels are found by their English names and created
//! if missing. A sync neither attaches nor detaches the label that makes a service ask for comments; only staff do.

use std::collections::{BTreeMap, BTreeSet};

use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::ids::{LabelId, ServiceId};
use panel_kernel::error::Result;
use serde_json::json;

use super::compare::{FieldValue, SyncChange};
use crate::records::changes::{self, RecordChange};
use panel_platform::db::{Source as _, Sql, Val};
use panel_platform::work::UnitOfWork;

/// A sync creates no label if there are this many.
const MAX_LABELS: usize = 2_000;

// Store

/// Replaces the labels of the changed services. The caller holds the locks of the services.
pub(super) async fn replace_labels(work: &mut UnitOfWork, changes: &[&SyncChange]) -> Result<()> {
    let new_labels: Vec<(ServiceId, &[String])> = changes
        .iter()
        .filter_map(|change| match (&change.new, change.service) {
            (FieldValue::Labels(names), Some(service)) => Some((service, names.as_slice())),
            _ => None,
        })
        .collect();
    let names: BTreeSet<&str> =
        new_labels.iter().flat_map(|(_, names)| names.iter().map(String::as_str)).collect();
    let labels = find_or_create_labels(work, &names).await?;
    let services: Vec<ServiceId> = new_labels.iter().map(|(service, _)| *service).collect();
    let sql = Sql::new(
        "DELETE FROM service_labels WHERE label_id NOT IN (SELECT id FROM labels WHERE is_custom_comments) AND service_id IN ",
    );
    work.execute(sql.ids(&services)).await?;
    let row = |service: ServiceId, name: &String| {
        labels.get(name).map(|label| -> Vec<Val> { vec![service.into(), (*label).into()] })
    };
    let rows: Vec<Vec<Val>> = new_labels
        .iter()
        .flat_map(|(service, names)| names.iter().filter_map(|name| row(*service, name)))
        .collect();
    if !rows.is_empty() {
        let sql =
            Sql::new("INSERT INTO service_labels (service_id, label_id) SELECT r.service, r.label FROM ");
        work.execute(sql.rows("r", &["service", "label"], rows)).await?;
    }
    let sql = Sql::new("UPDATE services SET updated_at = ? WHERE id IN ").bind(work.timestamp());
    work.execute(sql.ids(&services)).await?;
    Ok(())
}

/// The labels with these English names. Missing ones are created, up to `MAX_LABELS` labels in total. If two labels have the same
/// name, the older one is used.
async fn find_or_create_labels(
    work: &mut UnitOfWork,
    names: &BTreeSet<&str>,
) -> Result<BTreeMap<String, LabelId>> {
    if names.is_empty() {
        return Ok(BTreeMap::new());
    }
    let row = |name: &&str| -> Vec<Val> { vec![(*name).into()] };
    let sql = Sql::new("SELECT l.name, min(l.id) FROM labels l JOIN ");
    let sql = sql.rows("r", &["name"], names.iter().map(row).collect());
    let existing: Vec<(String, LabelId)> = work
        .fetch_all(sql.push(" ON r.name = l.name WHERE NOT l.is_custom_comments GROUP BY l.name"))
        .await?;
    let mut labels: BTreeMap<String, LabelId> = existing.into_iter().collect();
    let (total,): (i64,) = work.fetch_one(Sql::new("SELECT count(*) FROM labels")).await?;
    let max_new = MAX_LABELS.saturating_sub(usize::try_from(total).unwrap_or(MAX_LABELS));
    let missing: Vec<Vec<Val>> =
        names.iter().filter(|name| !labels.contains_key(**name)).take(max_new).map(row).collect();
    if missing.is_empty() {
        return Ok(labels);
    }
    let now = work.timestamp();
    let sql = Sql::new(
        "INSERT INTO labels (name, created_at, updated_at) SELECT r.name, CAST(? AS BIGINT), CAST(? AS BIGINT) FROM ",
    );
    let sql = sql.bind(now).bind(now).rows("r", &["name"], missing);
    let created: Vec<(String, LabelId)> = work.fetch_all(sql.push(" RETURNING name, id")).await?;
    let sql = Sql::new(
        "INSERT INTO translations (owner_type, owner_id, locale, field, value) SELECT 'label', r.id, 'en', 'name', r.name FROM ",
    );
    let rows =
        created.iter().map(|(name, id)| -> Vec<Val> { vec![(*id).into(), (&**name).into()] }).collect();
    work.execute(sql.rows("r", &["id", "name"], rows)).await?;
    let record_changes = created.iter().map(|(name, id)| RecordChange {
        id: id.as_record_id(),
        name: name.clone(),
        old: json!({}),
        new: json!({ "name": name }),
    });
    changes::record_all(work, ChangeAction::Created, ChangeModel::Label, record_changes.collect()).await?;
    labels.extend(created);
    Ok(labels)
}
