//! Stores the cost and quantity that each provider of an order delivered per day, as staff enter them. A change also updates the
//! provider cost and the delivered quantity of the order, which are the sums of these rows. It changes no customer balance.

use std::collections::{BTreeMap, BTreeSet};

use panel_contract::amount::Money;
use panel_contract::common::Data;
use panel_contract::endpoints::providers::{AddProviderStatistics, ListProvidersOfOrder};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{OrderId, ProviderId};
use panel_contract::moment::{Day, Time};
use panel_contract::orders::OrderProvider;
use panel_contract::providers::{ProviderStatistic, ProviderStatisticsInput};
use panel_domain::orders;
use panel_kernel::error::Result;
use serde_json::json;

use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::operations::orders::{detail, store};
use crate::stores::orders::delivery::record_manual_delivery;
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::work::UnitOfWork;

/// Maximum number of rows in one request.
const MAX_ROWS: usize = 50;
/// Maximum quantity of a row, in units.
const MAX_QUANTITY: i64 = 1_000_000_000_000;
/// Maximum cost of a row.
const MAX_COST: Money = Money(1_000_000_000_000_000);

// Routes

pub fn routes(api: Api) -> Api {
    api.route::<ListProvidersOfOrder, _, _, _>(list_providers_of_order)
        .route::<AddProviderStatistics, _, _, _>(add_statistics)
}

async fn list_providers_of_order(
    ctx: Ctx,
    req: Req<ListProvidersOfOrder>,
) -> Result<Data<Vec<OrderProvider>>> {
    let order = store::load_facts(&mut ctx.db(), req.query.order_id).await?;
    Ok(Data { data: detail::load_providers(&mut ctx.db(), order.id, order.service_id).await? })
}

async fn add_statistics(ctx: Ctx, req: Req<AddProviderStatistics>) -> Result<Data<Vec<OrderProvider>>> {
    let input = &req.body;
    let mut work = ctx.begin().await?;
    let order = store::lock(&mut work, &[input.order_id]).await?.pop();
    let Some(order) = order else {
        let message = format!("There is no order {}. Enter the id of an existing order.", input.order_id);
        return Err(FieldErrors::single("order_id", message).into());
    };
    let placed_at = load_placed_at(&mut work, order.id).await?;
    let allowed_providers: BTreeSet<ProviderId> =
        detail::load_providers(&mut work, order.id, order.service_id)
            .await?
            .iter()
            .map(|provider| provider.id)
            .collect();
    validate(input, placed_at.day(), work.now.day(), &allowed_providers)?;
    orders::check_delivery_bookable(order.status)?;
    let old_statistics = load_statistics(&mut work, order.id, input.date).await?;
    write_statistics(&mut work, input).await?;
    let (cost_change, quantity_change) =
        calculate_cost_and_quantity_change(&old_statistics, &input.provider_statistics)?;
    update_order(&mut work, &order, cost_change, quantity_change).await?;
    let old =
        json!({ "date": input.date, "provider_statistics": old_statistics.values().collect::<Vec<_>>() });
    let new = json!({ "date": input.date, "provider_statistics": input.provider_statistics });
    audit::record(
        &mut work,
        "order.provider_statistics",
        "order",
        AuditChange { id: order.id.as_record_id(), old, new },
    )
    .await?;
    let data = detail::load_providers(&mut work, order.id, order.service_id).await?;
    work.finish(Data { data }).await
}

// Rules

/// Validates the rows. Each error names the index of its row.
fn validate(
    input: &ProviderStatisticsInput,
    placed_on: Day,
    today: Day,
    allowed_providers: &BTreeSet<ProviderId>,
) -> Result<(), FieldErrors> {
    let mut errors = FieldErrors::default();
    if !(placed_on..=today).contains(&input.date) {
        errors.add("date", format!("Enter a day from {placed_on}, when the order was placed, to {today}."));
    }
    let rows = &input.provider_statistics;
    if rows.is_empty() || rows.len() > MAX_ROWS {
        errors.add("provider_statistics", format!("Enter 1 to {MAX_ROWS} rows."));
    }
    let mut checked_providers = BTreeSet::new();
    for (index, row) in rows.iter().enumerate().take(MAX_ROWS) {
        let field_name = |name: &str| format!("provider_statistics.{index}.{name}");
        if !allowed_providers.contains(&row.provider_id) {
            errors.add(field_name("provider_id"), "Choose a provider of the order or of its service.");
        } else if !checked_providers.insert(row.provider_id) {
            errors.add(field_name("provider_id"), "Enter each provider only once.");
        }
        if row.cost < Money::ZERO || row.cost > MAX_COST {
            errors.add(field_name("cost"), format!("Enter an amount from 0 to {MAX_COST}."));
        }
        if !(0..=MAX_QUANTITY).contains(&row.quantity) {
            errors.add(field_name("quantity"), format!("Enter a whole number from 0 to {MAX_QUANTITY}."));
        }
    }
    errors.into_result(())
}

/// Calculates by how much the order's cost and quantity change.
fn calculate_cost_and_quantity_change(
    old_statistics: &BTreeMap<ProviderId, ProviderStatistic>,
    rows: &[ProviderStatistic],
) -> Result<(Money, i64), panel_contract::amount::Overflow> {
    let (mut cost_change, mut quantity_change) = (Money::ZERO, 0);
    for row in rows {
        let old_row = old_statistics.get(&row.provider_id);
        let old_cost = old_row.map_or(Money::ZERO, |old_row| old_row.cost);
        cost_change = cost_change.plus(row.cost)?.minus(old_cost)?;
        quantity_change += row.quantity - old_row.map_or(0, |old_row| old_row.quantity);
    }
    Ok((cost_change, quantity_change))
}

// Store

async fn load_placed_at(work: &mut UnitOfWork, order: OrderId) -> Result<Time> {
    let (placed_at,): (Time,) =
        work.fetch_one(Sql::new("SELECT created_at FROM orders WHERE id = ?").bind(order)).await?;
    Ok(placed_at)
}

/// Loads the stored rows of a day, by provider.
async fn load_statistics(
    work: &mut UnitOfWork,
    order: OrderId,
    day: Day,
) -> Result<BTreeMap<ProviderId, ProviderStatistic>> {
    let sql = Sql::new(
        "SELECT provider_id, cost, quantity FROM provider_statistics WHERE order_id = ? AND day = ?",
    );
    let rows: Vec<(ProviderId, Money, i64)> = work.fetch_all(sql.bind(order).bind(day)).await?;
    Ok(rows
        .into_iter()
        .map(|(provider_id, cost, quantity)| (provider_id, ProviderStatistic { provider_id, cost, quantity }))
        .collect())
}

async fn write_statistics(work: &mut UnitOfWork, input: &ProviderStatisticsInput) -> Result<()> {
    let rows: Vec<_> = input
        .provider_statistics
        .iter()
        .map(|row| vec![row.provider_id.into(), row.cost.into(), row.quantity.into()])
        .collect();
    let sql = Sql::new(
        "INSERT INTO provider_statistics (order_id, provider_id, day, cost, quantity)
         SELECT CAST(? AS BIGINT), r.provider_id, CAST(? AS BIGINT), r.cost, r.quantity FROM ",
    );
    let sql = sql.bind(input.order_id).bind(input.date);
    let sql = sql.rows("r", &["provider_id", "cost", "quantity"], rows);
    work.execute(sql.push(
        " WHERE TRUE ON CONFLICT (order_id, provider_id, day) DO UPDATE SET cost = excluded.cost, quantity = excluded.quantity",
    ))
    .await?;
    let delete_empty_rows_sql =
        "DELETE FROM provider_statistics WHERE order_id = ? AND day = ? AND cost = 0 AND quantity = 0";
    work.execute(Sql::new(delete_empty_rows_sql).bind(input.order_id).bind(input.date)).await?;
    Ok(())
}

/// Adds the changes to the cost and the delivered quantity of the order. The delivered quantity is never below 0.
async fn update_order(
    work: &mut UnitOfWork,
    order: &store::OrderFacts,
    cost_change: Money,
    quantity_change: i64,
) -> Result<()> {
    let delivered_quantity = (order.current_quantity + quantity_change).max(0);
    let timestamp = work.timestamp();
    let transition =
        record_manual_delivery(work, (order.id, order.status), (cost_change, delivered_quantity), timestamp)
            .await?;
    transition.or_conflict(
        "order_changed_meanwhile",
        "Another request changed this order at the same time. Reload it and try again.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statistic(provider: i64, cost: i64, quantity: i64) -> ProviderStatistic {
        ProviderStatistic { provider_id: ProviderId::new(provider), cost: Money(cost), quantity }
    }

    fn invalid_fields(date: i64, rows: Vec<ProviderStatistic>) -> Vec<String> {
        let input =
            ProviderStatisticsInput { order_id: OrderId::new(1), date: Day(date), provider_statistics: rows };
        let errors = validate(&input, Day(10), Day(20), &BTreeSet::from([1, 2].map(ProviderId::new)));
        errors.err().map(|errors| errors.0.into_keys().collect()).unwrap_or_default()
    }

    #[test]
    fn each_error_names_the_index_of_its_row() {
        assert_eq!(invalid_fields(10, vec![statistic(1, 0, 0), statistic(2, 5, 7)]), [""; 0]);
        assert_eq!(invalid_fields(9, vec![statistic(1, 1, 1)]), ["date"]);
        assert_eq!(invalid_fields(21, vec![]), ["date", "provider_statistics"]);
        assert_eq!(
            invalid_fields(15, vec![statistic(1, -1, 0), statistic(3, 0, 0), statistic(1, 0, -1)]),
            [
                "provider_statistics.0.cost",
                "provider_statistics.1.provider_id",
                "provider_statistics.2.provider_id",
                "provider_statistics.2.quantity"
            ]
        );
        assert_eq!(invalid_fields(15, vec![statistic(1, i64::MAX, i64::MAX)]).len(), 2);
    }

    #[test]
    fn changes_are_the_difference_to_the_stored_rows() {
        let old_statistics: BTreeMap<_, _> = [statistic(1, 500, 50), statistic(2, 100, 10)]
            .into_iter()
            .map(|row| (row.provider_id, row))
            .collect();
        assert_eq!(
            calculate_cost_and_quantity_change(&old_statistics, &[statistic(1, 700, 20), statistic(3, 1, 1)])
                .unwrap(),
            (Money(201), -29)
        );
        assert_eq!(
            calculate_cost_and_quantity_change(&old_statistics, &[statistic(2, 0, 0)]).unwrap(),
            (Money(-100), -10)
        );
    }
}
