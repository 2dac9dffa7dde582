//! Publishes webhook events of orders: new orders and changes of the status. It runs in the transaction of the change, for many
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
    if !outbox::load_subscriptions(work).await?.any(&[EventType::OrderCreated]) {
        return Ok(());
    }
    let rows = load_rows(work, &[id]).await?;
    outbox::publish(
        work,
        rows.iter().map(|row| WebhookEvent::for_record(EventType::OrderCreated, row, None)).collect(),
    )
    .await
}

pub async fn publish_status_changes(work: &mut UnitOfWork, transitions: &[OrderTransition]) -> Result<()> {
    let subscriptions = outbox::load_subscriptions(work).await?;
    let changes = transitions.iter().map(|transition| (transition, event_types(transition)));
    let previous_statuses: HashMap<OrderId, (OrderStatus, Vec<EventType>)> = changes
        .filter(|(_, kinds)| subscriptions.any(kinds))
        .map(|(transition, kinds)| (transition.order.id, (transition.order.status, kinds)))
        .collect();
    if previous_statuses.is_empty() {
        return Ok(());
    }
    let mut ids: Vec<OrderId> = previous_statuses.keys().copied().collect();
    ids.sort_unstable();
    let mut events = Vec::with_capacity(ids.len());
    for row in load_rows(work, &ids).await? {
        let Some((status, kinds)) = previous_statuses.get(&row.id) else { continue };
        events.extend(kinds.iter().map(|kind| WebhookEvent::for_record(*kind, &row, Some(status.as_str()))));
    }
    outbox::publish(work, events).await
}

fn event_types(transition: &OrderTransition) -> Vec<EventType> {
    if transition.status == transition.order.status {
        // Only the moderation decision changed.
        return Vec::new();
    }
    let mut kinds = vec![EventType::OrderStatusChanged];
    match transition.status {
        OrderStatus::Completed => kinds.push(EventType::OrderCompleted),
        OrderStatus::Canceled => kinds.push(EventType::OrderCanceled),
        _ => {}
    }
    kinds
}

/// The orders as the list shows them to the system.
async fn load_rows(work: &mut UnitOfWork, ids: &[OrderId]) -> Result<Vec<OrderRow>> {
    let ctx = Scope::system(&work.scope().platform, "webhooks");
    table::load_rows_from(work, &ctx, &ORDERS, ids, list::to_response).await
}
