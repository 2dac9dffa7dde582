//! Customers request to cancel orders. An order that certainly was not sent is canceled and refunded in the same transaction;
//! for any other order the provider or staff decide. This module sends no request to an external panel.

use std::collections::BTreeMap;
use std::time::Duration;

use panel_contract::ids::{CancelRequestId, OrderId};
use panel_contract::orders::{CancelInput, CancelReason};
use panel_domain::cancel_requests::{CancelStep, choose_cancel_step};
use panel_domain::orders::{self, OrderAction};
use panel_kernel::error::Result;

use super::store;
use crate::operations::orders::apply::apply_action;
use crate::operations::orders::bulk_action::BulkAction;
use crate::operations::orders::store as order_store;
use panel_platform::settings;
use panel_platform::work::UnitOfWork;

/// Locks these orders and requests their cancellation. The value of an order is true if its service refunds nothing. Returns the
/// reason for each order whose request was rejected.
pub async fn request_cancellations(
    work: &mut UnitOfWork,
    orders: &BTreeMap<OrderId, bool>,
) -> Result<BTreeMap<OrderId, String>> {
    let ids: Vec<OrderId> = orders.keys().copied().collect();
    let mut rejections = BTreeMap::new();
    let open_requests = store::load_open_ids(work, &ids).await?;
    for order in order_store::lock(work, &ids).await? {
        if let Err(rejection) = orders::plan_change(OrderAction::Cancel, order.snapshot()) {
            rejections.insert(order.id, rejection.message);
        } else if open_requests.contains_key(&order.id) {
            rejections.insert(order.id, "Cancel is already requested".to_owned());
        }
    }
    let ids: Vec<OrderId> = ids.into_iter().filter(|id| !rejections.contains_key(id)).collect();
    if ids.is_empty() {
        return Ok(rejections);
    }
    let hours = settings::read_cancel_request_hours(work).await?;
    let deadline = work.now.plus(Duration::from_hours(hours.unsigned_abs()));
    let request_ids = store::insert(work, &ids, deadline).await?;
    let mut attempts = store::load_open_attempts(work, &ids).await?;
    let mut orders_to_cancel = BTreeMap::new();
    for order_id in ids {
        let (Some(id), Some(no_refund)) = (request_ids.get(&order_id), orders.get(&order_id)) else {
            continue;
        };
        match choose_cancel_step(&attempts.remove(&order_id).unwrap_or_default()) {
            CancelStep::Immediately => drop(orders_to_cancel.insert(order_id, *no_refund)),
            route => store_route(work, *id, route).await?,
        }
    }
    rejections.extend(cancel_orders(work, &orders_to_cancel).await?);
    Ok(rejections)
}

/// Stores the next step of a request that is not decided at once.
async fn store_route(work: &mut UnitOfWork, id: CancelRequestId, route: CancelStep) -> Result<()> {
    let now = work.now;
    match route {
        CancelStep::Send(attempt) => {
            store::assign(work, id, attempt, now).await?.ignore_superseded();
            Ok(())
        }
        CancelStep::Staff(cause, attempt) => store::escalate(work, id, cause, attempt).await,
        CancelStep::Wait | CancelStep::Immediately => Ok(()),
    }
}

/// Cancels orders as the action `cancel` of orders does, which also closes their requests. An order gets the default refund, or
/// none if its service refunds nothing. The response informs the customer at once, so no email is sent. Returns the reason for
/// each order that was not canceled.
async fn cancel_orders(
    work: &mut UnitOfWork,
    orders: &BTreeMap<OrderId, bool>,
) -> Result<BTreeMap<OrderId, String>> {
    let mut rejections = BTreeMap::new();
    for with_refund in [true, false] {
        let ids: Vec<OrderId> =
            orders.iter().filter(|(_, no_refund)| **no_refund != with_refund).map(|(id, _)| *id).collect();
        if !ids.is_empty() {
            let bulk_action = BulkAction {
                action: OrderAction::Cancel,
                ids,
                cancel: Some(cancel_input(with_refund, false)),
                is_undoable: false,
            };
            rejections.extend(apply_action(work, &bulk_action).await?.into_skip_messages());
        }
    }
    Ok(rejections)
}

/// Input for the cancel action of an order at the customer's request.
#[must_use]
pub fn cancel_input(with_refund: bool, send_email_notification: bool) -> CancelInput {
    CancelInput {
        return_money: with_refund,
        cancel_reason: Some(CancelReason::CustomerRequest),
        send_email_notification,
        ..CancelInput::default()
    }
}
