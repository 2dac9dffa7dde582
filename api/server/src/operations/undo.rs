//! Undo: restores the records that a request changed, unless something else changed them since. The actions record the previous
//! state (`audit::restore`); each resource declares what can be undone and handles the consequences.

use std::collections::{BTreeMap, HashMap};

use panel_contract::audits::UndoInput;
use panel_contract::common::{BulkOutcome, BulkReach, BulkTotals, Skipped};
use panel_contract::endpoints::audits::Undo;
use panel_contract::ids::{AuditId, RecordId, ServiceId};
use panel_contract::permission::Permission;
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::Rejection;

use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::marketing::discounts;
use crate::operations::{orders, users};
use crate::pricing::available;
use crate::pricing::least_margin;
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::audit::restore::{self, Snapshot, State, Undoable, Undone};
use panel_platform::work::UnitOfWork;

/// Largest number of records of one request, as in any bulk action.
const MAX_RECORDS: i64 = 10_000;

// Routes

/// Adds `POST undo`.
pub fn routes(api: Api) -> Api {
    api.on::<Undo, _, _, _>(undo)
}

async fn undo(ctx: Ctx, req: Req<Undo>) -> Result<BulkOutcome> {
    let UndoInput { request_id } = &req.body;
    let mut work = ctx.begin().await?;
    let recorded = restore::recorded(&mut work, request_id, MAX_RECORDS).await?;
    check(&recorded, |permission| ctx.may(permission))?;
    let mut kinds: BTreeMap<&str, Vec<&Undone>> = BTreeMap::new();
    for one in &recorded {
        kinds.entry(&one.kind).or_default().push(one);
    }
    let (mut processed, mut totals, mut skipped) = (0, BulkTotals::default(), Vec::new());
    for (kind, recorded) in kinds {
        let Some(undoable) = undoable(kind) else { continue };
        let (undone, refused) = restore_kind(&mut work, undoable, &recorded).await?;
        let undone = i64::try_from(undone).unwrap_or(i64::MAX);
        processed += undone;
        count(&mut totals, kind, undone);
        skipped.extend(refused);
    }
    if processed == 0 {
        return Err(nothing_undone(skipped));
    }
    work.finish(BulkOutcome {
        processed,
        skipped,
        totals,
        dry_run: ctx.meta.dry_run,
        undo: None,
        costs: None,
        reach: BulkReach::default(),
    })
    .await
}

/// Restores the records of one kind. Returns the number of restored records, and the reason for each other one.
async fn restore_kind(
    work: &mut UnitOfWork,
    undoable: &'static Undoable,
    recorded: &[&Undone],
) -> Result<(usize, Vec<Skipped>)> {
    let ids: Vec<RecordId> = recorded.iter().map(|one| one.id).collect();
    // Services are locked before providers and panels, in the same order as in their updates.
    let services = services_of(work, undoable, recorded).await?;
    available::lock(work, &services).await?;
    work.lock(undoable.table, &ids).await?;
    crate::records::undo::lock_services(work, undoable.kind, &ids).await?;
    let refused = find_rejections(work, undoable, recorded).await?;
    let now = Snapshot::take(work, undoable, &ids).await?;
    let (mut undone, mut skipped) = (Vec::new(), Vec::new());
    for one in recorded {
        match check_restorable(undoable, one, now.state(one.id), refused.get(&one.id)) {
            Ok(()) => undone.push(*one),
            Err(Rejection { code, message, .. }) => {
                skipped.push(Skipped { id: one.id, code: code.into(), message });
            }
        }
    }
    if !undone.is_empty() {
        let costs = least_margin::of_services(work, &services).await?;
        restore::write_back(work, undoable, &undone).await?;
        // A restored provider or panel can raise the costs of services above their prices, and a restored discount can lower
        // prices.
        least_margin::check_costs(work, (&costs, "request_id"), &services, true).await?;
        if let ("discount", [one]) = (undoable.kind, undone.as_slice()) {
            discounts::check_margin_again(work, one.id.typed_as(), "request_id").await?;
        }
        record(work, undoable, &undone, &now).await?;
        follow(work, undoable, &undone).await?;
    }
    Ok((undone.len(), skipped))
}

/// Writes the audit entries with the values before and after the undo.
async fn record(
    work: &mut UnitOfWork,
    undoable: &Undoable,
    undone: &[&Undone],
    now: &Snapshot,
) -> Result<()> {
    let mut events: HashMap<&str, Vec<(AuditId, AuditChange)>> = HashMap::new();
    for one in undone {
        let Some(state) = now.state(one.id) else { continue };
        let (old, new) = undoable.difference(state, &one.before);
        events.entry(&one.event).or_default().push((one.entry, AuditChange { id: one.id, old, new }));
    }
    for (event, changes) in events {
        audit::record_undone(work, event, undoable.kind, changes).await?;
    }
    Ok(())
}

/// The kinds of records that can be restored.
fn undoable(kind: &str) -> Option<&'static Undoable> {
    match kind {
        "order" => Some(&orders::undo::ORDERS),
        "user" => Some(&users::undo::USERS),
        kind => crate::records::undo::find(kind),
    }
}

/// Why records cannot be restored although they did not change since: users who outrank the caller, and records that are in use
/// now.
async fn find_rejections(
    work: &mut UnitOfWork,
    undoable: &Undoable,
    recorded: &[&Undone],
) -> Result<BTreeMap<RecordId, Rejection>> {
    let ids: Vec<RecordId> = recorded.iter().map(|one| one.id).collect();
    match undoable.kind {
        "user" => users::undo::load_refusals(work, &ids).await,
        _ => crate::records::undo::find_conflicts(work, undoable, recorded).await,
    }
}

/// Updates the data that depends on the restored records.
async fn follow(work: &mut UnitOfWork, undoable: &Undoable, undone: &[&Undone]) -> Result<()> {
    match undoable.kind {
        "order" => orders::undo::follow(work, undone).await,
        "user" => users::undo::follow(work, undone).await,
        "provider" | "external_panel" => {
            crate::records::undo::record_in_change_log(work, undoable, undone).await?;
            let services = services_of(work, undoable, undone).await?;
            available::update_availability(work, &services).await
        }
        _ => crate::records::undo::record_in_change_log(work, undoable, undone).await,
    }
}

/// The services that depend on a provider or a panel. A request that can be undone changes only one of them.
async fn services_of(
    work: &mut UnitOfWork,
    undoable: &Undoable,
    undone: &[&Undone],
) -> Result<Vec<ServiceId>> {
    match (undoable.kind, undone) {
        ("provider", [one]) => available::of_provider(work, one.id.typed_as()).await,
        ("external_panel", [one]) => available::of_panel(work, one.id.typed_as()).await,
        _ => Ok(Vec::new()),
    }
}

// Rules

/// Refuses an undo without undoable changes, or without the permission for the undone action.
fn check(recorded: &[Undone], may: impl Fn(Permission) -> bool) -> Result<(), Rejection> {
    if recorded.is_empty() {
        let message =
            "No change of this request can be undone. Send the undo.request_id of an earlier response.";
        return Err(Rejection::invalid("request_id", "nothing_to_undo", message));
    }
    for one in recorded {
        match one.permission {
            Some(permission) if may(permission) => {}
            Some(permission) => {
                let message =
                    format!("This action is unauthorized. It needs the permission \"{permission}\".");
                return Err(Rejection::forbidden("forbidden", message));
            }
            None => return Err(Rejection::forbidden("forbidden", "This action is unauthorized.")),
        }
    }
    Ok(())
}

/// Adds the restored records to the total of their kind. Records of the catalogue have no total.
fn count(totals: &mut BulkTotals, kind: &str, undone: i64) {
    match kind {
        "order" => totals.orders += undone,
        "user" => totals.users += undone,
        _ => {}
    }
}

/// Refuses to restore a record that was deleted, changed since, or has a rejection in `refused`.
fn check_restorable(
    undoable: &Undoable,
    one: &Undone,
    now: Option<&State>,
    refused: Option<&Rejection>,
) -> Result<(), Rejection> {
    let noun = undoable.noun;
    let Some(now) = now else {
        return Err(Rejection::conflict("not_found", format!("{noun} {} no longer exists.", one.id)));
    };
    if let Some(refused) = refused {
        return Err(refused.clone());
    }
    if one.is_superseded || !undoable.is_unchanged(&one.after, now) {
        let message = format!(
            "This {noun} changed since, so the action can no longer be undone. Use the actions of the {noun} instead."
        );
        return Err(Rejection::conflict("undo_conflict", message));
    }
    Ok(())
}

/// `skipped` has the reason for each record that was not restored, so that a caller of several requests can report them.
fn nothing_undone(skipped: Vec<Skipped>) -> Error {
    let message = match skipped.as_slice() {
        [one] => one.message.clone(),
        all => {
            let first = all.first().map_or("", |skip| skip.message.as_str());
            format!("None of the {} records could be restored. The first: {first}", all.len())
        }
    };
    Rejection { skipped, ..Rejection::conflict("undo_conflict", message) }.into()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn one(is_superseded: bool) -> Undone {
        let state = |status: &str| json!({ "status": status }).as_object().cloned().unwrap_or_default();
        Undone {
            entry: AuditId::new(70),
            id: RecordId::new(7),
            event: "user.frozen".into(),
            kind: "user".into(),
            permission: Some(Permission::FreezeUsers),
            before: state("active"),
            after: state("frozen"),
            is_superseded,
        }
    }

    #[test]
    fn an_undo_needs_the_permission_of_the_action() {
        assert!(check(&[one(false)], |permission| permission == Permission::FreezeUsers).is_ok());
        assert_eq!(check(&[one(false)], |_| false).unwrap_err().code, "forbidden");
        assert_eq!(check(&[], |_| true).unwrap_err().code, "nothing_to_undo");
    }

    #[test]
    fn restores_only_records_that_did_not_change_since() {
        let undoable = &users::undo::USERS;
        let check = |one: &Undone, now: Option<&State>| {
            check_restorable(undoable, one, now, None).map_err(|no| no.code)
        };
        let undone = one(false);
        assert_eq!(check(&undone, Some(&undone.after)), Ok(()));
        assert_eq!(check(&undone, Some(&undone.before)), Err("undo_conflict"));
        assert_eq!(check(&undone, None), Err("not_found"));
        assert_eq!(check(&one(true), Some(&undone.after)), Err("undo_conflict"));
    }
}
