//! Orders placed per day, week or month, from the stored daily sums or for selected orders. An unpaid order counts as an order,
//! but its amounts are zero.

use std::collections::BTreeMap;

use panel_contract::amount::Money;
use panel_contract::ids::OrderId;
use panel_contract::moment::Day;
use panel_contract::orders::{GroupBy, OrderStatus, PromotableStatistic, StatisticsQuery, StatisticsRow};
use panel_kernel::error::Result;

use crate::operations::orders::store;
use panel_domain::statistics_range::{ids, range, start_of};
use panel_platform::db::{Source, Sql};

type Sum = (Day, OrderStatus, i64, Money, Money, Money, i64);

/// The rows of the range; periods without orders are rows of zeros.
pub async fn rows(db: &mut impl Source, query: &StatisticsQuery, today: Day) -> Result<Vec<StatisticsRow>> {
    let (first, last) = range(query.start_date, query.end_date, today, "startDate")?;
    let group = query.group_by.unwrap_or(GroupBy::Day);
    let sums = match query.orders.as_deref().map(str::trim).filter(|text| !text.is_empty()) {
        Some(text) => sums_of_orders(db, &ids(text, "orders")?, first, last).await?,
        None => sums_of_all(db, first, last).await?,
    };
    let mut rows: BTreeMap<Day, StatisticsRow> = BTreeMap::new();
    let mut day = first;
    while day <= last {
        rows.entry(start_of(day, group)).or_insert_with_key(|date| empty(*date));
        day.0 += 1;
    }
    for sum in sums {
        let date = start_of(sum.0, group);
        add(rows.entry(date).or_insert_with(|| empty(date)), &sum)?;
    }
    Ok(rows.into_values().collect())
}

fn empty(date: Day) -> StatisticsRow {
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

fn add(
    row: &mut StatisticsRow,
    (_, status, orders, cost, refunded, provider_cost, quantity): &Sum,
) -> Result<()> {
    row.orders += orders;
    row.completed += if *status == OrderStatus::Completed { *orders } else { 0 };
    row.canceled += if *status == OrderStatus::Canceled { *orders } else { 0 };
    row.quantity = row.quantity.saturating_add(*quantity);
    row.cost = row.cost.plus(*cost)?;
    row.refunded = row.refunded.plus(*refunded)?;
    row.provider_cost = row.provider_cost.plus(*provider_cost)?;
    row.revenue = row.cost.minus(row.refunded)?.minus(row.provider_cost)?;
    Ok(())
}

async fn sums_of_all(db: &mut impl Source, first: Day, last: Day) -> Result<Vec<Sum>> {
    let sql = Sql::new(
        "SELECT day, status, CAST(sum(n) AS BIGINT), CAST(sum(cost) AS BIGINT), CAST(sum(refunded) AS BIGINT),
           CAST(sum(provider_cost) AS BIGINT), CAST(sum(quantity) AS BIGINT)
         FROM (SELECT * FROM order_days WHERE day BETWEEN ? AND ? UNION ALL SELECT * FROM order_day_deltas WHERE day BETWEEN ? AND ?) AS kept
         GROUP BY day, status",
    );
    Ok(db.all(sql.bind(first).bind(last).bind(first).bind(last)).await?)
}

async fn sums_of_orders(db: &mut impl Source, ids: &[OrderId], first: Day, last: Day) -> Result<Vec<Sum>> {
    let sql = Sql::new(
        "SELECT created_at / 86400000000, status, count(*), CAST(sum(CASE WHEN is_paid THEN cost ELSE 0 END) AS BIGINT), CAST(sum(refunded) AS BIGINT),
           CAST(sum(provider_cost) AS BIGINT), CAST(sum(quantity) AS BIGINT)
         FROM orders WHERE created_at >= ? AND created_at < ? AND id IN ",
    );
    let sql = sql.bind(first.start()).bind(Day(last.0 + 1).start()).ids(ids);
    Ok(db.all(sql.push(" GROUP BY 1, 2")).await?)
}

/// The last 1,000 viewer counts of an order's promoted content, oldest first.
pub async fn promotable(db: &mut impl Source, order_id: OrderId) -> Result<Vec<PromotableStatistic>> {
    store::load_facts(db, order_id).await?;
    let sql = Sql::new(
        "SELECT at, viewers FROM promotable_statistics WHERE order_id = ? ORDER BY at DESC LIMIT 1000",
    );
    let rows: Vec<(panel_contract::moment::Time, i64)> = db.all(sql.bind(order_id)).await?;
    Ok(rows.into_iter().rev().map(|(date, viewers)| PromotableStatistic { date, viewers }).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn periods_begin_where_people_expect() {
        let day: Day = "2026-11-20".parse().unwrap();
        assert_eq!(start_of(day, GroupBy::Week).to_string(), "2026-11-16");
        assert_eq!(start_of(day, GroupBy::Month).to_string(), "2026-11-01");
        assert_eq!(start_of(day, GroupBy::Day), day);
    }
}
