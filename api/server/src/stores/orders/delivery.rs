//! What was delivered of orders, what their providers charged, and what is known of the promoted content. No state changes
//! here, and no customer's money moves.

use panel_contract::amount::Money;
use panel_contract::ids::OrderId;
use panel_contract::moment::{Stamp, Time};
use panel_contract::orders::OrderStatus;
use panel_platform::db::state::{Transition, transition};
use panel_platform::db::{DbResult, Source, Sql, Val};
use panel_platform::sql;

/// What external panels delivered of an order since it was recorded last.
#[derive(Debug, Clone, Copy)]
pub struct Delivery {
    pub id: OrderId,
    /// What its providers charged more.
    pub cost: Money,
    /// Units of the order that came to it; fewer than none where a panel took some back.
    pub quantity: i64,
    /// Count of the address when the delivery began, where a panel says it.
    pub start_count: Option<i64>,
}

/// Adds what was delivered and charged to the orders, which the caller locked. The first start count stays.
pub async fn record_deliveries(db: &mut impl Source, deliveries: &[Delivery], now: Time) -> DbResult<()> {
    let row = |of: &Delivery| vec![of.id.into(), of.cost.into(), of.quantity.into(), of.start_count.into()];
    let sql = Sql::new(
        "UPDATE orders SET provider_cost = orders.provider_cost + r.cost,
           current_quantity = CASE WHEN orders.current_quantity + r.quantity > 0 THEN orders.current_quantity + r.quantity ELSE 0 END,
           external_order_start_count = COALESCE(NULLIF(orders.external_order_start_count, 0), r.start, orders.external_order_start_count), updated_at = ? FROM ",
    );
    let columns = ["id", "cost", "quantity", "start"];
    let sql = sql.bind(now).rows("r", &columns, deliveries.iter().map(row).collect());
    db.exec(sql.push(" WHERE orders.id = r.id")).await.map(drop)
}

/// Staff recorded what providers did: so much more cost, and so many units delivered in all. Only where the order still has the
/// status that the record was judged by.
pub async fn record_by_hand(
    db: &mut impl Source,
    (id, status): (OrderId, OrderStatus),
    (cost, delivered): (Money, i64),
    now: Stamp,
) -> DbResult<Transition> {
    let sql = sql!(
        "UPDATE orders SET provider_cost = provider_cost + @cost, current_quantity = @current_quantity, updated_at = @now \
           WHERE id = @id AND status = @status",
        { cost, current_quantity: delivered, now, id, status: status.as_str() },
    );
    transition(db, sql).await
}

/// How many of the panels' units fill an order.
#[derive(Debug, Clone, Copy)]
pub struct FullFill {
    pub id: OrderId,
    /// Units that its next attempt is placed with.
    pub ordered: i64,
    /// Whether these are more or fewer than the units of the order.
    pub differs: bool,
}

/// Records how many units fill each order, before its next attempt is written: what earlier attempts delivered and what is
/// ordered now. Orders that are filled by as many as were sold have none, also where an earlier attempt had another ratio and
/// delivered nothing.
pub async fn record_full_fill(db: &mut impl Source, orders: &[FullFill]) -> DbResult<()> {
    if orders.is_empty() {
        return Ok(());
    }
    let row = |of: &FullFill| vec![of.id.into(), of.ordered.into(), i64::from(of.differs).into()];
    let delivered = "e.initial_quantity - COALESCE(e.remains, CASE WHEN e.status IN ('Completed', 'Partial') THEN 0 ELSE e.initial_quantity END)";
    let sql = Sql::new(
        "UPDATE orders SET quantity_for_full_fill = CASE WHEN r.differs = 1 OR EXISTS (SELECT 1 FROM external_panel_orders e
           WHERE e.order_id = orders.id AND e.sold_quantity IS NOT NULL AND ",
    );
    let sql = sql.push(delivered).push(" > 0) THEN r.ordered + (SELECT CAST(COALESCE(sum(").push(delivered);
    let sql =
        sql.push("), 0) AS BIGINT) FROM external_panel_orders e WHERE e.order_id = orders.id) END FROM ");
    let sql = sql.rows("r", &["id", "ordered", "differs"], orders.iter().map(row).collect());
    let sql =
        sql.push(" WHERE orders.id = r.id AND (r.differs = 1 OR orders.quantity_for_full_fill IS NOT NULL)");
    db.exec(sql).await.map(drop)
}

/// Records how many units the counter measured, where that is another number than before.
pub async fn record_counted(db: &mut impl Source, quantities: &[(OrderId, i64)]) -> DbResult<()> {
    if quantities.is_empty() {
        return Ok(());
    }
    let row = |(id, quantity): &(OrderId, i64)| vec![(*id).into(), (*quantity).into()];
    let sql = Sql::new("UPDATE orders SET external_statistics_quantity = r.quantity FROM ");
    let sql = sql.rows("r", &["id", "quantity"], quantities.iter().map(row).collect()).push(
        " WHERE orders.id = r.id AND (orders.external_statistics_quantity IS NULL OR orders.external_statistics_quantity <> r.quantity)",
    );
    db.exec(sql).await.map(drop)
}

/// How many watch the live stream of an order.
#[derive(Debug, Clone, Copy)]
pub struct StreamViewers {
    pub id: OrderId,
    /// At this moment.
    pub viewers: i64,
    /// On average since the stream began, where the counter says it.
    pub average: Option<i64>,
}

/// Records viewers of live streams, after the point of their charts. The first viewers begin the support of a stream, later
/// ones continue it. A counter that says no average leaves the mean of the chart.
pub async fn record_viewers(db: &mut impl Source, streams: &[StreamViewers], now: Time) -> DbResult<()> {
    let row = |of: &StreamViewers| vec![of.id.into(), of.viewers.into(), of.average.into()];
    let sql = Sql::new(
        "UPDATE orders SET promotable_first_statistic_viewers = COALESCE(orders.promotable_first_statistic_viewers, r.viewers),
           promotable_supported_at = COALESCE(orders.promotable_supported_at, CAST(? AS BIGINT)), promotable_supported_until = ?,
           promotable_average_viewers = COALESCE(r.average, (SELECT CAST(avg(p.viewers) AS BIGINT) FROM promotable_statistics p
             WHERE p.order_id = orders.id AND p.at >= COALESCE(orders.promotable_supported_at, 0))) FROM ",
    );
    let columns = ["id", "viewers", "average"];
    let sql = sql.bind(now).bind(now).rows("r", &columns, streams.iter().map(row).collect());
    db.exec(sql.push(" WHERE orders.id = r.id")).await.map(drop)
}

/// What the counter says of the promoted content of an order, where it says it.
#[derive(Debug, Clone, Copy)]
pub struct PromotedContent<'a> {
    pub id: OrderId,
    /// Address by which the content can be embedded.
    pub embed_url: Option<&'a str>,
    /// Countries that cannot see the content.
    pub region_restriction: Option<&'a str>,
}

/// Records what is known of the promoted content; what the counter does not say stays.
pub async fn record_promoted(db: &mut impl Source, contents: &[PromotedContent<'_>]) -> DbResult<()> {
    let row = |of: &PromotedContent<'_>| -> Vec<Val> {
        vec![of.id.into(), of.embed_url.into(), of.region_restriction.into()]
    };
    let sql = Sql::new(
        "UPDATE orders SET promotable_embed_url = COALESCE(r.embed_url, orders.promotable_embed_url),
           promotable_region_restriction = COALESCE(r.region, orders.promotable_region_restriction) FROM ",
    );
    let sql = sql.rows("r", &["id", "embed_url", "region"], contents.iter().map(row).collect());
    db.exec(sql.push(" WHERE orders.id = r.id")).await.map(drop)
}
