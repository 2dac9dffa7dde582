//! Publishes webhook events of orders: placed, and each change of status. It runs in the transaction of the change, for many
//! orders at once, and reads nothing if no webhook subscribes to the event.

use std::collections::HashMap;

use panel_contract::ids::OrderId;
use panel_contract::orders::{OrderRow, OrderStatus};
use panel_contract::webhooks::EventType;
use panel_kernel::error::Result;

use crate::configuration::webhooks::outbox::{self, WebhookEvent};
use crate::operations::orders::list::{self, ORDERS};
use crate::operations::orders::store::OrderTransition;
use panel_platform::scope::Scope;
use panel_platform::table;
use panel_platform::work::UnitOfWork;

/// Publishes `order.created`.
pub async fn publish_placed(work: &mut UnitOfWork, id: OrderId) -> Result<()> {
    if !outbox::subscriptions(work).await?.any(&[EventType::OrderCreated]) {
        return Ok(());
    }
    let rows = rows(work, &[id]).await?;
    outbox::publish(
        work,
        rows.iter().map(|row| WebhookEvent::of(EventType::OrderCreated, row, None)).collect(),
    )
    .await
}

/// Publishes the changes of status.
pub async fn publish_status_changes(work: &mut UnitOfWork, moves: &[OrderTransition]) -> Result<()> {
    let subscriptions = outbox::subscriptions(work).await?;
    let kinds = moves.iter().map(|moved| (moved, event_types(moved)));
    let before: HashMap<OrderId, (OrderStatus, Vec<EventType>)> = kinds
        .filter(|(_, kinds)| subscriptions.any(kinds))
        .map(|(moved, kinds)| (moved.facts.id, (moved.facts.status, kinds)))
        .collect();
    if before.is_empty() {
        return Ok(());
    }
    let mut ids: Vec<OrderId> = before.keys().copied().collect();
    ids.sort_unstable();
    let mut events = Vec::with_capacity(ids.len());
    for row in rows(work, &ids).await? {
        let Some((previous, kinds)) = before.get(&row.id) else { continue };
        events.extend(kinds.iter().map(|kind| WebhookEvent::of(*kind, &row, Some(previous.as_str()))));
    }
    outbox::publish(work, events).await
}

fn event_types(moved: &OrderTransition) -> Vec<EventType> {
    if moved.status == moved.facts.status {
        // Only the moderation decision changed.
        return Vec::new();
    }
    let mut kinds = vec![EventType::OrderStatusChanged];
    match moved.status {
        OrderStatus::Completed => kinds.push(EventType::OrderCompleted),
        OrderStatus::Canceled => kinds.push(EventType::OrderCanceled),
        _ => {}
    }
    kinds
}

/// The orders as the list shows them to the system.
async fn rows(work: &mut UnitOfWork, ids: &[OrderId]) -> Result<Vec<OrderRow>> {
    let ctx = Scope::system(&work.scope().platform, "webhooks");
    table::rows_from(work, &ctx, &ORDERS, ids, list::to_response).await
}
