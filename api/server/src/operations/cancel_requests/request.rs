//! A customer wants to cancel orders: each becomes a request. What surely was not sent is canceled and refunded in the
//! same transaction; of the rest the provider is asked, or staff decide. No call to the outside.

use std::collections::BTreeMap;
use std::time::Duration;

use panel_contract::ids::{CancelRequestId, OrderId};
use panel_contract::orders::{CancelInput, CancelReason};
use panel_domain::cancel_requests::{Way, way};
use panel_domain::orders::{self, Action};
use panel_kernel::error::Result;

use super::store;
use crate::operations::orders::apply::apply;
use crate::operations::orders::bulk_action::BulkAction;
use crate::operations::orders::store as order_store;
use panel_platform::settings;
use panel_platform::work::Work;

/// Requests to cancel these orders, which are locked. The value says whether the service refunds nothing. The reason of
/// each order that takes no request, by id.
pub async fn request(work: &mut Work, orders: &BTreeMap<OrderId, bool>) -> Result<BTreeMap<OrderId, String>> {
    let ids: Vec<OrderId> = orders.keys().copied().collect();
    let mut refused = BTreeMap::new();
    let open = store::open_of(work, &ids).await?;
    for facts in order_store::lock(work, &ids).await? {
        if let Err(refusal) = orders::judge(Action::Cancel, facts.state()) {
            refused.insert(facts.id, refusal.message);
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
    let made = store::insert(work, &ids, deadline).await?;
    let mut attempts = store::open_attempts(work, &ids).await?;
    let mut at_once = BTreeMap::new();
    for order in ids {
        let (Some(id), Some(no_refund)) = (made.get(&order), orders.get(&order)) else { continue };
        match way(&attempts.remove(&order).unwrap_or_default()) {
            Way::AtOnce => drop(at_once.insert(order, *no_refund)),
            way => go(work, *id, way).await?,
        }
    }
    refused.extend(cancel(work, &at_once).await?);
    Ok(refused)
}

/// Writes what is done about a request that is not decided at once.
async fn go(work: &mut Work, id: CancelRequestId, way: Way) -> Result<()> {
    let now = work.now;
    match way {
        Way::Ask(attempt) => {
            store::assign(work, id, attempt, now).await?.or_nothing();
            Ok(())
        }
        Way::Staff(cause, attempt) => store::escalate(work, id, cause, attempt).await,
        Way::Wait | Way::AtOnce => Ok(()),
    }
}

/// Cancels orders as their customers requested, by the orders' own action, which closes their requests: with the default
/// refund, or without money where the service refunds nothing. Their answer tells them at once, so no email goes out. Why an order stayed as it was, by id.
async fn cancel(work: &mut Work, orders: &BTreeMap<OrderId, bool>) -> Result<BTreeMap<OrderId, String>> {
    let mut refused = BTreeMap::new();
    for return_money in [true, false] {
        let ids: Vec<OrderId> =
            orders.iter().filter(|(_, no_refund)| **no_refund != return_money).map(|(id, _)| *id).collect();
        if !ids.is_empty() {
            let wanted = BulkAction {
                action: Action::Cancel,
                ids,
                cancel: Some(input(return_money, false)),
                is_undoable: false,
            };
            refused.extend(apply(work, &wanted).await?.refusals());
        }
    }
    Ok(refused)
}

/// How an order is canceled at its customer's request.
#[must_use]
pub fn input(return_money: bool, send_email_notification: bool) -> CancelInput {
    CancelInput {
        return_money,
        cancel_reason: Some(CancelReason::CustomerRequest),
        send_email_notification,
        ..CancelInput::default()
    }
}
