//! Undoing a change of a user's status: what is restored, who may, and what follows. Sessions that ended stay ended.

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
use crate::operations::users::{access, change, tell};
use crate::stores::account_links;
use panel_platform::audit::restore::{Cell, Field, State, Undoable, Undone};
use panel_platform::work::Work;

/// What undoing restores of a user.
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

/// Locks the users and who may do what, and says whom the caller may not restore.
pub async fn refused(work: &mut Work, ids: &[RecordId]) -> Result<BTreeMap<RecordId, Rejection>> {
    let ids: Vec<UserId> = ids.iter().map(|id| id.known_as()).collect();
    let users = change::lock(work, &ids).await?;
    store::hold_access(work).await?;
    let held = rank::held(work, &ids).await?;
    // What asks for a confirmation when it is done asks for it when it is undone.
    if held.values().any(|held| !held.is_empty()) {
        confirmation::require_for(work.scope())?;
    }
    let by = ActingStaff::of(work.scope().caller()?);
    let refusal = |user: &change::Before| users::judge_undo(&change::facts(user, &held), by).err();
    Ok(users.values().filter_map(|user| Some((user.id.record(), refusal(user)?))).collect())
}

/// What follows from restored users.
pub async fn follow(work: &mut Work, undone: &[&Undone]) -> Result<()> {
    let is =
        |of: &State, status: UserStatus| of.get("status").and_then(Value::as_str) == Some(status.as_str());
    let out = undone.iter().filter(|one| is(&one.before, UserStatus::Deactivated));
    let out: Vec<UserId> = out.map(|one| one.id.known_as()).collect();
    if !out.is_empty() {
        access::end(work, &out).await?;
        account_links::end_all(work, &out).await?;
    }
    let told = undone.iter().map(|one| {
        let previous = one.after.get("status").and_then(Value::as_str).map(str::to_owned);
        (one.id.known_as(), EventType::UserStatusChanged, previous)
    });
    tell::tell(work, &told.collect::<Vec<_>>()).await
}
