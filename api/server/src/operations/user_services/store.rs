//! Writes custom prices of a customer. The caller has validated them.

use std::collections::HashSet;

use panel_contract::ids::{ServiceId, UserId, UserServiceId};
use panel_contract::moment::Stamp;
use panel_contract::user_services::{UserServiceInput, UserServiceTerms};
use panel_domain::user_services::PriceRow;
use panel_platform::db::{DbResult, Source as _, Sql, Val};
use panel_platform::sql;
use panel_platform::work::UnitOfWork;

/// The INSERT and the UPDATE of all terms of a price. `confirmed`: staff confirmed a price below the least margin.
fn statements(terms: &UserServiceTerms, confirmed: bool, stamp: Stamp) -> [Sql; 2] {
    let UserServiceTerms {
        min_price,
        default_price,
        auto_refill_is_allowed,
        auto_refill_once_fill_percent,
        auto_refill_min_drop_percent,
        auto_refill_max_drop_percent,
        auto_refill_max_total_refilled_percent,
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
               order_quantity_ratio_ppm, has_refill) VALUES (@user_id, @service_id, @now, @stamp, @below_margin_confirmed, \
               @min_price, @default_price, @auto_refill_is_allowed, @auto_refill_once_fill_ppm, @auto_refill_min_drop_ppm, \
               @auto_refill_max_drop_ppm, @auto_refill_max_total_refilled_ppm, @max_order_quantity_for_use_throttle, \
               @order_quantity_ratio_ppm, @has_refill) RETURNING id",
            "UPDATE user_services SET updated_at = @stamp, below_margin_confirmed = @below_margin_confirmed, \
               min_price = @min_price, default_price = @default_price, auto_refill_is_allowed = @auto_refill_is_allowed, \
               auto_refill_once_fill_ppm = @auto_refill_once_fill_ppm,
               auto_refill_min_drop_ppm = @auto_refill_min_drop_ppm, auto_refill_max_drop_ppm = @auto_refill_max_drop_ppm, \
               auto_refill_max_total_refilled_ppm = @auto_refill_max_total_refilled_ppm, \
               max_order_quantity_for_use_throttle = @max_order_quantity_for_use_throttle,
               order_quantity_ratio_ppm = @order_quantity_ratio_ppm, has_refill = @has_refill WHERE id = @id",
        ],
        {
            stamp,
            below_margin_confirmed: confirmed,
            min_price,
            default_price,
            auto_refill_is_allowed,
            auto_refill_once_fill_ppm: auto_refill_once_fill_percent,
            auto_refill_min_drop_ppm: auto_refill_min_drop_percent,
            auto_refill_max_drop_ppm: auto_refill_max_drop_percent,
            auto_refill_max_total_refilled_ppm: auto_refill_max_total_refilled_percent,
            max_order_quantity_for_use_throttle,
            order_quantity_ratio_ppm: order_quantity_ratio,
            has_refill,
        },
        later: [user_id, service_id, now, id],
    )
}

/// Inserts a custom price and returns its id.
pub(super) async fn insert(
    work: &mut UnitOfWork,
    user: UserId,
    input: &UserServiceInput,
    confirmed: bool,
) -> DbResult<UserServiceId> {
    let [insert, _] = statements(&input.terms(), confirmed, work.stamp());
    let insert = insert.named("user_id", user).named("service_id", input.service_id).named("now", work.now);
    Ok(work.one::<(UserServiceId,)>(insert).await?.0)
}

pub(super) async fn write(
    work: &mut UnitOfWork,
    id: UserServiceId,
    terms: &UserServiceTerms,
    confirmed: bool,
) -> DbResult<u64> {
    let [_, update] = statements(terms, confirmed, work.stamp());
    work.exec(update.named("id", id)).await
}

/// Inserts or replaces prices of many services. `below` has the services whose price is below the least margin.
pub(super) async fn upsert(
    work: &mut UnitOfWork,
    user: UserId,
    prices: &[PriceRow],
    below: &HashSet<ServiceId>,
) -> DbResult<u64> {
    let (now, stamp) = (work.now, work.stamp());
    let row = |price: &PriceRow| -> Vec<Val> {
        let confirmed = below.contains(&price.service_id);
        vec![price.service_id.into(), price.min_price.into(), price.default_price.into(), confirmed.into()]
    };
    let sql = Sql::new(
        "INSERT INTO user_services (user_id, service_id, min_price, default_price, below_margin_confirmed, created_at, updated_at)
         SELECT ?, r.service_id, r.least, r.price, r.confirmed, ?, ? FROM ",
    );
    let sql = sql.bind(user).bind(now).bind(stamp);
    let sql = sql.rows("r", &["service_id", "least", "price", "confirmed"], prices.iter().map(row).collect()).push(
        " WHERE TRUE ON CONFLICT (user_id, service_id) DO UPDATE SET min_price = excluded.min_price, default_price = excluded.default_price,
           below_margin_confirmed = excluded.below_margin_confirmed,
           updated_at = excluded.updated_at",
    );
    work.exec(sql).await
}

pub(super) async fn remove(work: &mut UnitOfWork, id: UserServiceId) -> DbResult<u64> {
    work.exec(Sql::new("DELETE FROM user_services WHERE id = ?").bind(id)).await
}
