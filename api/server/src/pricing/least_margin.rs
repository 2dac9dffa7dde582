//! The least margin of prices: reads the costs of services and rejects prices below the margin. Everything that sets a price or
//! a cost uses it, and it is the floor of every quote; the rule is `panel_domain::least_margin`. Prices are checked as the
//! transaction leaves them, so a caller writes first and the rejection rolls the write back.

use std::collections::BTreeMap;

use panel_contract::amount::{Fraction, Money};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{ProviderId, ServiceId, UserId};
use panel_domain::least_margin::{LowestPrices, NewPrice, NewSale, Offer, OwnRatio, judge, judge_margin};
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::Rejection;
use panel_platform::db::{Source, Sql};
use panel_platform::settings;
use panel_platform::work::UnitOfWork;

use crate::pricing::available::available;
use crate::pricing::rates::ExchangeRates;
use crate::pricing::ratio;

/// Code of the rejection.
pub const CODE: &str = "below_least_margin";
/// Last sentence of a rejection if the setting only warns.
const HINT: &str = " Send confirm_below_margin to set it anyway.";

/// The lowest allowed prices of services now. Reads no costs if there is no least margin.
pub async fn of_services(db: &mut impl Source, services: &[ServiceId]) -> Result<LowestPrices> {
    match settings::min_margin(db).await? {
        Some(margin) => with_margin(db, services, margin).await,
        None => Ok(LowestPrices::default()),
    }
}

#[derive(sqlx::FromRow)]
struct OfferRow {
    service_id: ServiceId,
    ratio: Option<Fraction>,
    provider_id: ProviderId,
    source_price: Money,
    source_currency: String,
    source_pricing_per: i64,
    is_by_hand: bool,
    /// The service's type, as the external panel names it.
    kind: Option<String>,
}

/// Like [`of_services`], with a least margin that the caller has read.
pub async fn with_margin(
    db: &mut impl Source,
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
        available!(),
        " AND m.service_id IN "
    ));
    let rows: Vec<OfferRow> = db.all(sql.ids(services)).await?;
    let mut lowest = LowestPrices { margin, services: BTreeMap::new() };
    if !rows.is_empty() {
        let rates = ExchangeRates::read(db).await?;
        for row in rows {
            let Some(cost) = rates.to_own(row.source_price, &row.source_currency) else { continue };
            // A service with a list, such as comments, orders as many units as the customer wrote, whatever the ratio.
            let is_list = ratio::is_a_list(row.kind.as_deref().unwrap_or_default(), false);
            let costs = lowest.services.entry(row.service_id).or_default();
            costs.ratio = row.ratio.unwrap_or(Fraction(Money::UNIT));
            costs.offers.push(Offer {
                provider_id: row.provider_id,
                cost,
                per: row.source_pricing_per,
                is_scaled: !row.is_by_hand && !is_list,
            });
        }
    }
    Ok(lowest)
}

/// A customer's own ratios, by service.
pub async fn own_ratios(
    db: &mut impl Source,
    user: UserId,
    services: &[ServiceId],
) -> Result<BTreeMap<ServiceId, OwnRatio>> {
    let sql = Sql::new(
        "SELECT service_id, order_quantity_ratio_ppm, max_order_quantity_for_use_throttle FROM user_services
         WHERE order_quantity_ratio_ppm IS NOT NULL AND user_id = ? AND service_id IN ",
    );
    let rows: Vec<(ServiceId, Option<Fraction>, Option<i64>)> = db.all(sql.bind(user).ids(services)).await?;
    let own =
        rows.into_iter().filter_map(|(service, ratio, most)| Some((service, OwnRatio::of(ratio, most)?)));
    Ok(own.collect())
}

/// Refuses prices below the lowest, as the transaction leaves them. If the setting only warns, a caller who confirms may set
/// them. Returns whether any price was below.
pub async fn check(work: &mut UnitOfWork, prices: &[NewPrice], is_confirmed: bool) -> Result<bool> {
    let ids: Vec<ServiceId> = prices.iter().map(|new| new.service_id).collect();
    let lowest = of_services(work, &ids).await?;
    check_against(work, prices, &lowest, is_confirmed).await
}

/// Like [`check`], with lowest prices that the caller has read.
pub async fn check_against(
    work: &mut UnitOfWork,
    prices: &[NewPrice],
    lowest: &LowestPrices,
    is_confirmed: bool,
) -> Result<bool> {
    let sales: Vec<NewSale> = prices.iter().map(|new| new.sale(lowest)).collect();
    check_sales(work, &sales, lowest, is_confirmed).await
}

/// Like [`check`], for anything that is sold at a price.
pub async fn check_sales(
    work: &mut UnitOfWork,
    sales: &[NewSale],
    lowest: &LowestPrices,
    is_confirmed: bool,
) -> Result<bool> {
    let Err(errors) = judge(sales, lowest.margin, "") else { return Ok(false) };
    if settings::value(work, settings::MIN_MARGIN_ACTION).await? != "warn" {
        return Err(below_margin_error(errors));
    }
    match judge(sales, lowest.margin, HINT) {
        Err(errors) if !is_confirmed => Err(below_margin_error(errors)),
        _ => Ok(true),
    }
}

/// Refuses a requested resale margin below the least margin. Returns whether it is below and was confirmed.
pub async fn check_margin(
    work: &mut UnitOfWork,
    field: &str,
    requested: Option<Fraction>,
    is_confirmed: bool,
) -> Result<bool> {
    let least = settings::min_margin(work).await?;
    let Err(errors) = judge_margin(field, requested, least, "") else { return Ok(false) };
    if settings::value(work, settings::MIN_MARGIN_ACTION).await? != "warn" {
        return Err(below_margin_error(errors));
    }
    match judge_margin(field, requested, least, HINT) {
        Err(errors) if !is_confirmed => Err(below_margin_error(errors)),
        _ => Ok(true),
    }
}

/// Refuses service prices that a change of costs brought below the lowest. A price that was below before and whose cost did not
/// rise is accepted.
pub async fn check_costs(
    work: &mut UnitOfWork,
    (before, field): (&LowestPrices, &str),
    services: &[ServiceId],
    is_confirmed: bool,
) -> Result<()> {
    let sql =
        Sql::new("SELECT id, default_price, pricing_per FROM services WHERE NOT is_archived AND id IN ");
    let sold: Vec<(ServiceId, Money, i64)> = work.all(sql.ids(services).push(" ORDER BY id")).await?;
    let after = of_services(work, services).await?;
    let dearer = sold.into_iter().filter(|(id, _, per)| after.of(*id, *per) > before.of(*id, *per));
    let prices: Vec<NewPrice> =
        dearer.map(|(id, price, per)| NewPrice::of_service(field.to_owned(), id, price, per)).collect();
    check_against(work, &prices, &after, is_confirmed).await?;
    Ok(())
}

/// Returns the rejection of prices below the lowest.
pub fn below_margin_error(errors: FieldErrors) -> Error {
    Rejection { code: CODE, ..errors.into() }.into()
}
