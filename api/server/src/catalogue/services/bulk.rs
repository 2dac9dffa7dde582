//! Switches of up to ten thousand services at once: all of them or none, errors named `services.N.field`.

use std::collections::BTreeMap;

use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::common::{BulkOutcome, BulkReach, BulkTotals};
use panel_contract::endpoints::services::BulkUpdateServices;
use panel_contract::fields::FieldErrors;
use panel_contract::ids::ServiceId;
use panel_contract::services::BulkService;
use panel_kernel::error::Result;
use serde_json::json;

use crate::catalogue::services::draft::{SWITCH_NAMES, SWITCHES, SWITCHES_FROM_ROWS, Switches};
use crate::context::Ctx;
use crate::http::Req;
use crate::records::changes::{self, RecordChange};
use panel_platform::db::{Source as _, Sql, Val};
use panel_platform::work::UnitOfWork;

/// Most services of one call.
const MOST: usize = 10_000;

/// A service before the change.
#[derive(Debug, Clone, sqlx::FromRow)]
struct Before {
    id: ServiceId,
    name: String,
    #[sqlx(flatten)]
    switches: Switches,
}

/// `PATCH services/bulk`.
pub async fn update(ctx: Ctx, req: Req<BulkUpdateServices>) -> Result<BulkOutcome> {
    let wanted = &req.body.services;
    if wanted.is_empty() || wanted.len() > MOST {
        let message = format!("Give 1 to {MOST} services; there are {}.", wanted.len());
        return Err(FieldErrors::one("services", message).into());
    }
    let mut work = ctx.begin().await?;
    let ids: Vec<ServiceId> = wanted.iter().map(|service| service.id).collect();
    let before = lock(&mut work, &ids).await?;
    let changed = judge(wanted, &before)?;
    write(&mut work, &changed).await?;
    let record_changes = changed.iter().filter_map(|(id, after)| {
        let before = before.get(id)?;
        Some(RecordChange {
            id: (*id).record(),
            name: before.name.clone(),
            old: json!(before.switches),
            new: json!(after),
        })
    });
    let record_changes = record_changes.collect();
    changes::record_all(&mut work, ChangeAction::Updated, ChangeModel::Service, record_changes).await?;
    let processed = i64::try_from(wanted.len()).unwrap_or(i64::MAX);
    let (totals, dry_run) = (BulkTotals::default(), ctx.meta.dry_run);
    let reach = BulkReach::default();
    let skipped = Vec::new();
    work.finish(BulkOutcome { processed, skipped, totals, dry_run, undo: None, costs: None, reach }).await
}

// Rules

/// The switches of those that change; what is wrong with a service is named by its place in the list.
fn judge(
    wanted: &[BulkService],
    before: &BTreeMap<ServiceId, Before>,
) -> Result<BTreeMap<ServiceId, Switches>, FieldErrors> {
    let mut errors = FieldErrors::default();
    let mut after = BTreeMap::new();
    for (at, service) in wanted.iter().enumerate() {
        let Some(known) = before.get(&service.id) else {
            errors.add(format!("services.{at}.id"), format!("There is no service {}.", service.id));
            continue;
        };
        let mut switches = known.switches;
        if !switches.with_bulk(service) {
            errors.add(format!("services.{at}"), "Name at least one switch that changes.");
        }
        if after.insert(service.id, switches).is_some() {
            let message = format!("Service {} stands in the list twice; name it once.", service.id);
            errors.add(format!("services.{at}.id"), message);
        }
    }
    after.retain(|id, switches| before.get(id).is_some_and(|known| known.switches != *switches));
    errors.or(after)
}

// Store

async fn lock(work: &mut UnitOfWork, ids: &[ServiceId]) -> Result<BTreeMap<ServiceId, Before>> {
    let sql = Sql::new("SELECT ").push(SWITCHES).push("id, name FROM services WHERE id IN ").ids(ids);
    let locked: Vec<Before> = work.all(sql.push(" ORDER BY id").for_update()).await?;
    Ok(locked.into_iter().map(|service| (service.id, service)).collect())
}

async fn write(work: &mut UnitOfWork, changed: &BTreeMap<ServiceId, Switches>) -> Result<()> {
    if changed.is_empty() {
        return Ok(());
    }
    let now = work.stamp();
    let columns: Vec<&'static str> = ["id"].into_iter().chain(SWITCH_NAMES.iter().copied()).collect();
    let row = |(id, switches): (&ServiceId, &Switches)| {
        [Val::from(*id)].into_iter().chain(switches.values()).collect::<Vec<_>>()
    };
    let sql =
        Sql::new("UPDATE services SET ").push(SWITCHES_FROM_ROWS).push("updated_at = ? FROM ").bind(now);
    work.exec(sql.rows("r", &columns, changed.iter().map(row).collect()).push(" WHERE services.id = r.id"))
        .await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_wrong_service_is_named_by_its_place() {
        let known = Before { id: ServiceId::new(7), name: "Likes".to_owned(), switches: Switches::default() };
        let before = BTreeMap::from([(ServiceId::new(7), known)]);
        let one = |id, is_enabled| BulkService { is_enabled, ..BulkService::new(ServiceId::new(id)) };
        let wanted = [one(7, Some(true)), one(9, Some(true)), one(7, None)];
        let errors = judge(&wanted, &before).unwrap_err();
        assert_eq!(errors.0.keys().collect::<Vec<_>>(), ["services.1.id", "services.2", "services.2.id"]);
        assert!(judge(&[one(7, Some(false))], &before).unwrap().is_empty(), "what is so already stays");
        assert!(judge(&[one(7, Some(true))], &before).unwrap()[&ServiceId::new(7)].is_enabled);
    }
}
