//! Publishes the webhook events of orders: new orders and changes of the status. Runs in the transaction of the change, for many orders
//! at once, and loads no orders if no webhook subscribes to the event.

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
    if !outbox::load_subscriptions(work).await?.include_any(&[EventType::OrderCreated]) {
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
    let status_and_events: HashMap<OrderId, (OrderStatus, Vec<EventType>)> = changes
        .filter(|(_, types)| subscriptions.include_any(types))
        .map(|(transition, types)| (transition.order.id, (transition.order.status, types)))
        .collect();
    if status_and_events.is_empty() {
        return Ok(());
    }
    let mut ids: Vec<OrderId> = status_and_events.keys().copied().collect();
    ids.sort_unstable();
    let mut events = Vec::with_capacity(ids.len());
    for row in load_rows(work, &ids).await? {
        let Some((previous_status, types)) = status_and_events.get(&row.id) else { continue };
        events.extend(
            types.iter().map(|event_type| {
                WebhookEvent::for_record(*event_type, &row, Some(previous_status.as_str()))
            }),
        );
    }
    outbox::publish(work, events).await
}

fn event_types(transition: &OrderTransition) -> Vec<EventType> {
    if transition.status == transition.order.status {
        // Only the moderation decision changed.
        return Vec::new();
    }
    let mut types = vec![EventType::OrderStatusChanged];
    match transition.status {
        OrderStatus::Completed => types.push(EventType::OrderCompleted),
        OrderStatus::Canceled => types.push(EventType::OrderCanceled),
        _ => {}
    }
    types
}

/// Loads the orders in the form in which the list shows them. The system as the actor may see all fields.
async fn load_rows(work: &mut UnitOfWork, ids: &[OrderId]) -> Result<Vec<OrderRow>> {
    let ctx = Scope::system(&work.scope().platform, "webhooks");
    table::load_rows_from(work, &ctx, &ORDERS, ids, list::to_response).await
}
