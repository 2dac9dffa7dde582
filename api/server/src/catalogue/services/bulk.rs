//! Changes the boolean fields ("switches") of up to 10,000 services in one request. If one change is invalid, no service changes.
//! The fields of errors are named `services.N.field`.

use std::collections::BTreeMap;

use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::common::{AffectedIds, BulkOutcome, BulkTotals};
use panel_contract::endpoints::services::BulkUpdateServices;
use panel_contract::fields::FieldErrors;
use panel_contract::ids::ServiceId;
use panel_contract::services::BulkService;
use panel_kernel::error::Result;
use serde_json::json;

use crate::catalogue::services::switches::{
    SWITCH_COLUMN_NAMES, SWITCH_SELECT_LIST, SWITCH_SET_LIST, SwitchColumns,
};
use crate::context::Ctx;
use crate::http::Req;
use crate::records::changes::{self, RecordChange};
use panel_platform::db::{Sql, SqlExecutor as _, Val};
use panel_platform::work::UnitOfWork;

const MAX_SERVICES: usize = 10_000;

#[derive(Debug, Clone, sqlx::FromRow)]
struct LockedService {
    id: ServiceId,
    name: String,
    #[sqlx(flatten)]
    switches: SwitchColumns,
}

/// `PATCH services/bulk`.
pub async fn update(ctx: Ctx, req: Req<BulkUpdateServices>) -> Result<BulkOutcome> {
    let requested = &req.body.services;
    if requested.is_empty() || requested.len() > MAX_SERVICES {
        let message = format!("Send 1 to {MAX_SERVICES} services; the request has {}.", requested.len());
        return Err(FieldErrors::single("services", message).into());
    }
    let mut work = ctx.begin().await?;
    let ids: Vec<ServiceId> = requested.iter().map(|service| service.id).collect();
    let services_before = lock(&mut work, &ids).await?;
    let changed_switches = validate(requested, &services_before)?;
    write(&mut work, &changed_switches).await?;
    let record_changes = changed_switches.iter().filter_map(|(id, switches)| {
        let before = services_before.get(id)?;
        Some(RecordChange {
            id: (*id).as_record_id(),
            name: before.name.clone(),
            old: json!(before.switches),
            new: json!(switches),
        })
    });
    let record_changes = record_changes.collect();
    changes::record_all(&mut work, ChangeAction::Updated, ChangeModel::Service, record_changes).await?;
    let processed = i64::try_from(requested.len()).unwrap_or(i64::MAX);
    let (totals, dry_run) = (BulkTotals::default(), ctx.meta.dry_run);
    let affected_ids = AffectedIds::default();
    let skipped = Vec::new();
    work.finish(BulkOutcome { processed, skipped, totals, dry_run, undo: None, costs: None, affected_ids })
        .await
}

// Rules

/// Returns the new switches of the services that change. An input that sets no switch of a service is an error.
fn validate(
    requested: &[BulkService],
    services_before: &BTreeMap<ServiceId, LockedService>,
) -> Result<BTreeMap<ServiceId, SwitchColumns>, FieldErrors> {
    let mut errors = FieldErrors::default();
    let mut new_switches = BTreeMap::new();
    for (index, service) in requested.iter().enumerate() {
        let Some(current) = services_before.get(&service.id) else {
            errors.add(format!("services.{index}.id"), format!("There is no service {}.", service.id));
            continue;
        };
        let mut switches = current.switches;
        if !switches.apply_bulk(service) {
            errors.add(format!("services.{index}"), "Set at least one switch.");
        }
        if new_switches.insert(service.id, switches).is_some() {
            let message = format!("Service {} is in the list twice. Remove one of them.", service.id);
            errors.add(format!("services.{index}.id"), message);
        }
    }
    new_switches
        .retain(|id, switches| services_before.get(id).is_some_and(|current| current.switches != *switches));
    errors.into_result(new_switches)
}

// Store

async fn lock(work: &mut UnitOfWork, ids: &[ServiceId]) -> Result<BTreeMap<ServiceId, LockedService>> {
    let sql =
        Sql::new("SELECT ").push(SWITCH_SELECT_LIST).push("id, name FROM services WHERE id IN ").ids(ids);
    let locked: Vec<LockedService> = work.fetch_all(sql.push(" ORDER BY id").for_update()).await?;
    Ok(locked.into_iter().map(|service| (service.id, service)).collect())
}

async fn write(work: &mut UnitOfWork, changed: &BTreeMap<ServiceId, SwitchColumns>) -> Result<()> {
    if changed.is_empty() {
        return Ok(());
    }
    let now = work.timestamp();
    let columns: Vec<&'static str> = ["id"].into_iter().chain(SWITCH_COLUMN_NAMES.iter().copied()).collect();
    let to_row = |(id, switches): (&ServiceId, &SwitchColumns)| {
        [Val::from(*id)].into_iter().chain(switches.column_values()).collect::<Vec<_>>()
    };
    let sql = Sql::new("UPDATE services SET ").push(SWITCH_SET_LIST).push("updated_at = ? FROM ").bind(now);
    work.execute(
        sql.rows("r", &columns, changed.iter().map(to_row).collect()).push(" WHERE services.id = r.id"),
    )
    .await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_each_invalid_service_by_its_index() {
        let id = ServiceId::new(7);
        let current = LockedService { id, name: "Likes".to_owned(), switches: SwitchColumns::default() };
        let services_before = BTreeMap::from([(id, current)]);
        let service = |id, is_enabled| BulkService { is_enabled, ..BulkService::new(ServiceId::new(id)) };
        let requested = [service(7, Some(true)), service(9, Some(true)), service(7, None)];
        let errors = validate(&requested, &services_before).unwrap_err();
        assert_eq!(errors.0.keys().collect::<Vec<_>>(), ["services.1.id", "services.2", "services.2.id"]);
        let unchanged = validate(&[service(7, Some(false))], &services_before).unwrap();
        assert!(unchanged.is_empty(), "a service that already has the value must not be written");
        assert!(validate(&[service(7, Some(true))], &services_before).unwrap()[&id].is_enabled);
    }
}
