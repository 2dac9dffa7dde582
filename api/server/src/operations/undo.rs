//! Undoes a request: restores the records that the request changed, unless another request has changed them since. Each action that
//! can be undone stores the previous state of its records (`audit::restore`). Each kind of record declares which fields an undo
//! restores, and updates the data that depends on these fields.

use std::collections::{BTreeMap, HashMap};

use panel_contract::audits::UndoInput;
use panel_contract::common::{AffectedIds, BulkOutcome, BulkTotals, SkippedRecord};
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
use crate::pricing::minimum_margin;
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::audit::restore::{self, RecordState, Snapshot, UndoableChange, UndoableKind};
use panel_platform::work::UnitOfWork;

/// Maximum number of records of one undo. A bulk action has the same maximum.
const MAX_RECORDS: i64 = 10_000;

// Routes

/// Adds `POST undo`.
pub fn routes(api: Api) -> Api {
    api.route::<Undo, _, _, _>(undo)
}

async fn undo(ctx: Ctx, req: Req<Undo>) -> Result<BulkOutcome> {
    let UndoInput { request_id } = &req.body;
    let mut work = ctx.begin().await?;
    let recorded_changes = restore::load_undoable_changes(&mut work, request_id, MAX_RECORDS).await?;
    check_permissions(&recorded_changes, |permission| ctx.has_permission(permission))?;
    let mut changes_by_kind: BTreeMap<&str, Vec<&UndoableChange>> = BTreeMap::new();
    for change in &recorded_changes {
        changes_by_kind.entry(&change.kind).or_default().push(change);
    }
    let (mut processed_count, mut totals, mut skipped) = (0, BulkTotals::default(), Vec::new());
    for (kind, changes) in changes_by_kind {
        let Some(undoable) = find_undoable(kind) else { continue };
        let (restored_count, skipped_of_kind) = restore_kind(&mut work, undoable, &changes).await?;
        let restored_count = i64::try_from(restored_count).unwrap_or(i64::MAX);
        processed_count += restored_count;
        add_to_total(&mut totals, kind, restored_count);
        skipped.extend(skipped_of_kind);
    }
    if processed_count == 0 {
        return Err(nothing_undone_error(skipped));
    }
    work.finish(BulkOutcome {
        processed: processed_count,
        skipped,
        totals,
        dry_run: ctx.meta.dry_run,
        undo: None,
        costs: None,
        affected_ids: AffectedIds::default(),
    })
    .await
}

/// Restores the records of one kind. Returns the number of restored records, and the skipped records with the reason.
async fn restore_kind(
    work: &mut UnitOfWork,
    undoable: &'static UndoableKind,
    recorded_changes: &[&UndoableChange],
) -> Result<(usize, Vec<SkippedRecord>)> {
    let ids: Vec<RecordId> = recorded_changes.iter().map(|change| change.id).collect();
    // Services are locked before providers and panels, as in updates of providers and panels, so that no deadlock occurs.
    let services = load_dependent_services(work, undoable, recorded_changes).await?;
    available::lock_services(work, &services).await?;
    work.lock(undoable.table, &ids).await?;
    crate::records::undo::lock_services(work, undoable.kind, &ids).await?;
    let rejections = find_rejections(work, undoable, recorded_changes).await?;
    let current_states = Snapshot::take(work, undoable, &ids).await?;
    let (mut restored_changes, mut skipped) = (Vec::new(), Vec::new());
    for change in recorded_changes {
        match check_restorable(undoable, change, current_states.state(change.id), rejections.get(&change.id))
        {
            Ok(()) => restored_changes.push(*change),
            Err(Rejection { code, message, .. }) => {
                skipped.push(SkippedRecord { id: change.id, code: code.into(), message });
            }
        }
    }
    if !restored_changes.is_empty() {
        let lowest_prices = minimum_margin::load_lowest_prices(work, &services).await?;
        restore::restore_states(work, undoable, &restored_changes).await?;
        // A restored provider or panel can raise the costs of services above their prices, and a restored discount can lower
        // prices.
        minimum_margin::check_after_cost_change(work, (&lowest_prices, "request_id"), &services, true)
            .await?;
        if let ("discount", [change]) = (undoable.kind, restored_changes.as_slice()) {
            discounts::recheck_margin(work, change.id.typed_as(), "request_id").await?;
        }
        record_audit_entries(work, undoable, &restored_changes, &current_states).await?;
        update_dependents(work, undoable, &restored_changes).await?;
    }
    Ok((restored_changes.len(), skipped))
}

/// Writes the audit entries with the values before and after the undo.
async fn record_audit_entries(
    work: &mut UnitOfWork,
    undoable: &UndoableKind,
    restored_changes: &[&UndoableChange],
    current_states: &Snapshot,
) -> Result<()> {
    let mut changes_by_event: HashMap<&str, Vec<(AuditId, AuditChange)>> = HashMap::new();
    for change in restored_changes {
        let Some(state) = current_states.state(change.id) else { continue };
        let (old, new) = undoable.difference(state, &change.before);
        changes_by_event
            .entry(&change.event)
            .or_default()
            .push((change.entry, AuditChange { id: change.id, old, new }));
    }
    for (event, changes) in changes_by_event {
        audit::record_undone(work, event, undoable.kind, changes).await?;
    }
    Ok(())
}

/// Returns the declaration of a kind whose records can be restored.
fn find_undoable(kind: &str) -> Option<&'static UndoableKind> {
    match kind {
        "order" => Some(&orders::undo::ORDERS),
        "user" => Some(&users::undo::USERS),
        kind => crate::records::undo::find(kind),
    }
}

/// Returns the reasons why records cannot be restored although they did not change: a user who outranks the caller, or a restored
/// state that conflicts with other records.
async fn find_rejections(
    work: &mut UnitOfWork,
    undoable: &UndoableKind,
    recorded_changes: &[&UndoableChange],
) -> Result<BTreeMap<RecordId, Rejection>> {
    let ids: Vec<RecordId> = recorded_changes.iter().map(|change| change.id).collect();
    match undoable.kind {
        "user" => users::undo::load_rejections(work, &ids).await,
        _ => crate::records::undo::find_conflicts(work, undoable, recorded_changes).await,
    }
}

/// Updates the data that depends on the restored records.
async fn update_dependents(
    work: &mut UnitOfWork,
    undoable: &UndoableKind,
    restored_changes: &[&UndoableChange],
) -> Result<()> {
    match undoable.kind {
        "order" => orders::undo::apply_consequences(work, restored_changes).await,
        "user" => users::undo::apply_consequences(work, restored_changes).await,
        "provider" | "external_panel" => {
            crate::records::undo::record_in_change_log(work, undoable, restored_changes).await?;
            let services = load_dependent_services(work, undoable, restored_changes).await?;
            available::update_availability(work, &services).await
        }
        _ => crate::records::undo::record_in_change_log(work, undoable, restored_changes).await,
    }
}

/// Loads the services that depend on a provider or an external panel. A request that can be undone changes only one provider or one
/// panel.
async fn load_dependent_services(
    work: &mut UnitOfWork,
    undoable: &UndoableKind,
    changes: &[&UndoableChange],
) -> Result<Vec<ServiceId>> {
    match (undoable.kind, changes) {
        ("provider", [change]) => available::load_services_of_provider(work, change.id.typed_as()).await,
        ("external_panel", [change]) => available::load_services_of_panel(work, change.id.typed_as()).await,
        _ => Ok(Vec::new()),
    }
}

// Rules

/// Rejects an undo if there are no changes to undo, or if the caller has no permission for the action.
fn check_permissions(
    recorded_changes: &[UndoableChange],
    has_permission: impl Fn(Permission) -> bool,
) -> Result<(), Rejection> {
    if recorded_changes.is_empty() {
        let message =
            "No change of this request can be undone. Send the undo.request_id of an earlier response.";
        return Err(Rejection::invalid("request_id", "nothing_to_undo", message));
    }
    for change in recorded_changes {
        match change.permission {
            Some(permission) if has_permission(permission) => {}
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
fn add_to_total(totals: &mut BulkTotals, kind: &str, restored_count: i64) {
    match kind {
        "order" => totals.orders += restored_count,
        "user" => totals.users += restored_count,
        _ => {}
    }
}

/// Rejects the undo for a record that was deleted, that has changed since, or that has a `rejection`.
fn check_restorable(
    undoable: &UndoableKind,
    change: &UndoableChange,
    current_states: Option<&RecordState>,
    rejection: Option<&Rejection>,
) -> Result<(), Rejection> {
    let noun = undoable.noun;
    let Some(current_states) = current_states else {
        return Err(Rejection::conflict("not_found", format!("{noun} {} no longer exists.", change.id)));
    };
    if let Some(rejection) = rejection {
        return Err(rejection.clone());
    }
    if change.is_superseded || !undoable.is_unchanged(&change.after, current_states) {
        let message = format!(
            "This {noun} has changed since the action, so the action can no longer be undone. Change the {noun} with its own actions instead."
        );
        return Err(Rejection::conflict("undo_conflict", message));
    }
    Ok(())
}

/// Builds the error for an undo that restored no record. `skipped` holds the reason for each record, which the error contains.
fn nothing_undone_error(skipped: Vec<SkippedRecord>) -> Error {
    let message = match skipped.as_slice() {
        [change] => change.message.clone(),
        skipped => {
            let first_reason = skipped.first().map_or("", |skip| skip.message.as_str());
            format!("None of the {} records could be restored. First reason: {first_reason}", skipped.len())
        }
    };
    Rejection { skipped, ..Rejection::conflict("undo_conflict", message) }.into()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn frozen_user(is_superseded: bool) -> UndoableChange {
        let state = |status: &str| json!({ "status": status }).as_object().cloned().unwrap_or_default();
        UndoableChange {
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
        assert!(
            check_permissions(&[frozen_user(false)], |permission| permission == Permission::FreezeUsers)
                .is_ok()
        );
        assert_eq!(check_permissions(&[frozen_user(false)], |_| false).unwrap_err().code, "forbidden");
        assert_eq!(check_permissions(&[], |_| true).unwrap_err().code, "nothing_to_undo");
    }

    #[test]
    fn restores_only_records_that_did_not_change_since() {
        let undoable = &users::undo::USERS;
        let check = |change: &UndoableChange, current_states: Option<&RecordState>| {
            check_restorable(undoable, change, current_states, None).map_err(|rejection| rejection.code)
        };
        let change = frozen_user(false);
        assert_eq!(check(&change, Some(&change.after)), Ok(()));
        assert_eq!(check(&change, Some(&change.before)), Err("undo_conflict"));
        assert_eq!(check(&change, None), Err("not_found"));
        assert_eq!(check(&frozen_user(true), Some(&change.after)), Err("undo_conflict"));
    }
}
