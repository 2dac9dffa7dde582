//! Undoes a change of a user's status: declares the restored fields, checks the rank of the caller, and handles the consequences.
//! Revoked sessions stay revoked.

use std::collections::BTreeMap;

use panel_contract::ids::{RecordId, UserId};
use panel_contract::users::UserStatus;
use panel_contract::webhooks::EventType;
use panel_domain::rank::ActingStaff;
use panel_domain::users;
use panel_kernel::error::Result;
use panel_kernel::rejection::Rejection;
use serde_json::Value;

use crate::auth::confirmation;
use crate::operations::staff::rank;
use crate::operations::staff::store;
use crate::operations::users::{access, change, webhook_events};
use crate::stores::account_links;
use panel_platform::audit::restore::{FieldType, RecordState, UndoField, UndoableChange, UndoableKind};
use panel_platform::work::UnitOfWork;

/// The fields of a user that an undo restores.
pub static USERS: UndoableKind = UndoableKind {
    kind: "user",
    table: "users",
    noun: "user",
    fields: &[
        UndoField::restored("status", "t.status", FieldType::Text),
        UndoField::restored("frozen_at", "t.frozen_at", FieldType::Int),
        UndoField::restored("deactivated_at", "t.deactivated_at", FieldType::Int),
    ],
};

/// Locks the users and the access version, and returns the reason for each user whom the caller may not restore.
pub async fn load_rejections(
    work: &mut UnitOfWork,
    ids: &[RecordId],
) -> Result<BTreeMap<RecordId, Rejection>> {
    let ids: Vec<UserId> = ids.iter().map(|id| id.typed_as()).collect();
    let users = change::lock_users(work, &ids).await?;
    store::lock_access_version(work).await?;
    let permissions = rank::load_permissions(work, &ids).await?;
    // If an action requires a confirmation, its undo requires it too.
    if permissions.values().any(|permissions| !permissions.is_empty()) {
        confirmation::require_unless_dry_run(work.scope())?;
    }
    let acting_staff = ActingStaff::from_staff_member(work.scope().caller()?);
    let rejection = |user: &change::LockedUser| {
        users::check_restore(&change::user_facts(user, &permissions), acting_staff).err()
    };
    Ok(users.values().filter_map(|user| Some((user.id.as_record_id(), rejection(user)?))).collect())
}

/// Applies the consequences of restored users: ends the sessions and links of deactivated users, and publishes the changed status.
pub async fn apply_consequences(work: &mut UnitOfWork, undone_changes: &[&UndoableChange]) -> Result<()> {
    let has_status = |state: &RecordState, status: UserStatus| {
        state.get("status").and_then(Value::as_str) == Some(status.as_str())
    };
    let deactivated_users =
        undone_changes.iter().filter(|change| has_status(&change.before, UserStatus::Deactivated));
    let deactivated_ids: Vec<UserId> = deactivated_users.map(|change| change.id.typed_as()).collect();
    if !deactivated_ids.is_empty() {
        access::revoke_sessions(work, &deactivated_ids).await?;
        account_links::delete_all(work, &deactivated_ids).await?;
    }
    let events = undone_changes.iter().map(|change| {
        let previous_status = change.after.get("status").and_then(Value::as_str).map(str::to_owned);
        (change.id.typed_as(), EventType::UserStatusChanged, previous_status)
    });
    webhook_events::publish(work, &events.collect::<Vec<_>>()).await
}
