//! Delivered quantities, provider costs and data about the promoted content of orders. Changes no state and moves no
//! customer's money.

use panel_contract::amount::Money;
use panel_contract::ids::OrderId;
use panel_contract::moment::{Time, Timestamp};
use panel_contract::orders::OrderStatus;
use panel_platform::db::state::{Transition, transition};
use panel_platform::db::{DbResult, Source, Sql, Val};
use panel_platform::sql;

/// The increase of an order's delivery since the previous record.
#[derive(Debug, Clone, Copy)]
pub struct Delivery {
    pub id: OrderId,
    /// Increase of the providers' charges.
    pub cost: Money,
    /// Increase of the delivered units of the order; negative if a panel corrected its count downwards.
    pub quantity: i64,
    /// Count at the order's URL when the delivery began, if the panel reports it.
    pub start_count: Option<i64>,
}

/// Adds deliveries and costs to the orders, which the caller has locked. The first start count is never overwritten.
pub async fn record_deliveries(db: &mut impl Source, deliveries: &[Delivery], now: Time) -> DbResult<()> {
    let row = |delivery: &Delivery| {
        vec![delivery.id.into(), delivery.cost.into(), delivery.quantity.into(), delivery.start_count.into()]
    };
    let sql = Sql::new(
        "UPDATE orders SET provider_cost = orders.provider_cost + r.cost,
           current_quantity = CASE WHEN orders.current_quantity + r.quantity > 0 THEN orders.current_quantity + r.quantity ELSE 0 END,
           external_order_start_count = COALESCE(NULLIF(orders.external_order_start_count, 0), r.start_count, orders.external_order_start_count), updated_at = ? FROM ",
    );
    let columns = ["id", "cost", "quantity", "start_count"];
    let sql = sql.bind(now).rows("r", &columns, deliveries.iter().map(row).collect());
    db.execute(sql.push(" WHERE orders.id = r.id")).await.map(drop)
}

/// Records a delivery that staff entered: adds `cost`, and sets the total of delivered units to `delivered`. Applies only while
/// the order still has the status that the rules were checked against.
pub async fn record_by_hand(
    db: &mut impl Source,
    (id, status): (OrderId, OrderStatus),
    (cost, delivered): (Money, i64),
    now: Timestamp,
) -> DbResult<Transition> {
    let sql = sql!(
        "UPDATE orders SET provider_cost = provider_cost + @cost, current_quantity = @current_quantity, updated_at = @now \
           WHERE id = @id AND status = @status",
        { cost, current_quantity: delivered, now, id, status: status.as_str() },
    );
    transition(db, sql).await
}

/// The number of units to order from the external panel in order to deliver the rest of an order.
#[derive(Debug, Clone, Copy)]
pub struct FullFillQuantity {
    pub id: OrderId,
    /// Units that the next placement attempt orders.
    pub ordered_units: i64,
    /// Whether `ordered_units` differs from the remaining units of the order.
    pub differs_from_order: bool,
}

/// Records how many units of external panels fill each order, before its next attempt is inserted: the units that earlier
/// attempts delivered plus the units ordered now. The number is NULL if it equals the sold quantity, even if an earlier attempt
/// had another ratio but delivered nothing.
pub async fn record_full_fill(db: &mut impl Source, orders: &[FullFillQuantity]) -> DbResult<()> {
    if orders.is_empty() {
        return Ok(());
    }
    let row = |fill: &FullFillQuantity| {
        vec![fill.id.into(), fill.ordered_units.into(), i64::from(fill.differs_from_order).into()]
    };
    let delivered_units = "e.initial_quantity - COALESCE(e.remains, CASE WHEN e.status IN ('Completed', 'Partial') THEN 0 ELSE e.initial_quantity END)";
    let sql = Sql::new(
        "UPDATE orders SET quantity_for_full_fill = CASE WHEN r.differs = 1 OR EXISTS (SELECT 1 FROM external_panel_orders e
           WHERE e.order_id = orders.id AND e.sold_quantity IS NOT NULL AND ",
    );
    let sql = sql
        .push(delivered_units)
        .push(" > 0) THEN r.ordered + (SELECT CAST(COALESCE(sum(")
        .push(delivered_units);
    let sql =
        sql.push("), 0) AS BIGINT) FROM external_panel_orders e WHERE e.order_id = orders.id) END FROM ");
    let sql = sql.rows("r", &["id", "ordered", "differs"], orders.iter().map(row).collect());
    let sql =
        sql.push(" WHERE orders.id = r.id AND (r.differs = 1 OR orders.quantity_for_full_fill IS NOT NULL)");
    db.execute(sql).await.map(drop)
}

/// Records the quantity that the counter measured for each order, if it changed.
pub async fn record_counted_quantities(db: &mut impl Source, quantities: &[(OrderId, i64)]) -> DbResult<()> {
    if quantities.is_empty() {
        return Ok(());
    }
    let row = |(id, quantity): &(OrderId, i64)| vec![(*id).into(), (*quantity).into()];
    let sql = Sql::new("UPDATE orders SET external_statistics_quantity = r.quantity FROM ");
    let sql = sql.rows("r", &["id", "quantity"], quantities.iter().map(row).collect()).push(
        " WHERE orders.id = r.id AND (orders.external_statistics_quantity IS NULL OR orders.external_statistics_quantity <> r.quantity)",
    );
    db.execute(sql).await.map(drop)
}

/// Viewers of the live stream of an order.
#[derive(Debug, Clone, Copy)]
pub struct StreamViewers {
    pub id: OrderId,
    pub viewers: i64,
    /// Average since the stream began, if the counter reports it.
    pub average: Option<i64>,
}

/// Records the viewers of live streams, after the points of their charts are inserted. The first viewers begin the support of a
/// stream, later ones continue it. Without an average from the counter, the mean of the chart is stored.
pub async fn record_viewers(db: &mut impl Source, streams: &[StreamViewers], now: Time) -> DbResult<()> {
    let row = |stream: &StreamViewers| vec![stream.id.into(), stream.viewers.into(), stream.average.into()];
    let sql = Sql::new(
        "UPDATE orders SET promotable_first_statistic_viewers = COALESCE(orders.promotable_first_statistic_viewers, r.viewers),
           promotable_supported_at = COALESCE(orders.promotable_supported_at, CAST(? AS BIGINT)), promotable_supported_until = ?,
           promotable_average_viewers = COALESCE(r.average, (SELECT CAST(avg(p.viewers) AS BIGINT) FROM promotable_statistics p
             WHERE p.order_id = orders.id AND p.at >= COALESCE(orders.promotable_supported_at, 0))) FROM ",
    );
    let columns = ["id", "viewers", "average"];
    let sql = sql.bind(now).bind(now).rows("r", &columns, streams.iter().map(row).collect());
    db.execute(sql.push(" WHERE orders.id = r.id")).await.map(drop)
}

/// The counter's data about the promoted content of an order; `None` for each value that the counter does not report.
#[derive(Debug, Clone, Copy)]
pub struct PromotedContent<'a> {
    pub id: OrderId,
    /// URL by which the content can be embedded.
    pub embed_url: Option<&'a str>,
    /// Countries in which the content is blocked.
    pub region_restriction: Option<&'a str>,
}

/// Records data about the promoted content. Values that the counter does not report stay unchanged.
pub async fn record_promoted_content(db: &mut impl Source, contents: &[PromotedContent<'_>]) -> DbResult<()> {
    let row = |content: &PromotedContent<'_>| -> Vec<Val> {
        vec![content.id.into(), content.embed_url.into(), content.region_restriction.into()]
    };
    let sql = Sql::new(
        "UPDATE orders SET promotable_embed_url = COALESCE(r.embed_url, orders.promotable_embed_url),
           promotable_region_restriction = COALESCE(r.region, orders.promotable_region_restriction) FROM ",
    );
    let sql = sql.rows("r", &["id", "embed_url", "region"], contents.iter().map(row).collect());
    db.execute(sql.push(" WHERE orders.id = r.id")).await.map(drop)
}
