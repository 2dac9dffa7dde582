//! Writes custom prices of a customer. The caller has validated them.

use std::collections::HashSet;

use panel_contract::ids::{ServiceId, UserId, UserServiceId};
use panel_contract::moment::Timestamp;
use panel_contract::user_services::{UserServiceInput, UserServiceTerms};
use panel_domain::user_services::PriceRow;
use panel_platform::db::{DbResult, Sql, SqlExecutor as _, Val};
use panel_platform::sql;
use panel_platform::work::UnitOfWork;

/// Builds the INSERT and the UPDATE of all terms of a price. `is_confirmed` is whether staff confirmed that the price is below the
/// minimum margin.
fn insert_and_update_sql(terms: &UserServiceTerms, is_confirmed: bool, timestamp: Timestamp) -> [Sql; 2] {
    let UserServiceTerms {
        min_price,
        default_price,
        auto_refill_is_allowed,
        auto_refill_once_fill_fraction,
        auto_refill_min_drop_fraction,
        auto_refill_max_drop_fraction,
        auto_refill_max_total_refilled_fraction,
        max_order_quantity_for_use_throttle,
        order_quantity_ratio,
        has_refill,
    } = terms;
    sql!(
        [
            "INSERT INTO user_services (user_id, service_id, created_at, updated_at, below_margin_confirmed, min_price, \
               default_price, auto_refill_is_allowed, auto_refill_once_fill_ppm,
               auto_refill_min_drop_ppm, auto_refill_max_drop_ppm, auto_refill_max_total_refilled_ppm, \
               max_order_quantity_for_use_throttle,
               order_quantity_ratio_ppm, has_refill) VALUES (@user_id, @service_id, @now, @timestamp, @below_margin_confirmed, \
               @min_price, @default_price, @auto_refill_is_allowed, @auto_refill_once_fill_ppm, @auto_refill_min_drop_ppm, \
               @auto_refill_max_drop_ppm, @auto_refill_max_total_refilled_ppm, @max_order_quantity_for_use_throttle, \
               @order_quantity_ratio_ppm, @has_refill) RETURNING id",
            "UPDATE user_services SET updated_at = @timestamp, below_margin_confirmed = @below_margin_confirmed, \
               min_price = @min_price, default_price = @default_price, auto_refill_is_allowed = @auto_refill_is_allowed, \
               auto_refill_once_fill_ppm = @auto_refill_once_fill_ppm,
               auto_refill_min_drop_ppm = @auto_refill_min_drop_ppm, auto_refill_max_drop_ppm = @auto_refill_max_drop_ppm, \
               auto_refill_max_total_refilled_ppm = @auto_refill_max_total_refilled_ppm, \
               max_order_quantity_for_use_throttle = @max_order_quantity_for_use_throttle,
               order_quantity_ratio_ppm = @order_quantity_ratio_ppm, has_refill = @has_refill WHERE id = @id",
        ],
        {
            timestamp,
            below_margin_confirmed: is_confirmed,
            min_price,
            default_price,
            auto_refill_is_allowed,
            auto_refill_once_fill_ppm: auto_refill_once_fill_fraction,
            auto_refill_min_drop_ppm: auto_refill_min_drop_fraction,
            auto_refill_max_drop_ppm: auto_refill_max_drop_fraction,
            auto_refill_max_total_refilled_ppm: auto_refill_max_total_refilled_fraction,
            max_order_quantity_for_use_throttle,
            order_quantity_ratio_ppm: order_quantity_ratio,
            has_refill,
        },
        bound_later: [user_id, service_id, now, id],
    )
}

/// Inserts a custom price and returns its id.
pub(super) async fn insert(
    work: &mut UnitOfWork,
    user_id: UserId,
    input: &UserServiceInput,
    is_confirmed: bool,
) -> DbResult<UserServiceId> {
    let [insert_sql, _] = insert_and_update_sql(&input.terms(), is_confirmed, work.timestamp());
    let insert_sql = insert_sql
        .bind_named("user_id", user_id)
        .bind_named("service_id", input.service_id)
        .bind_named("now", work.now);
    Ok(work.fetch_one::<(UserServiceId,)>(insert_sql).await?.0)
}

pub(super) async fn update_row(
    work: &mut UnitOfWork,
    id: UserServiceId,
    terms: &UserServiceTerms,
    is_confirmed: bool,
) -> DbResult<u64> {
    let [_, update_sql] = insert_and_update_sql(terms, is_confirmed, work.timestamp());
    work.execute(update_sql.bind_named("id", id)).await
}

/// Inserts or replaces prices of many services. `below_margin` holds the services whose price is below the minimum margin.
pub(super) async fn upsert(
    work: &mut UnitOfWork,
    user_id: UserId,
    prices: &[PriceRow],
    services_below_margin: &HashSet<ServiceId>,
) -> DbResult<u64> {
    let (now, timestamp) = (work.now, work.timestamp());
    let row = |price: &PriceRow| -> Vec<Val> {
        let is_confirmed = services_below_margin.contains(&price.service_id);
        vec![price.service_id.into(), price.min_price.into(), price.default_price.into(), is_confirmed.into()]
    };
    let sql = Sql::new(
        "INSERT INTO user_services (user_id, service_id, min_price, default_price, below_margin_confirmed, created_at, updated_at)
         SELECT ?, r.service_id, r.min_price, r.default_price, r.is_confirmed, ?, ? FROM ",
    );
    let sql = sql.bind(user_id).bind(now).bind(timestamp);
    let sql = sql.rows("r", &["service_id", "min_price", "default_price", "is_confirmed"], prices.iter().map(row).collect()).push(
        " WHERE TRUE ON CONFLICT (user_id, service_id) DO UPDATE SET min_price = excluded.min_price, default_price = excluded.default_price,
           below_margin_confirmed = excluded.below_margin_confirmed,
           updated_at = excluded.updated_at",
    );
    work.execute(sql).await
}

pub(super) async fn remove(work: &mut UnitOfWork, id: UserServiceId) -> DbResult<u64> {
    work.execute(Sql::new("DELETE FROM user_services WHERE id = ?").bind(id)).await
}
