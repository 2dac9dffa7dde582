//! What webhooks hear of orders: that one was placed, and each change of status. All in the transaction of the change,
//! set-wise, and nothing at all is read where no webhook wants it.

use std::collections::HashMap;

use panel_contract::ids::OrderId;
use panel_contract::orders::{OrderRow, OrderStatus};
use panel_contract::webhooks::EventType;
use panel_kernel::error::Result;

use crate::configuration::webhooks::outbox::{self, Event};
use crate::operations::orders::list::{self, ORDERS};
use crate::operations::orders::store::Moved;
use panel_platform::scope::Scope;
use panel_platform::table;
use panel_platform::work::Work;

/// An order was placed.
pub async fn placed(work: &mut Work, id: OrderId) -> Result<()> {
    if !outbox::wanted(work).await?.any(&[EventType::OrderCreated]) {
        return Ok(());
    }
    let rows = rows(work, &[id]).await?;
    outbox::tell(work, rows.iter().map(|row| Event::of(EventType::OrderCreated, row, None)).collect()).await
}

/// Orders changed their status.
pub async fn moved(work: &mut Work, moves: &[Moved]) -> Result<()> {
    let wanted = outbox::wanted(work).await?;
    let kinds = moves.iter().map(|moved| (moved, kinds(moved)));
    let before: HashMap<OrderId, (OrderStatus, Vec<EventType>)> = kinds
        .filter(|(_, kinds)| wanted.any(kinds))
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
        events.extend(kinds.iter().map(|kind| Event::of(*kind, &row, Some(previous.as_str()))));
    }
    outbox::tell(work, events).await
}

fn kinds(moved: &Moved) -> Vec<EventType> {
    if moved.status == moved.facts.status {
        // Only what moderation says of it changed.
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

/// As the orders list shows them, to nobody in particular.
async fn rows(work: &mut Work, ids: &[OrderId]) -> Result<Vec<OrderRow>> {
    let ctx = Scope::system(&work.scope().platform, "webhooks");
    table::rows_from(work, &ctx, &ORDERS, ids, list::shown).await
}
