//! A customer's program asks for a refill or for an order to be canceled: judged by the same rules as staff's wishes, and
//! only where the service allows it to customers.

use std::collections::BTreeMap;

use panel_contract::ids::{OrderId, RefillRequestId, UserId};
use panel_contract::intake::ResellerCall;
use panel_domain::orders::MOST_IDS;
use panel_kernel::error::{Error, Result};
use serde_json::{Value, json};

use super::customer::Customer;
use super::words::{self, Ids};
use super::{subscribe, whole_drip_feed};
use crate::context::Ctx;
use crate::operations::cancel_requests::request;
use crate::operations::orders::refill as refills;
use panel_platform::db::{Source, Sql};
use panel_platform::work::Work;

/// `refill`: one order or up to a hundred.
pub(super) async fn refill(ctx: &Ctx, customer: &Customer, call: &ResellerCall) -> Result<Value> {
    let ids = Ids::<OrderId>::of(call, "order", "orders")?;
    let mut work = ctx.begin().await?;
    let own = own(&mut work, customer.id, &ids.known()).await?;
    let said = match &ids {
        Ids::One(id) => {
            let made = refill_one(&mut work, id.and_then(|id| own.get(&id))).await?;
            json!({ "refill": made })
        }
        Ids::Many(ids) => {
            let mut list = Vec::new();
            for (text, id) in ids {
                let made = match refill_one(&mut work, id.and_then(|id| own.get(&id))).await {
                    Ok(made) => json!(made),
                    Err(Error::Rejected(rejection)) => json!({ "error": words::sentence(&rejection) }),
                    Err(fault) => return Err(fault),
                };
                list.push(json!({ "order": named(text, *id), "refill": made }));
            }
            list.into()
        }
    };
    work.finish(said).await
}

/// What fell away when that is known, else all of it.
async fn refill_one(work: &mut Work, order: Option<&Own>) -> Result<RefillRequestId> {
    let order = order.ok_or_else(|| words::refused("Incorrect order ID"))?;
    if order.refill_is_open {
        return Err(words::refused("Refill is already requested"));
    }
    let quantity = if order.drop_quantity > 0 { order.drop_quantity } else { order.quantity };
    Ok(refills::request(work, order.id, quantity).await?.id)
}

/// `cancel`: each order is judged alone. 1 says that the request was accepted; `status` tells what becomes of it. The id of a
/// drip-feed means all of it: the runs to come end, and its orders that still run are judged. A subscription ends, whatever
/// its service says: its placed orders go on.
pub(super) async fn cancel(ctx: &Ctx, customer: &Customer, call: &ResellerCall) -> Result<Value> {
    let ids = match Ids::<OrderId>::of(call, "order", "orders")? {
        Ids::One(id) => vec![(words::field(call, "order").to_owned(), id)],
        Ids::Many(ids) => ids,
    };
    let mut work = ctx.begin().await?;
    let known: Vec<OrderId> = ids.iter().filter_map(|(_, id)| *id).collect();
    let mut feeds = whole_drip_feed::lock(&mut work, customer.id, &known).await?;
    let of_feeds: Vec<OrderId> = feeds.values().flat_map(|feed| feed.open_orders.iter().copied()).collect();
    let all: Vec<OrderId> = known.iter().chain(&of_feeds).copied().collect();
    // They are canceled in one transaction, which holds up other writers meanwhile.
    if all.len() > MOST_IDS {
        return Err(words::refused("Too many orders at once: name fewer drip-feeds in a call"));
    }
    let own = own(&mut work, customer.id, &all).await?;
    let subscriptions = subscribe::lock(&mut work, customer.id, &known).await?;
    feeds.retain(|first, _| own.get(first).is_some_and(|order| order.may_cancel));
    // The first order of a drip-feed that ended alone already is not asked for again.
    let is_asked = |id: &OrderId| of_feeds.contains(id) || !feeds.contains_key(id);
    let may = own.values().filter(|order| order.may_cancel && is_asked(&order.id));
    let orders: BTreeMap<OrderId, bool> = may.map(|order| (order.id, order.no_refund)).collect();
    let refused = request::request(&mut work, &orders).await?;
    let ended_feeds = whole_drip_feed::cancel(&mut work, &feeds, &refused).await?;
    let ended = subscribe::cancel(&mut work, &subscriptions).await?;
    let said = |(text, id): (String, Option<OrderId>)| {
        let order = id.and_then(|id| own.get(&id));
        let whole = id.and_then(|id| ended_feeds.get(&id).or_else(|| ended.get(&id)));
        let why = match (order, whole) {
            (_, Some(why)) => why.clone(),
            (None, None) => Some("Incorrect order ID".to_owned()),
            (Some(order), None) if !order.may_cancel => Some("This service cannot be canceled".to_owned()),
            (Some(order), None) => refused.get(&order.id).cloned(),
        };
        let done = why.map_or_else(|| json!(1), |why| json!({ "error": why }));
        json!({ "order": named(&text, id), "cancel": done })
    };
    let said: Vec<Value> = ids.into_iter().map(said).collect();
    work.finish(said.into()).await
}

/// An id as a number; what is none as it was sent.
fn named(text: &str, id: Option<OrderId>) -> Value {
    id.map_or_else(|| text.into(), |id| json!(id))
}

// Store

#[derive(Debug, sqlx::FromRow)]
struct Own {
    id: OrderId,
    quantity: i64,
    drop_quantity: i64,
    may_cancel: bool,
    no_refund: bool,
    refill_is_open: bool,
}

/// The customer's own among these orders, locked in the order of their ids.
async fn own(work: &mut Work, user: UserId, ids: &[OrderId]) -> Result<BTreeMap<OrderId, Own>> {
    crate::operations::orders::store::lock(work, ids).await?;
    let sql = Sql::new(
        "SELECT o.id, o.quantity, o.drop_quantity, s.cancel_by_client_is_allowed AS may_cancel, s.no_refund,
           EXISTS (SELECT 1 FROM order_refill_requests r WHERE r.order_id = o.id AND r.status IN ('pending', 'sent')) AS refill_is_open
         FROM orders o JOIN services s ON s.id = o.service_id WHERE o.user_id = ? AND o.id IN ",
    );
    let rows: Vec<Own> = work.all(sql.bind(user).ids(ids)).await?;
    Ok(rows.into_iter().map(|order| (order.id, order)).collect())
}
