//! Drip-feeds as the field speaks of them: `add` answers with the id of the first order, and that id means the whole. Its
//! `status` counts all runs, its `cancel` ends the runs to come and asks to cancel the orders that still run.

use std::collections::BTreeMap;

use panel_contract::amount::Money;
use panel_contract::drip_feeds::BatchStatus;
use panel_contract::ids::{DripFeedId, OrderId, UserId};
use panel_kernel::error::{Error, Result};
use serde_json::{Value, json};

use super::words;
use crate::operations::drip_feeds;
use panel_platform::db::{Source, Sql};
use panel_platform::work::Work;

/// A drip-feed and what its orders come to.
#[derive(Debug, sqlx::FromRow)]
struct WholeDripFeed {
    first_order: OrderId,
    status: BatchStatus,
    cost: Money,
    returned: Money,
    /// Returned of its orders.
    refunded: Money,
    /// Units of all runs.
    quantity: i64,
    /// Units delivered; all of an order that completed.
    delivered: i64,
    /// Orders that did not end.
    open: i64,
    /// Those of them that wait for money or moderation.
    waiting: i64,
    start_count: Option<i64>,
    cancel_status: Option<String>,
}

/// A locked drip-feed that a call cancels.
#[derive(Debug)]
pub(super) struct CanceledDripFeed {
    id: DripFeedId,
    status: BatchStatus,
    /// Its orders that did not end.
    pub(super) open_orders: Vec<OrderId>,
}

impl CanceledDripFeed {
    /// Why nothing of it was canceled; none where something was. `refused` has the orders that took no request.
    fn refusal(&self, refused: &BTreeMap<OrderId, String>) -> Option<String> {
        if self.status == BatchStatus::InProcessing
            || self.open_orders.iter().any(|id| !refused.contains_key(id))
        {
            return None;
        }
        let of_orders = self.open_orders.iter().find_map(|id| refused.get(id)).cloned();
        of_orders.or_else(|| {
            let refusal = drip_feeds::check_cancel(self.status, "drip-feed", "drip_feed_not_cancelable");
            refusal.err().map(|refusal| refusal.message)
        })
    }
}

// Rules

impl WholeDripFeed {
    fn word(&self) -> &'static str {
        let is_open = self.open > 0 || self.status == BatchStatus::InProcessing;
        match (is_open, self.delivered) {
            (true, 0) if self.waiting > 0 && self.waiting == self.open => "Pending",
            (true, 0) => "Processing",
            (true, _) => "In progress",
            (false, 0) => "Canceled",
            (false, delivered) if delivered >= self.quantity => "Completed",
            (false, _) => "Partial",
        }
    }

    fn shown(&self, currency: &str) -> Result<Value> {
        let mut shown = json!({
            "charge": self.cost.minus(self.returned)?.minus(self.refunded)?,
            "start_count": self.start_count.map(|count| count.to_string()),
            "status": self.word(),
            "remains": (self.quantity - self.delivered).max(0).to_string(),
            "currency": currency,
        });
        if let Some(status) = &self.cancel_status {
            shown["cancel_status"] = json!(status);
        }
        Ok(shown)
    }
}

// Store

/// The customer's own drip-feeds whose first order is among these, by its id.
pub(super) async fn status(
    db: &mut impl Source,
    user: UserId,
    (ids, currency): (&[OrderId], &str),
) -> Result<BTreeMap<OrderId, Value>> {
    let sql = Sql::new(
        "SELECT f.first_order, d.status, d.cost, d.returned, d.runs * d.quantity AS quantity, f.refunded, f.delivered, f.open, f.waiting,
           (SELECT o.external_order_start_count FROM orders o WHERE o.id = f.first_order) AS start_count,
           (SELECT c.status FROM orders o JOIN order_cancel_requests c ON c.order_id = o.id WHERE o.drip_feed_id = d.id
             ORDER BY c.id DESC LIMIT 1) AS cancel_status
         FROM (SELECT o.drip_feed_id, min(o.id) AS first_order, CAST(sum(o.refunded) AS BIGINT) AS refunded,
             CAST(sum(CASE WHEN o.status = 'completed' OR o.current_quantity > o.quantity THEN o.quantity ELSE o.current_quantity END) AS BIGINT) AS delivered,
             CAST(sum(CASE WHEN o.status IN ('completed', 'canceled') THEN 0 ELSE 1 END) AS BIGINT) AS open,
             CAST(sum(CASE WHEN o.status IN ('unpaid', 'in_moderation') THEN 1 ELSE 0 END) AS BIGINT) AS waiting
           FROM orders o WHERE o.drip_feed_id IN (SELECT x.drip_feed_id FROM orders x WHERE x.user_id = ? AND x.drip_feed_id IS NOT NULL AND x.id IN ",
    );
    let sql = sql.bind(user).ids(ids).push(
        ") GROUP BY o.drip_feed_id) f JOIN drip_feeds d ON d.id = f.drip_feed_id WHERE f.first_order IN ",
    );
    let found: Vec<WholeDripFeed> = db.all(sql.ids(ids)).await?;
    found.into_iter().map(|feed| Ok((feed.first_order, feed.shown(currency)?))).collect()
}

/// Locks the customer's own drip-feeds whose first order is among these, by its id, before anything locks their orders: a
/// run that is being placed comes before, and no other comes.
pub(super) async fn lock(
    work: &mut Work,
    user: UserId,
    ids: &[OrderId],
) -> Result<BTreeMap<OrderId, CanceledDripFeed>> {
    let sql = Sql::new(
        "SELECT d.id, d.status FROM drip_feeds d WHERE d.user_id = ? AND d.id IN (SELECT x.drip_feed_id FROM orders x
           WHERE x.user_id = ? AND x.drip_feed_id IS NOT NULL AND x.id IN ",
    );
    let sql = sql.bind(user).bind(user).ids(ids).push(") ORDER BY d.id").for_update();
    let locked: Vec<(DripFeedId, BatchStatus)> = work.all(sql).await?;
    let feeds: Vec<DripFeedId> = locked.iter().map(|(id, _)| *id).collect();
    let sql = Sql::new(
        "SELECT o.drip_feed_id, o.id, o.status IN ('completed', 'canceled') FROM orders o WHERE o.drip_feed_id IN ",
    );
    let orders: Vec<(DripFeedId, OrderId, bool)> = work.all(sql.ids(&feeds).push(" ORDER BY o.id")).await?;
    let mut found = BTreeMap::new();
    for (id, status) in locked {
        let own = || orders.iter().filter(|order| order.0 == id);
        let open_orders = own().filter(|order| !order.2).map(|order| order.1).collect();
        if let Some(first) = own().map(|order| order.1).next().filter(|first| ids.contains(first)) {
            found.insert(first, CanceledDripFeed { id, status, open_orders });
        }
    }
    Ok(found)
}

/// Ends those of these that place runs, by the action that staff have, and gives back what the runs to come were paid
/// with. Why nothing of a drip-feed was canceled, by the id of its first order.
pub(super) async fn cancel(
    work: &mut Work,
    feeds: &BTreeMap<OrderId, CanceledDripFeed>,
    refused: &BTreeMap<OrderId, String>,
) -> Result<BTreeMap<OrderId, Option<String>>> {
    let mut done = BTreeMap::new();
    for (first, feed) in feeds {
        let mut why = feed.refusal(refused);
        if feed.status == BatchStatus::InProcessing {
            match drip_feeds::cancel_one(work, feed.id).await {
                Ok(()) => {}
                Err(Error::Rejected(rejection)) => why = Some(words::sentence(&rejection)),
                Err(fault) => return Err(fault),
            }
        }
        done.insert(*first, why);
    }
    Ok(done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_is_over_when_all_of_it_is() {
        let word = |status, open, waiting, delivered| {
            let money = Money::ZERO;
            let feed = WholeDripFeed {
                first_order: OrderId::new(1),
                status,
                cost: money,
                returned: money,
                refunded: money,
                quantity: 300,
                delivered,
                open,
                waiting,
                start_count: None,
                cancel_status: None,
            };
            feed.word()
        };
        use BatchStatus::{Canceled, Completed, InProcessing};
        assert_eq!(word(InProcessing, 1, 1, 0), "Pending");
        assert_eq!(word(InProcessing, 1, 0, 0), "Processing");
        assert_eq!(word(InProcessing, 0, 0, 100), "In progress", "the first run is there, others come");
        assert_eq!(word(Completed, 1, 0, 200), "In progress");
        assert_eq!(word(Completed, 0, 0, 300), "Completed");
        assert_eq!(word(Completed, 0, 0, 250), "Partial");
        assert_eq!(word(Canceled, 1, 0, 0), "Processing", "an order still runs");
        assert_eq!([word(Canceled, 0, 0, 0), word(Canceled, 0, 0, 100)], ["Canceled", "Partial"]);
    }
}
