//! Undoes a change of a user's status: restored fields, permission and consequences. Revoked sessions stay revoked.

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
use panel_platform::audit::restore::{Cell, Field, State, Undoable, Undone};
use panel_platform::work::UnitOfWork;

/// The fields of a user that an undo restores.
pub static USERS: Undoable = Undoable {
    kind: "user",
    table: "users",
    noun: "user",
    fields: &[
        Field::restored("status", "t.status", Cell::Text),
        Field::restored("frozen_at", "t.frozen_at", Cell::Int),
        Field::restored("deactivated_at", "t.deactivated_at", Cell::Int),
    ],
};

/// Locks the users and the access version, and returns the users whom the caller may not restore, with the reason.
pub async fn load_refusals(work: &mut UnitOfWork, ids: &[RecordId]) -> Result<BTreeMap<RecordId, Rejection>> {
    let ids: Vec<UserId> = ids.iter().map(|id| id.typed_as()).collect();
    let users = change::lock(work, &ids).await?;
    store::lock_access_version(work).await?;
    let held = rank::load_permissions(work, &ids).await?;
    // An action that needs a confirmation also needs it for its undo.
    if held.values().any(|held| !held.is_empty()) {
        confirmation::require_for(work.scope())?;
    }
    let by = ActingStaff::of(work.scope().caller()?);
    let refusal = |user: &change::LockedUser| users::check_restore(&change::facts(user, &held), by).err();
    Ok(users.values().filter_map(|user| Some((user.id.record(), refusal(user)?))).collect())
}

/// Handles the consequences of restored users: ends sessions and links, and publishes the change of status.
pub async fn follow(work: &mut UnitOfWork, undone: &[&Undone]) -> Result<()> {
    let is =
        |of: &State, status: UserStatus| of.get("status").and_then(Value::as_str) == Some(status.as_str());
    let out = undone.iter().filter(|one| is(&one.before, UserStatus::Deactivated));
    let out: Vec<UserId> = out.map(|one| one.id.typed_as()).collect();
    if !out.is_empty() {
        access::revoke_sessions(work, &out).await?;
        account_links::end_all(work, &out).await?;
    }
    let events = undone.iter().map(|one| {
        let previous = one.after.get("status").and_then(Value::as_str).map(str::to_owned);
        (one.id.typed_as(), EventType::UserStatusChanged, previous)
    });
    webhook_events::publish(work, &events.collect::<Vec<_>>()).await
}
