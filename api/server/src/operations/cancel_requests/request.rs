//! Customers request to cancel orders. An order that certainly was not sent is canceled and refunded in the same transaction;
//! for any other order the provider or staff decide. This module makes no outbound call.

use std::collections::BTreeMap;
use std::time::Duration;

use panel_contract::ids::{CancelRequestId, OrderId};
use panel_contract::orders::{CancelInput, CancelReason};
use panel_domain::cancel_requests::{CancelRoute, choose_route};
use panel_domain::orders::{self, OrderAction};
use panel_kernel::error::Result;

use super::store;
use crate::operations::orders::apply::apply;
use crate::operations::orders::bulk_action::BulkAction;
use crate::operations::orders::store as order_store;
use panel_platform::settings;
use panel_platform::work::UnitOfWork;

/// Requests to cancel these orders, and locks them. The value of an order is true if its service refunds nothing. Returns the
/// reason for each order whose request was refused.
pub async fn request(
    work: &mut UnitOfWork,
    orders: &BTreeMap<OrderId, bool>,
) -> Result<BTreeMap<OrderId, String>> {
    let ids: Vec<OrderId> = orders.keys().copied().collect();
    let mut refused = BTreeMap::new();
    let open = store::open_of(work, &ids).await?;
    for facts in order_store::lock(work, &ids).await? {
        if let Err(rejection) = orders::judge(OrderAction::Cancel, facts.state()) {
            refused.insert(facts.id, rejection.message);
        } else if open.contains_key(&facts.id) {
            refused.insert(facts.id, "Cancel is already requested".to_owned());
        }
    }
    let ids: Vec<OrderId> = ids.into_iter().filter(|id| !refused.contains_key(id)).collect();
    if ids.is_empty() {
        return Ok(refused);
    }
    let hours = settings::cancel_request_hours(work).await?;
    let deadline = work.now.after(Duration::from_hours(hours.unsigned_abs()));
    let inserted = store::insert(work, &ids, deadline).await?;
    let mut attempts = store::open_attempts(work, &ids).await?;
    let mut immediate = BTreeMap::new();
    for order in ids {
        let (Some(id), Some(no_refund)) = (inserted.get(&order), orders.get(&order)) else { continue };
        match choose_route(&attempts.remove(&order).unwrap_or_default()) {
            CancelRoute::AtOnce => drop(immediate.insert(order, *no_refund)),
            route => follow_route(work, *id, route).await?,
        }
    }
    refused.extend(cancel(work, &immediate).await?);
    Ok(refused)
}

/// Stores the next step of a request that is not decided at once.
async fn follow_route(work: &mut UnitOfWork, id: CancelRequestId, route: CancelRoute) -> Result<()> {
    let now = work.now;
    match route {
        CancelRoute::Ask(attempt) => {
            store::assign(work, id, attempt, now).await?.ignore_superseded();
            Ok(())
        }
        CancelRoute::Staff(cause, attempt) => store::escalate(work, id, cause, attempt).await,
        CancelRoute::Wait | CancelRoute::AtOnce => Ok(()),
    }
}

/// Cancels orders by the order's own action, which also closes their requests: with the default refund, or without a refund if
/// the service refunds nothing. The response informs the customer at once, so no email is sent. Returns the reason for each
/// order that was not canceled.
async fn cancel(
    work: &mut UnitOfWork,
    orders: &BTreeMap<OrderId, bool>,
) -> Result<BTreeMap<OrderId, String>> {
    let mut refused = BTreeMap::new();
    for return_money in [true, false] {
        let ids: Vec<OrderId> =
            orders.iter().filter(|(_, no_refund)| **no_refund != return_money).map(|(id, _)| *id).collect();
        if !ids.is_empty() {
            let bulk_action = BulkAction {
                action: OrderAction::Cancel,
                ids,
                cancel: Some(input(return_money, false)),
                is_undoable: false,
            };
            refused.extend(apply(work, &bulk_action).await?.refusals());
        }
    }
    Ok(refused)
}

/// Input for the cancel action of an order at the customer's request.
#[must_use]
pub fn input(return_money: bool, send_email_notification: bool) -> CancelInput {
    CancelInput {
        return_money,
        cancel_reason: Some(CancelReason::CustomerRequest),
        send_email_notification,
        ..CancelInput::default()
    }
}
