//! Statistics of orders per day, week or month, from the stored sums of each day, or for selected orders. An unpaid order counts as an
//! order, but its amounts are zero.

use std::collections::BTreeMap;

use panel_contract::amount::Money;
use panel_contract::ids::OrderId;
use panel_contract::moment::Day;
use panel_contract::orders::{GroupBy, OrderStatus, PromotableStatistic, StatisticsQuery, StatisticsRow};
use panel_kernel::error::Result;

use crate::operations::orders::store;
use panel_domain::statistics_range::{parse_day_range, parse_ids, period_start};
use panel_platform::db::{Sql, SqlExecutor};

/// The sums of all orders that were placed on one day and have one status.
#[derive(Debug, sqlx::FromRow)]
struct DaySums {
    day: Day,
    status: OrderStatus,
    orders: i64,
    cost: Money,
    refunded: Money,
    provider_cost: Money,
    quantity: i64,
}

/// Loads one row for each requested day, week or month. The values are zero if the period has no orders.
pub async fn load_rows(
    db: &mut impl SqlExecutor,
    query: &StatisticsQuery,
    today: Day,
) -> Result<Vec<StatisticsRow>> {
    let (first_day, last_day) = parse_day_range(query.start_date, query.end_date, today, "startDate")?;
    let period = query.group_by.unwrap_or(GroupBy::Day);
    let sums = match query.orders.as_deref().map(str::trim).filter(|text| !text.is_empty()) {
        Some(text) => load_sums_of_orders(db, &parse_ids(text, "orders")?, first_day, last_day).await?,
        None => load_stored_sums(db, first_day, last_day).await?,
    };
    let mut rows: BTreeMap<Day, StatisticsRow> = BTreeMap::new();
    let mut day = first_day;
    while day <= last_day {
        rows.entry(period_start(day, period)).or_insert_with_key(|date| empty_row(*date));
        day.0 += 1;
    }
    for sum in sums {
        let date = period_start(sum.day, period);
        add_sums(rows.entry(date).or_insert_with(|| empty_row(date)), &sum)?;
    }
    Ok(rows.into_values().collect())
}

fn empty_row(date: Day) -> StatisticsRow {
    let zero = Money::ZERO;
    StatisticsRow {
        date,
        orders: 0,
        completed: 0,
        canceled: 0,
        quantity: 0,
        cost: zero,
        refunded: zero,
        provider_cost: zero,
        revenue: zero,
    }
}

fn add_sums(row: &mut StatisticsRow, sums: &DaySums) -> Result<()> {
    row.orders += sums.orders;
    row.completed += if sums.status == OrderStatus::Completed { sums.orders } else { 0 };
    row.canceled += if sums.status == OrderStatus::Canceled { sums.orders } else { 0 };
    row.quantity = row.quantity.saturating_add(sums.quantity);
    row.cost = row.cost.plus(sums.cost)?;
    row.refunded = row.refunded.plus(sums.refunded)?;
    row.provider_cost = row.provider_cost.plus(sums.provider_cost)?;
    row.revenue = row.cost.minus(row.refunded)?.minus(row.provider_cost)?;
    Ok(())
}

async fn load_stored_sums(db: &mut impl SqlExecutor, first_day: Day, last_day: Day) -> Result<Vec<DaySums>> {
    let sql = Sql::new(
        "SELECT day, status, CAST(sum(n) AS BIGINT) AS orders, CAST(sum(cost) AS BIGINT) AS cost,
           CAST(sum(refunded) AS BIGINT) AS refunded, CAST(sum(provider_cost) AS BIGINT) AS provider_cost,
           CAST(sum(quantity) AS BIGINT) AS quantity
         FROM (SELECT * FROM order_days WHERE day BETWEEN ? AND ? UNION ALL SELECT * FROM order_day_deltas WHERE day BETWEEN ? AND ?) AS days
         GROUP BY day, status",
    );
    Ok(db.fetch_all(sql.bind(first_day).bind(last_day).bind(first_day).bind(last_day)).await?)
}

async fn load_sums_of_orders(
    db: &mut impl SqlExecutor,
    ids: &[OrderId],
    first_day: Day,
    last_day: Day,
) -> Result<Vec<DaySums>> {
    let sql = Sql::new(
        "SELECT created_at / 86400000000 AS day, status, count(*) AS orders,
           CAST(sum(CASE WHEN is_paid THEN cost ELSE 0 END) AS BIGINT) AS cost, CAST(sum(refunded) AS BIGINT) AS refunded,
           CAST(sum(provider_cost) AS BIGINT) AS provider_cost, CAST(sum(quantity) AS BIGINT) AS quantity
         FROM orders WHERE created_at >= ? AND created_at < ? AND id IN ",
    );
    let sql = sql.bind(first_day.start()).bind(Day(last_day.0 + 1).start()).ids(ids);
    Ok(db.fetch_all(sql.push(" GROUP BY 1, 2")).await?)
}

/// Loads the last 1,000 viewer counts of the promoted content of an order, the oldest first.
pub async fn load_viewer_counts(
    db: &mut impl SqlExecutor,
    order_id: OrderId,
) -> Result<Vec<PromotableStatistic>> {
    store::load_facts(db, order_id).await?;
    let sql = Sql::new(
        "SELECT at, viewers FROM promotable_statistics WHERE order_id = ? ORDER BY at DESC LIMIT 1000",
    );
    let rows: Vec<(panel_contract::moment::Time, i64)> = db.fetch_all(sql.bind(order_id)).await?;
    Ok(rows.into_iter().rev().map(|(date, viewers)| PromotableStatistic { date, viewers }).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weeks_begin_on_monday_and_months_on_the_first_day() {
        let day: Day = "2026-11-20".parse().unwrap();
        assert_eq!(period_start(day, GroupBy::Week).to_string(), "2026-11-16");
        assert_eq!(period_start(day, GroupBy::Month).to_string(), "2026-11-01");
        assert_eq!(period_start(day, GroupBy::Day), day);
    }
}
