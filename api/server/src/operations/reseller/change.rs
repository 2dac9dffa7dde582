//! The actions `refill` and `cancel` of the reseller API. The rules are the same as for staff, and the service must allow customers
//! the action.

use std::collections::BTreeMap;

use panel_contract::ids::{OrderId, RefillRequestId, UserId};
use panel_contract::order_requests::ResellerRequest;
use panel_domain::orders::MAX_IDS;
use panel_kernel::error::{Error, Result};
use serde_json::{Value, json};

use super::customer::Customer;
use super::protocol::{self, Ids};
use super::{subscribe, whole_drip_feed};
use crate::context::Ctx;
use crate::operations::cancel_requests::request;
use crate::operations::orders::refill as refills;
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::work::UnitOfWork;

/// `refill`: requests a refill of one order, or of up to 100 orders.
pub(super) async fn refill(ctx: &Ctx, customer: &Customer, call: &ResellerRequest) -> Result<Value> {
    let ids = Ids::<OrderId>::from_call(call, "order", "orders")?;
    let mut work = ctx.begin().await?;
    let customer_orders = load_customer_orders(&mut work, customer.id, &ids.valid_ids()).await?;
    let response = match &ids {
        Ids::One(id) => {
            let refill_id = request_refill(&mut work, id.and_then(|id| customer_orders.get(&id))).await?;
            json!({ "refill": refill_id })
        }
        Ids::Many(ids) => {
            let mut list = Vec::new();
            for (text, id) in ids {
                let result = match request_refill(&mut work, id.and_then(|id| customer_orders.get(&id))).await
                {
                    Ok(refill_id) => json!(refill_id),
                    Err(Error::Rejected(rejection)) => {
                        json!({ "error": protocol::rejection_message(&rejection) })
                    }
                    Err(error) => return Err(error),
                };
                list.push(json!({ "order": id_value(text, *id), "refill": result }));
            }
            list.into()
        }
    };
    work.finish(response).await
}

/// Requests a refill of the measured loss. If no loss was measured, requests a refill of the whole quantity.
async fn request_refill(work: &mut UnitOfWork, order: Option<&CustomerOrder>) -> Result<RefillRequestId> {
    let order = order.ok_or_else(|| protocol::reseller_error("Incorrect order ID"))?;
    if order.has_open_refill {
        return Err(protocol::reseller_error("Refill is already requested"));
    }
    let quantity = if order.drop_quantity > 0 { order.drop_quantity } else { order.quantity };
    Ok(refills::request_refill(work, order.id, quantity).await?.id)
}

/// `cancel`: requests the cancellation of orders. The rules decide about each order separately. 1 in the response means that the
/// request was accepted; the action `status` returns its result. The id of the first order of a drip-feed cancels the whole
/// drip-feed: future runs are canceled, and the rules decide about each open order. The id of a subscription ends the subscription;
/// the orders that it placed continue.
pub(super) async fn cancel(ctx: &Ctx, customer: &Customer, call: &ResellerRequest) -> Result<Value> {
    let ids = match Ids::<OrderId>::from_call(call, "order", "orders")? {
        Ids::One(id) => vec![(protocol::field(call, "order").to_owned(), id)],
        Ids::Many(ids) => ids,
    };
    let mut work = ctx.begin().await?;
    let valid_ids: Vec<OrderId> = ids.iter().filter_map(|(_, id)| *id).collect();
    let mut drip_feeds = whole_drip_feed::lock_drip_feeds(&mut work, customer.id, &valid_ids).await?;
    let feed_orders: Vec<OrderId> =
        drip_feeds.values().flat_map(|feed| feed.open_orders.iter().copied()).collect();
    let order_ids: Vec<OrderId> = valid_ids.iter().chain(&feed_orders).copied().collect();
    // All these orders are canceled in one transaction, which blocks other writers, so their number is limited.
    if order_ids.len() > MAX_IDS {
        return Err(protocol::reseller_error("Too many orders at once: send fewer drip-feeds in a call"));
    }
    let customer_orders = load_customer_orders(&mut work, customer.id, &order_ids).await?;
    let subscriptions = subscribe::lock_subscriptions(&mut work, customer.id, &valid_ids).await?;
    drip_feeds
        .retain(|first_order, _| customer_orders.get(first_order).is_some_and(|order| order.can_cancel));
    // The first order of a drip-feed may have ended although other orders are open. An ended order gets no cancel request.
    let needs_request = |id: &OrderId| feed_orders.contains(id) || !drip_feeds.contains_key(id);
    let cancelable_orders =
        customer_orders.values().filter(|order| order.can_cancel && needs_request(&order.id));
    let orders: BTreeMap<OrderId, bool> =
        cancelable_orders.map(|order| (order.id, order.no_refund)).collect();
    let rejections = request::request_cancellations(&mut work, &orders).await?;
    let canceled_feeds = whole_drip_feed::cancel_drip_feeds(&mut work, &drip_feeds, &rejections).await?;
    let canceled_subscriptions = subscribe::cancel_subscriptions(&mut work, &subscriptions).await?;
    let to_result = |(text, id): (String, Option<OrderId>)| {
        let order = id.and_then(|id| customer_orders.get(&id));
        let canceled_record =
            id.and_then(|id| canceled_feeds.get(&id).or_else(|| canceled_subscriptions.get(&id)));
        let rejection = match (order, canceled_record) {
            (_, Some(rejection)) => rejection.clone(),
            (None, None) => Some("Incorrect order ID".to_owned()),
            (Some(order), None) if !order.can_cancel => Some("This service cannot be canceled".to_owned()),
            (Some(order), None) => rejections.get(&order.id).cloned(),
        };
        let result = rejection.map_or_else(|| json!(1), |message| json!({ "error": message }));
        json!({ "order": id_value(&text, id), "cancel": result })
    };
    let results: Vec<Value> = ids.into_iter().map(to_result).collect();
    work.finish(results.into()).await
}

/// Returns a valid id as a number, and any other text unchanged.
fn id_value(text: &str, id: Option<OrderId>) -> Value {
    id.map_or_else(|| text.into(), |id| json!(id))
}

// Store

#[derive(Debug, sqlx::FromRow)]
struct CustomerOrder {
    id: OrderId,
    quantity: i64,
    drop_quantity: i64,
    can_cancel: bool,
    no_refund: bool,
    has_open_refill: bool,
}

/// Locks these orders in the order of their ids, and returns those that belong to the customer.
async fn load_customer_orders(
    work: &mut UnitOfWork,
    user: UserId,
    ids: &[OrderId],
) -> Result<BTreeMap<OrderId, CustomerOrder>> {
    crate::operations::orders::store::lock(work, ids).await?;
    let sql = Sql::new(
        "SELECT o.id, o.quantity, o.drop_quantity, s.cancel_by_client_is_allowed AS can_cancel, s.no_refund,
           EXISTS (SELECT 1 FROM order_refill_requests r WHERE r.order_id = o.id AND r.status IN ('pending', 'sent')) AS has_open_refill
         FROM orders o JOIN services s ON s.id = o.service_id WHERE o.user_id = ? AND o.id IN ",
    );
    let rows: Vec<CustomerOrder> = work.fetch_all(sql.bind(user).ids(ids)).await?;
    Ok(rows.into_iter().map(|order| (order.id, order)).collect())
}
