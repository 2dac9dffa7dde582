//! Undoing that a record was archived, restored, enabled or disabled: what of each kind is written back, and what must not
//! have changed meanwhile so that the rules of the action hold for its undo as well.

use std::collections::BTreeMap;

use panel_contract::change_logs::ChangeAction;
use panel_contract::ids::{Id, RecordId, ServiceId};
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::Rejection;
use serde_json::Value;

use crate::records::change_log::{self, ChangedRecord};
use crate::records::uses;
use crate::stores::placement_attempts::conditions::attempt_is;
use panel_platform::audit;
use panel_platform::audit::change::Change;
use panel_platform::audit::restore::{Cell, Field, Role, Snapshot, State, Undoable, Undone};
use panel_platform::db::{Source as _, Sql};
use panel_platform::work::Work;

const ARCHIVED: Field = Field::restored("is_archived", "t.is_archived", Cell::Flag);
const ENABLED: Field = Field::restored("is_enabled", "t.is_enabled", Cell::Flag);
/// For the change log.
const NAME: Field = Field { name: "name", sql: "t.name", role: Role::Noted };

const fn kind(
    kind: &'static str,
    table: &'static str,
    noun: &'static str,
    fields: &'static [Field],
) -> Undoable {
    Undoable { kind, table, noun, fields }
}

/// How many services of record `t` are archived: none of them comes back into use by an undo.
macro_rules! archived_services {
    ($table:literal, $record:literal) => {
        concat!(
            "(SELECT count(*) FROM ",
            $table,
            " x JOIN services s ON s.id = x.service_id WHERE x.",
            $record,
            " = t.id AND s.is_archived)"
        )
    };
}

/// Every kind whose archiving or switching can be undone.
static KINDS: &[Undoable] = &[
    kind("page", "panel_pages", "page", &[ARCHIVED, NAME]),
    kind("coupon", "coupons", "coupon", &[ARCHIVED, NAME]),
    kind(
        "package",
        "packages",
        "package",
        &[ARCHIVED, NAME, Field::guard("services", archived_services!("package_contents", "package_id"))],
    ),
    kind("provider", "providers", "provider", &[ARCHIVED, NAME]),
    kind(
        "special_offer",
        "special_offers",
        "special offer",
        &[
            ARCHIVED,
            ENABLED,
            NAME,
            Field::guard("services", archived_services!("special_offer_services", "offer_id")),
        ],
    ),
    kind("payment_method", "payment_methods", "payment method", &[ENABLED, NAME]),
    kind(
        "discount",
        "discounts",
        "discount",
        &[
            ARCHIVED,
            Field::guard("completed_at", "t.completed_at"),
            NAME,
            Field::guard("services", archived_services!("discount_services", "discount_id")),
        ],
    ),
    kind(
        "grade",
        "grades",
        "grade",
        &[ARCHIVED, NAME, Field::guard("in_use", "EXISTS (SELECT 1 FROM users u WHERE u.grade_id = t.id)")],
    ),
    kind(
        "quest",
        "free_trial_quests",
        "quest",
        &[
            ARCHIVED,
            NAME,
            // Whether it may be archived again is asked of `uses`.
            Field::guard(
                "service",
                "(SELECT count(*) FROM services s WHERE s.id = t.service_id AND s.is_archived)",
            ),
        ],
    ),
    kind(
        "service",
        "services",
        "service",
        &[
            ARCHIVED,
            Field::restored("sorting", "t.sorting", Cell::Int),
            // Whether it may be archived again is asked of `uses`.
            NAME,
        ],
    ),
    kind(
        "menu_item",
        "menu_items",
        "menu item",
        &[
            ARCHIVED,
            Field::restored("parent_id", "t.parent_id", Cell::Int),
            Field::restored("sorting", "t.sorting", Cell::Int),
            NAME,
            Field::guard("below", "(SELECT p.is_archived FROM menu_items p WHERE p.id = t.parent_id)"),
            Field::guard(
                "in_use",
                "EXISTS (SELECT 1 FROM menu_items x WHERE x.parent_id = t.id AND NOT x.is_archived)",
            ),
        ],
    ),
    kind(
        "external_panel",
        "external_panels",
        "panel",
        &[
            ARCHIVED,
            NAME,
            Field::guard(
                "in_use",
                concat!(
                    "(EXISTS (SELECT 1 FROM providers p WHERE p.external_panel_id = t.id AND NOT p.is_archived)
                   OR EXISTS (SELECT 1 FROM external_panel_orders e WHERE e.external_panel_id = t.id AND ",
                    attempt_is!(live, "e"),
                    "))"
                ),
            ),
        ],
    ),
    kind(
        "webhook",
        "webhooks",
        "webhook",
        &[
            Field::restored("is_active", "t.is_active", Cell::Flag),
            Field::restored("switched_off", "t.switched_off", Cell::Text),
            // Deliveries write these by themselves.
            Field { name: "failing_since", sql: "t.failing_since", role: Role::Overwritten(Cell::Int) },
            Field { name: "paused_until", sql: "t.paused_until", role: Role::Overwritten(Cell::Int) },
        ],
    ),
];

/// The kind that the audit trail names so.
#[must_use]
pub fn find(kind: &str) -> Option<&'static Undoable> {
    KINDS.iter().find(|undoable| undoable.kind == kind)
}

/// The state of a record before this request changes it, by the permission that opened the endpoint.
pub async fn before(work: &mut Work, kind: &str, id: impl Id) -> Result<Snapshot> {
    match find(kind) {
        Some(undoable) => Snapshot::of_call(work, undoable, id).await,
        None => Ok(Snapshot::default()),
    }
}

/// Writes the audit entries of changes, which can be undone where `before` has the former state.
pub async fn record(
    work: &mut Work,
    event: &str,
    kind: &str,
    before: &Snapshot,
    changes: Vec<Change>,
) -> Result<()> {
    match find(kind) {
        Some(undoable) => audit::record_undoable(work, event, undoable, before, changes).await,
        None => audit::record_all(work, event, kind, changes).await,
    }
}

/// The kinds, as the audit trail names them.
pub fn kinds() -> impl Iterator<Item = &'static str> {
    KINDS.iter().map(|undoable| undoable.kind)
}

/// Why records of a kind cannot be archived again by undoing that they were brought back: what has come to use them since.
/// A request archives or brings back one record.
pub async fn refused(
    work: &mut Work,
    undoable: &Undoable,
    recorded: &[&Undone],
) -> Result<BTreeMap<RecordId, Rejection>> {
    let mut refused = BTreeMap::new();
    let uses = match undoable.kind {
        "service" => &uses::OF_SERVICE,
        "quest" => &uses::OF_QUEST,
        _ => return Ok(refused),
    };
    for one in recorded.iter().filter(|one| is_set(&one.before, "is_archived") == Some(true)) {
        match uses::unless_used(work, uses, one.id).await {
            Ok(()) => {}
            Err(Error::Rejected(rejection)) => {
                refused.insert(one.id, Rejection::conflict("undo_conflict", rejection.message));
            }
            Err(other) => return Err(other),
        }
    }
    Ok(refused)
}

/// A flag of a state; SQLite has numbers for flags.
fn is_set(state: &State, name: &str) -> Option<bool> {
    state.get(name).map(|value| *value == Value::Bool(true) || *value == 1)
}

/// Writes the change log of restored records; kinds that have none are left out.
pub async fn note(work: &mut Work, undoable: &Undoable, undone: &[&Undone]) -> Result<()> {
    let Ok(model) = undoable.kind.parse() else { return Ok(()) };
    let lines = undone.iter().filter_map(|one| {
        let (old, new) = undoable.difference(&one.after, &one.before);
        let name = one.before.get("name").and_then(Value::as_str)?;
        Some((ChangedRecord { action: action(&new), model, id: one.id, name }, old, new))
    });
    let lines: Vec<_> = lines.collect();
    let lines: Vec<_> = lines.iter().map(|(noted, old, new)| (*noted, old, new)).collect();
    change_log::note_all(work, &lines).await
}

/// What the write back amounts to.
fn action(new: &Value) -> ChangeAction {
    let flag = |name: &str| new.as_object().and_then(|new| is_set(new, name));
    match (flag("is_archived"), flag("is_enabled")) {
        (Some(true), _) => ChangeAction::Archived,
        (Some(false), _) => ChangeAction::Unarchived,
        (None, Some(true)) => ChangeAction::Enabled,
        (None, Some(false)) => ChangeAction::Disabled,
        (None, None) => ChangeAction::Updated,
    }
}

// Store

/// Keeps the services of locked records as they are, so that none is archived while the record comes back.
pub async fn hold_services(work: &mut Work, kind: &str, ids: &[RecordId]) -> Result<()> {
    let sql = match kind {
        "package" => "SELECT service_id FROM package_contents WHERE package_id IN ",
        "discount" => "SELECT service_id FROM discount_services WHERE discount_id IN ",
        "special_offer" => "SELECT service_id FROM special_offer_services WHERE offer_id IN ",
        _ => return Ok(()),
    };
    let services = Sql::new("SELECT id FROM services WHERE id IN (").append(Sql::new(sql).ids(ids));
    work.all::<(ServiceId,)>(services.push(") ORDER BY id").for_share()).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_change_log_names_what_the_undo_does() {
        assert_eq!(action(&json!({ "is_archived": 1, "is_enabled": 0 })), ChangeAction::Archived);
        assert_eq!(action(&json!({ "is_archived": false })), ChangeAction::Unarchived);
        assert_eq!(action(&json!({ "is_enabled": true })), ChangeAction::Enabled);
    }

    #[test]
    fn every_kind_is_written_back_by_its_first_field() {
        for undoable in KINDS {
            assert!(matches!(undoable.fields[0].role, Role::Restored(Cell::Flag)), "{}", undoable.kind);
            assert!(find(undoable.kind).is_some());
        }
    }
}
