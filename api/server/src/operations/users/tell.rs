//! What webhooks hear of users: that one was made, changed (profile, manager, grade), or changed their status. In the
//! transaction of the change, set-wise, and nothing is read where no webhook wants it.

use panel_contract::ids::UserId;
use panel_contract::webhooks::EventType;
use panel_kernel::error::Result;
use serde_json::Value;

use crate::configuration::webhooks::outbox::{self, Event};
use crate::operations::users::{Record, USERS};
use panel_platform::audit::change::Change;
use panel_platform::scope::Scope;
use panel_platform::table;
use panel_platform::work::Work;

/// A user was made.
pub async fn made(work: &mut Work, id: UserId) -> Result<()> {
    tell(work, &[(id, EventType::UserCreated, None)]).await
}

/// Users were changed, as the audit trail has it.
pub async fn changed(work: &mut Work, changes: &[Change]) -> Result<()> {
    let mut told = Vec::new();
    for change in changes {
        let Some(old) = change.old.as_object() else { continue };
        let previous = old.get("status").and_then(Value::as_str);
        if let Some(previous) = previous {
            told.push((change.id.known_as(), EventType::UserStatusChanged, Some(previous.to_owned())));
        }
        if old.keys().any(|field| field != "status") {
            told.push((change.id.known_as(), EventType::UserUpdated, None));
        }
    }
    tell(work, &told).await
}

/// Writes what is wanted of these: user, what happened, the status before.
pub async fn tell(work: &mut Work, told: &[(UserId, EventType, Option<String>)]) -> Result<()> {
    let wanted = outbox::wanted(work).await?;
    let told: Vec<_> = told.iter().filter(|(_, kind, _)| wanted.any(&[*kind])).collect();
    if told.is_empty() {
        return Ok(());
    }
    let ids: Vec<UserId> = told.iter().map(|(id, ..)| *id).collect();
    let ctx = Scope::system(&work.scope().platform, "webhooks");
    let rows = table::rows_from(work, &ctx, &USERS, &ids, Record::shown).await?;
    let rows: std::collections::HashMap<UserId, _> = rows.into_iter().map(|row| (row.id, row)).collect();
    let event = |(id, kind, previous): &&(UserId, EventType, Option<String>)| {
        rows.get(id).map(|row| Event::of(*kind, row, previous.as_deref()))
    };
    outbox::tell(work, told.iter().filter_map(event).collect()).await
}
