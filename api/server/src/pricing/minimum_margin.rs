//! Loads the costs of services, and rejects prices below the cost plus the minimum margin by the rules of
//! `panel_domain::minimum_margin`. Every change of a price or a cost must pass these checks, and no quote is below this limit. A
//! caller writes first and checks afterwards in the same transaction, so that a rejection rolls the write back.

use std::collections::BTreeMap;

use panel_contract::amount::{Fraction, Money};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{ProviderId, ServiceId, UserId};
use panel_domain::minimum_margin::{
    CustomerRatio, LowestPrices, NewPrice, PriceCheck, ProviderCost, check_lowest_prices, check_resale_margin,
};
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::Rejection;
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::settings;
use panel_platform::work::UnitOfWork;

use crate::pricing::available::provider_is_available;
use crate::pricing::rates::ExchangeRates;
use crate::pricing::ratio;

pub const BELOW_MARGIN_CODE: &str = "below_minimum_margin";
/// Last sentence of the error message if the setting `min_margin_action` is `warn`, which lets the caller confirm the price.
const CONFIRM_HINT: &str = " Send confirm_below_margin to set it anyway.";

/// Loads the costs that determine the current lowest allowed prices of services. If no minimum margin is set, every price is
/// allowed, and the function loads no costs.
pub async fn load_lowest_prices(db: &mut impl SqlExecutor, services: &[ServiceId]) -> Result<LowestPrices> {
    match settings::read_min_margin(db).await? {
        Some(margin) => load_lowest_prices_for_margin(db, services, margin).await,
        None => Ok(LowestPrices::default()),
    }
}

#[derive(sqlx::FromRow)]
struct ProviderCostRow {
    service_id: ServiceId,
    ratio: Option<Fraction>,
    provider_id: ProviderId,
    source_price: Money,
    source_currency: String,
    source_pricing_per: i64,
    /// Staff deliver by hand, without an external panel.
    is_by_hand: bool,
    /// The type of the service as a string of the external panel; `None` if unknown.
    kind: Option<String>,
}

/// Like [`load_lowest_prices`], with a minimum margin that the caller has loaded.
pub async fn load_lowest_prices_for_margin(
    db: &mut impl SqlExecutor,
    services: &[ServiceId],
    margin: Fraction,
) -> Result<LowestPrices> {
    let sql = Sql::new(concat!(
        "SELECT m.service_id, s.order_quantity_ratio_ppm AS ratio, p.id AS provider_id, p.source_price, p.source_currency, p.source_pricing_per,
           p.external_panel_id IS NULL AS is_by_hand, k.type AS kind
         FROM service_providers m JOIN services s ON s.id = m.service_id JOIN providers p ON p.id = m.provider_id
         LEFT JOIN external_panel_services k ON k.external_panel_id = p.external_panel_id
           AND k.external_panel_service_id = p.external_panel_service_id
         WHERE p.source_price > 0 AND ",
        provider_is_available!(),
        " AND m.service_id IN "
    ));
    let rows: Vec<ProviderCostRow> = db.fetch_all(sql.ids(services)).await?;
    let mut lowest_prices = LowestPrices { margin, services: BTreeMap::new() };
    if !rows.is_empty() {
        let rates = ExchangeRates::load(db).await?;
        for row in rows {
            let Some(cost) = rates.to_own_currency(row.source_price, &row.source_currency) else { continue };
            // An order with a list, such as comments, has one unit per list entry, so the ratio does not change its quantity.
            let is_list = ratio::is_list_order(row.kind.as_deref().unwrap_or_default(), false);
            let costs = lowest_prices.services.entry(row.service_id).or_default();
            costs.ratio = row.ratio.unwrap_or(Fraction(Money::MILLIONTHS_PER_UNIT));
            costs.by_provider.push(ProviderCost {
                provider_id: row.provider_id,
                cost,
                per: row.source_pricing_per,
                uses_quantity_ratio: !row.is_by_hand && !is_list,
            });
        }
    }
    Ok(lowest_prices)
}

/// Loads the quantity ratios that staff set for one customer.
pub async fn load_customer_ratios(
    db: &mut impl SqlExecutor,
    user: UserId,
    services: &[ServiceId],
) -> Result<BTreeMap<ServiceId, CustomerRatio>> {
    let sql = Sql::new(
        "SELECT service_id, order_quantity_ratio_ppm, max_order_quantity_for_use_throttle FROM user_services
         WHERE order_quantity_ratio_ppm IS NOT NULL AND user_id = ? AND service_id IN ",
    );
    let rows: Vec<(ServiceId, Option<Fraction>, Option<i64>)> =
        db.fetch_all(sql.bind(user).ids(services)).await?;
    let ratios = rows.into_iter().filter_map(|(service, ratio, max_quantity)| {
        Some((service, CustomerRatio::from_options(ratio, max_quantity)?))
    });
    Ok(ratios.collect())
}

/// Rejects prices below the lowest allowed price. If the setting `min_margin_action` is `warn`, a caller who confirms may set them.
/// Returns whether any price is below the lowest allowed price.
pub async fn check_prices(work: &mut UnitOfWork, prices: &[NewPrice], is_confirmed: bool) -> Result<bool> {
    let ids: Vec<ServiceId> = prices.iter().map(|price| price.service_id).collect();
    let lowest_prices = load_lowest_prices(work, &ids).await?;
    check_prices_against(work, prices, &lowest_prices, is_confirmed).await
}

/// Like [`check_prices`], with lowest prices that the caller has loaded.
pub async fn check_prices_against(
    work: &mut UnitOfWork,
    prices: &[NewPrice],
    lowest_prices: &LowestPrices,
    is_confirmed: bool,
) -> Result<bool> {
    let sales: Vec<PriceCheck> = prices.iter().map(|price| price.to_price_check(lowest_prices)).collect();
    check_sales(work, &sales, lowest_prices, is_confirmed).await
}

/// Like [`check_prices_against`], for anything that is sold at a price, such as a package.
pub async fn check_sales(
    work: &mut UnitOfWork,
    sales: &[PriceCheck],
    lowest_prices: &LowestPrices,
    is_confirmed: bool,
) -> Result<bool> {
    let Err(errors) = check_lowest_prices(sales, lowest_prices.margin, "") else { return Ok(false) };
    if settings::read_or_default(work, settings::MIN_MARGIN_ACTION).await? != "warn" {
        return Err(below_margin_error(errors));
    }
    match check_lowest_prices(sales, lowest_prices.margin, CONFIRM_HINT) {
        Err(errors) if !is_confirmed => Err(below_margin_error(errors)),
        _ => Ok(true),
    }
}

/// Rejects a requested resale margin below the minimum margin, unless the setting `min_margin_action` is `warn` and the caller
/// confirmed. Returns whether the requested margin is below the minimum margin.
pub async fn check_confirmed_margin(
    work: &mut UnitOfWork,
    field: &str,
    requested_margin: Option<Fraction>,
    is_confirmed: bool,
) -> Result<bool> {
    let min_margin = settings::read_min_margin(work).await?;
    let Err(errors) = check_resale_margin(field, requested_margin, min_margin, "") else { return Ok(false) };
    if settings::read_or_default(work, settings::MIN_MARGIN_ACTION).await? != "warn" {
        return Err(below_margin_error(errors));
    }
    match check_resale_margin(field, requested_margin, min_margin, CONFIRM_HINT) {
        Err(errors) if !is_confirmed => Err(below_margin_error(errors)),
        _ => Ok(true),
    }
}

/// Rejects a change of costs that raises the lowest allowed price of a service above its current price. `lowest_before` holds the
/// lowest prices before the change; a service whose lowest price did not rise is not checked.
pub async fn check_after_cost_change(
    work: &mut UnitOfWork,
    (lowest_before, field): (&LowestPrices, &str),
    services: &[ServiceId],
    is_confirmed: bool,
) -> Result<()> {
    let sql =
        Sql::new("SELECT id, default_price, pricing_per FROM services WHERE NOT is_archived AND id IN ");
    let prices: Vec<(ServiceId, Money, i64)> = work.fetch_all(sql.ids(services).push(" ORDER BY id")).await?;
    let lowest_after = load_lowest_prices(work, services).await?;
    let has_higher_lowest_price = |(id, _, per): &(ServiceId, Money, i64)| {
        lowest_after.price(*id, *per) > lowest_before.price(*id, *per)
    };
    let prices: Vec<NewPrice> = prices
        .into_iter()
        .filter(has_higher_lowest_price)
        .map(|(id, price, per)| NewPrice::of_service(field.to_owned(), id, price, per))
        .collect();
    check_prices_against(work, &prices, &lowest_after, is_confirmed).await?;
    Ok(())
}

pub fn below_margin_error(errors: FieldErrors) -> Error {
    Rejection { code: BELOW_MARGIN_CODE, ..errors.into() }.into()
}
