//! Publishes webhook events of users: created, updated (profile, manager, grade), status changed. It runs in the transaction of
//! the change, for many users at once, and reads nothing if no webhook subscribes to the event.

use panel_contract::ids::UserId;
use panel_contract::webhooks::EventType;
use panel_kernel::error::Result;
use serde_json::Value;

use crate::configuration::webhooks::outbox::{self, WebhookEvent};
use crate::operations::users::{USERS, UserListRow};
use panel_platform::audit::change::AuditChange;
use panel_platform::scope::Scope;
use panel_platform::table;
use panel_platform::work::UnitOfWork;

/// Publishes `user.created`.
pub async fn publish_created(work: &mut UnitOfWork, id: UserId) -> Result<()> {
    publish(work, &[(id, EventType::UserCreated, None)]).await
}

/// Publishes the changes that the audit entries describe.
pub async fn publish_changes(work: &mut UnitOfWork, changes: &[AuditChange]) -> Result<()> {
    let mut events = Vec::new();
    for change in changes {
        let Some(old) = change.old.as_object() else { continue };
        let previous = old.get("status").and_then(Value::as_str);
        if let Some(previous) = previous {
            events.push((change.id.typed_as(), EventType::UserStatusChanged, Some(previous.to_owned())));
        }
        if old.keys().any(|field| field != "status") {
            events.push((change.id.typed_as(), EventType::UserUpdated, None));
        }
    }
    publish(work, &events).await
}

/// Publishes the events to which a webhook subscribes: user, event type, previous status.
pub async fn publish(work: &mut UnitOfWork, events: &[(UserId, EventType, Option<String>)]) -> Result<()> {
    let subscriptions = outbox::subscriptions(work).await?;
    let events: Vec<_> = events.iter().filter(|(_, kind, _)| subscriptions.any(&[*kind])).collect();
    if events.is_empty() {
        return Ok(());
    }
    let ids: Vec<UserId> = events.iter().map(|(id, ..)| *id).collect();
    let ctx = Scope::system(&work.scope().platform, "webhooks");
    let rows = table::rows_from(work, &ctx, &USERS, &ids, UserListRow::into_row).await?;
    let rows: std::collections::HashMap<UserId, _> = rows.into_iter().map(|row| (row.id, row)).collect();
    let event = |(id, kind, previous): &&(UserId, EventType, Option<String>)| {
        rows.get(id).map(|row| WebhookEvent::of(*kind, row, previous.as_deref()))
    };
    outbox::publish(work, events.iter().filter_map(event).collect()).await
}
