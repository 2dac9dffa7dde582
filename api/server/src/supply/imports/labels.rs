//! Labels of services that follow a panel of this product: attached by their English names, made where there are none. The
//! label that makes a service take comments is for staff only: a panel neither gives nor takes it.

use std::collections::{BTreeMap, BTreeSet};

use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::ids::{LabelId, ServiceId};
use panel_kernel::error::Result;
use serde_json::json;

use super::judge::{Change, FieldValue};
use crate::records::changes::{self, RecordChange};
use panel_platform::db::{Source as _, Sql, Val};
use panel_platform::work::UnitOfWork;

/// Most labels that there can be for panels to add more.
const MOST: usize = 2_000;

// Store

/// Replaces the labels of services, which are locked, by the new names of their changes.
pub(super) async fn attach(work: &mut UnitOfWork, changes: &[&Change]) -> Result<()> {
    let wanted: Vec<(ServiceId, &[String])> = changes
        .iter()
        .filter_map(|change| match (&change.new, change.service) {
            (FieldValue::Names(names), Some(service)) => Some((service, names.as_slice())),
            _ => None,
        })
        .collect();
    let names: BTreeSet<&str> =
        wanted.iter().flat_map(|(_, names)| names.iter().map(String::as_str)).collect();
    let labels = ensure(work, &names).await?;
    let services: Vec<ServiceId> = wanted.iter().map(|(service, _)| *service).collect();
    let sql = Sql::new(
        "DELETE FROM service_labels WHERE label_id NOT IN (SELECT id FROM labels WHERE is_custom_comments) AND service_id IN ",
    );
    work.exec(sql.ids(&services)).await?;
    let row = |service: ServiceId, name: &String| {
        labels.get(name).map(|label| -> Vec<Val> { vec![service.into(), (*label).into()] })
    };
    let rows: Vec<Vec<Val>> = wanted
        .iter()
        .flat_map(|(service, names)| names.iter().filter_map(|name| row(*service, name)))
        .collect();
    if !rows.is_empty() {
        let sql =
            Sql::new("INSERT INTO service_labels (service_id, label_id) SELECT r.service, r.label FROM ");
        work.exec(sql.rows("r", &["service", "label"], rows)).await?;
    }
    let sql = Sql::new("UPDATE services SET updated_at = ? WHERE id IN ").bind(work.stamp());
    work.exec(sql.ids(&services)).await?;
    Ok(())
}

/// The labels of these English names; those that there are not yet are made, while there are not too many. Of two labels of
/// one name the older counts.
async fn ensure(work: &mut UnitOfWork, names: &BTreeSet<&str>) -> Result<BTreeMap<String, LabelId>> {
    if names.is_empty() {
        return Ok(BTreeMap::new());
    }
    let row = |name: &&str| -> Vec<Val> { vec![(*name).into()] };
    let sql = Sql::new("SELECT l.name, min(l.id) FROM labels l JOIN ");
    let sql = sql.rows("r", &["name"], names.iter().map(row).collect());
    let known: Vec<(String, LabelId)> =
        work.all(sql.push(" ON r.name = l.name WHERE NOT l.is_custom_comments GROUP BY l.name")).await?;
    let mut labels: BTreeMap<String, LabelId> = known.into_iter().collect();
    let (all,): (i64,) = work.one(Sql::new("SELECT count(*) FROM labels")).await?;
    let room = MOST.saturating_sub(usize::try_from(all).unwrap_or(MOST));
    let missing: Vec<Vec<Val>> =
        names.iter().filter(|name| !labels.contains_key(**name)).take(room).map(row).collect();
    if missing.is_empty() {
        return Ok(labels);
    }
    let now = work.stamp();
    let sql = Sql::new(
        "INSERT INTO labels (name, created_at, updated_at) SELECT r.name, CAST(? AS BIGINT), CAST(? AS BIGINT) FROM ",
    );
    let sql = sql.bind(now).bind(now).rows("r", &["name"], missing);
    let made: Vec<(String, LabelId)> = work.all(sql.push(" RETURNING name, id")).await?;
    let sql = Sql::new(
        "INSERT INTO translations (owner_type, owner_id, locale, field, value) SELECT 'label', r.id, 'en', 'name', r.name FROM ",
    );
    let rows = made.iter().map(|(name, id)| -> Vec<Val> { vec![(*id).into(), (&**name).into()] }).collect();
    work.exec(sql.rows("r", &["id", "name"], rows)).await?;
    let record_changes = made.iter().map(|(name, id)| RecordChange {
        id: id.record(),
        name: name.clone(),
        old: json!({}),
        new: json!({ "name": name }),
    });
    changes::record_all(work, ChangeAction::Created, ChangeModel::Label, record_changes.collect()).await?;
    labels.extend(made);
    Ok(labels)
}
