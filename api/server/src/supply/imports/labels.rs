//! Replaces the labels of services that sync labels from an external panel of the same product. Labels are identified by their
//! English names, and missing labels are created. A sync must neither attach nor detach the label for custom comments; only staff
//! may do that.

use std::collections::{BTreeMap, BTreeSet};

use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::ids::{LabelId, ServiceId};
use panel_kernel::error::Result;
use serde_json::json;

use super::compare::{FieldValue, SyncChange};
use crate::records::changes::{self, RecordChange};
use panel_platform::db::{Sql, SqlExecutor as _, Val};
use panel_platform::work::UnitOfWork;

/// Maximum number of labels up to which a sync creates new labels.
const MAX_LABELS: usize = 2_000;

// Store

/// Replaces the labels of the changed services. The caller must hold the locks of the services.
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
    let to_row = |service: ServiceId, name: &String| {
        labels.get(name).map(|label| -> Vec<Val> { vec![service.into(), (*label).into()] })
    };
    let rows: Vec<Vec<Val>> = new_labels
        .iter()
        .flat_map(|(service, names)| names.iter().filter_map(|name| to_row(*service, name)))
        .collect();
    if !rows.is_empty() {
        let sql = Sql::new(
            "INSERT INTO service_labels (service_id, label_id) SELECT r.service_id, r.label_id FROM ",
        );
        work.execute(sql.rows("r", &["service_id", "label_id"], rows)).await?;
    }
    let sql = Sql::new("UPDATE services SET updated_at = ? WHERE id IN ").bind(work.timestamp());
    work.execute(sql.ids(&services)).await?;
    Ok(())
}

/// Returns the labels with these English names, and creates missing labels up to `MAX_LABELS` labels in total. If two labels have
/// the same name, the older label is used.
async fn find_or_create_labels(
    work: &mut UnitOfWork,
    names: &BTreeSet<&str>,
) -> Result<BTreeMap<String, LabelId>> {
    if names.is_empty() {
        return Ok(BTreeMap::new());
    }
    let to_row = |name: &&str| -> Vec<Val> { vec![(*name).into()] };
    let sql = Sql::new("SELECT l.name, min(l.id) FROM labels l JOIN ");
    let sql = sql.rows("r", &["name"], names.iter().map(to_row).collect());
    let existing_labels: Vec<(String, LabelId)> = work
        .fetch_all(sql.push(" ON r.name = l.name WHERE NOT l.is_custom_comments GROUP BY l.name"))
        .await?;
    let mut labels: BTreeMap<String, LabelId> = existing_labels.into_iter().collect();
    let (label_count,): (i64,) = work.fetch_one(Sql::new("SELECT count(*) FROM labels")).await?;
    let max_new_count = MAX_LABELS.saturating_sub(usize::try_from(label_count).unwrap_or(MAX_LABELS));
    let missing_rows: Vec<Vec<Val>> =
        names.iter().filter(|name| !labels.contains_key(**name)).take(max_new_count).map(to_row).collect();
    if missing_rows.is_empty() {
        return Ok(labels);
    }
    let now = work.timestamp();
    let sql = Sql::new(
        "INSERT INTO labels (name, created_at, updated_at) SELECT r.name, CAST(? AS BIGINT), CAST(? AS BIGINT) FROM ",
    );
    let sql = sql.bind(now).bind(now).rows("r", &["name"], missing_rows);
    let created_labels: Vec<(String, LabelId)> = work.fetch_all(sql.push(" RETURNING name, id")).await?;
    let sql = Sql::new(
        "INSERT INTO translations (owner_type, owner_id, locale, field, value) SELECT 'label', r.id, 'en', 'name', r.name FROM ",
    );
    let rows = created_labels
        .iter()
        .map(|(name, id)| -> Vec<Val> { vec![(*id).into(), (&**name).into()] })
        .collect();
    work.execute(sql.rows("r", &["id", "name"], rows)).await?;
    let record_changes = created_labels.iter().map(|(name, id)| RecordChange {
        id: id.as_record_id(),
        name: name.clone(),
        old: json!({}),
        new: json!({ "name": name }),
    });
    changes::record_all(work, ChangeAction::Created, ChangeModel::Label, record_changes.collect()).await?;
    labels.extend(created_labels);
    Ok(labels)
}
