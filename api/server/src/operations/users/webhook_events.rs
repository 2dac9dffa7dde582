//! Publishes the webhook events of users: created, updated (profile, account manager, grade), status changed. Runs in the
//! transaction of the change, for many users at once, and loads no users if no webhook subscribes to the event.

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

pub async fn publish_created(work: &mut UnitOfWork, id: UserId) -> Result<()> {
    publish(work, &[(id, EventType::UserCreated, None)]).await
}

/// Publishes the changes that the audit entries describe.
pub async fn publish_changes(work: &mut UnitOfWork, changes: &[AuditChange]) -> Result<()> {
    let mut events = Vec::new();
    for change in changes {
        let Some(old) = change.old.as_object() else { continue };
        let previous_status = old.get("status").and_then(Value::as_str);
        if let Some(previous_status) = previous_status {
            events.push((
                change.id.typed_as(),
                EventType::UserStatusChanged,
                Some(previous_status.to_owned()),
            ));
        }
        if old.keys().any(|field| field != "status") {
            events.push((change.id.typed_as(), EventType::UserUpdated, None));
        }
    }
    publish(work, &events).await
}

/// Publishes the events to which a webhook subscribes. Each event is a user, an event type and the previous status.
pub async fn publish(work: &mut UnitOfWork, events: &[(UserId, EventType, Option<String>)]) -> Result<()> {
    let subscriptions = outbox::load_subscriptions(work).await?;
    let events: Vec<_> =
        events.iter().filter(|(_, event_type, _)| subscriptions.include_any(&[*event_type])).collect();
    if events.is_empty() {
        return Ok(());
    }
    let ids: Vec<UserId> = events.iter().map(|(id, ..)| *id).collect();
    let scope = Scope::system(&work.scope().platform, "webhooks");
    let rows = table::load_rows_from(work, &scope, &USERS, &ids, UserListRow::into_row).await?;
    let rows_by_id: std::collections::HashMap<UserId, _> =
        rows.into_iter().map(|row| (row.id, row)).collect();
    let to_webhook_event = |(id, event_type, previous_status): &&(UserId, EventType, Option<String>)| {
        rows_by_id.get(id).map(|row| WebhookEvent::for_record(*event_type, row, previous_status.as_deref()))
    };
    outbox::publish(work, events.iter().filter_map(to_webhook_event).collect()).await
}
