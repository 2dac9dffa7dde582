//! Stores delivered quantities, provider costs and data about the promoted content of orders. Changes no status and books no
//! payment of a customer.

use panel_contract::amount::Money;
use panel_contract::ids::OrderId;
use panel_contract::moment::{Time, Timestamp};
use panel_contract::orders::OrderStatus;
use panel_platform::db::state::{Transition, transition};
use panel_platform::db::{DbResult, Sql, SqlExecutor, Val};
use panel_platform::sql;

/// The increase of an order's delivery since it was last recorded.
#[derive(Debug, Clone, Copy)]
pub struct Delivery {
    pub id: OrderId,
    /// Amount by which the charges of the external panels increased.
    pub cost: Money,
    /// Number of additional delivered units; negative if an external panel reduced its count.
    pub quantity: i64,
    /// Count at the order's URL when the delivery began, if the external panel reports this count.
    pub start_count: Option<i64>,
}

/// Adds deliveries and costs to orders that the caller has locked. Never overwrites the first start count.
pub async fn record_deliveries(
    db: &mut impl SqlExecutor,
    deliveries: &[Delivery],
    now: Time,
) -> DbResult<()> {
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

/// Records a delivery that staff entered: adds `cost`, and sets the number of delivered units to `delivered_quantity`. Changes
/// nothing unless the order still has `status`, for which the caller has checked the rules.
pub async fn record_manual_delivery(
    db: &mut impl SqlExecutor,
    (id, status): (OrderId, OrderStatus),
    (cost, delivered_quantity): (Money, i64),
    now: Timestamp,
) -> DbResult<Transition> {
    let sql = sql!(
        "UPDATE orders SET provider_cost = provider_cost + @cost, current_quantity = @current_quantity, updated_at = @now \
           WHERE id = @id AND status = @status",
        { cost, current_quantity: delivered_quantity, now, id, status: status.as_str() },
    );
    transition(db, sql).await
}

/// The number of an external panel's units that the next placement attempt of an order requests.
#[derive(Debug, Clone, Copy)]
pub struct FullFillQuantity {
    pub id: OrderId,
    /// Units of the external panel.
    pub ordered_units: i64,
    /// Whether `ordered_units` differs from the remaining units of the order, because the units of the panel are different.
    pub differs_from_order: bool,
}

/// Records how many units of external panels complete each order: the units that earlier attempts delivered plus the units of the
/// next attempt. Call it before the next attempt is inserted. The number stays NULL while panels deliver the units of the order; an
/// earlier attempt with other units counts only if it delivered some of them.
pub async fn record_full_fill(db: &mut impl SqlExecutor, orders: &[FullFillQuantity]) -> DbResult<()> {
    if orders.is_empty() {
        return Ok(());
    }
    let row = |quantity: &FullFillQuantity| {
        vec![quantity.id.into(), quantity.ordered_units.into(), i64::from(quantity.differs_from_order).into()]
    };
    let delivered_units_sql = "e.initial_quantity - COALESCE(e.remains, CASE WHEN e.status IN ('Completed', 'Partial') THEN 0 ELSE e.initial_quantity END)";
    let sql = Sql::new(
        "UPDATE orders SET quantity_for_full_fill = CASE WHEN r.differs = 1 OR EXISTS (SELECT 1 FROM external_panel_orders e
           WHERE e.order_id = orders.id AND e.sold_quantity IS NOT NULL AND ",
    );
    let sql = sql
        .push(delivered_units_sql)
        .push(" > 0) THEN r.ordered + (SELECT CAST(COALESCE(sum(")
        .push(delivered_units_sql);
    let sql =
        sql.push("), 0) AS BIGINT) FROM external_panel_orders e WHERE e.order_id = orders.id) END FROM ");
    let sql = sql.rows("r", &["id", "ordered", "differs"], orders.iter().map(row).collect());
    let sql =
        sql.push(" WHERE orders.id = r.id AND (r.differs = 1 OR orders.quantity_for_full_fill IS NOT NULL)");
    db.execute(sql).await.map(drop)
}

/// Records the quantity that the counter service measured for each order. Writes only quantities that changed.
pub async fn record_counted_quantities(
    db: &mut impl SqlExecutor,
    quantities: &[(OrderId, i64)],
) -> DbResult<()> {
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
    /// Average number of viewers since the stream began, if the counter service reports it.
    pub average: Option<i64>,
}

/// Records the viewers of live streams. Call it after the points of their charts are inserted, because the mean of the chart is
/// stored if the counter service reports no average. The first record sets the start of the support, each record sets its end.
pub async fn record_viewers(db: &mut impl SqlExecutor, streams: &[StreamViewers], now: Time) -> DbResult<()> {
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

/// Data of the counter service about the promoted content of an order; `None` for each value that the service does not report.
#[derive(Debug, Clone, Copy)]
pub struct PromotedContent<'a> {
    pub id: OrderId,
    /// URL for embedding the content in another page.
    pub embed_url: Option<&'a str>,
    /// Countries in which the content is not available.
    pub region_restriction: Option<&'a str>,
}

/// Records data about the promoted content. Values that the counter service does not report stay unchanged.
pub async fn record_promoted_content(
    db: &mut impl SqlExecutor,
    contents: &[PromotedContent<'_>],
) -> DbResult<()> {
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
