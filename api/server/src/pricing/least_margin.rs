//! The least margin of prices that are set: reads what services cost, and rejects prices below it. The one place for
//! all that sets a price or a cost, and the floor of every quote; the rule is `panel_domain::least_margin`. Prices are judged as the
//! transaction leaves them, so a caller writes first and the rejection undoes it.

use std::collections::BTreeMap;

use panel_contract::amount::{Fraction, Money};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{ProviderId, ServiceId, UserId};
use panel_domain::least_margin::{LowestPrices, NewPrice, NewSale, Offer, OwnRatio, judge, judge_margin};
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::Rejection;
use panel_platform::db::{Source, Sql};
use panel_platform::settings;
use panel_platform::work::Work;

use crate::pricing::available::available;
use crate::pricing::rates::Rates;
use crate::pricing::ratio;

/// The code of a rejection.
pub const CODE: &str = "below_least_margin";
/// Ends a rejection where the panel only warns.
const HINT: &str = " Send confirm_below_margin to set it all the same.";

/// The lowest prices of services as of now; nothing is asked where there is no least margin.
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
    /// The panel's word for the type of its service.
    kind: Option<String>,
}

/// The same, where the least margin is known already.
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
        let rates = Rates::read(db).await?;
        for row in rows {
            let Some(cost) = rates.to_own(row.source_price, &row.source_currency) else { continue };
            // A list orders as many units as the customer wrote, whatever the ratio.
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

/// The ratios that a customer has of their own, by service.
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

/// Refuses prices below the lowest, as the transaction leaves them. Where the panel only warns, a caller who confirms gets
/// them; whether any price was below is the answer.
pub async fn check(work: &mut Work, prices: &[NewPrice], is_confirmed: bool) -> Result<bool> {
    let ids: Vec<ServiceId> = prices.iter().map(|new| new.service_id).collect();
    let lowest = of_services(work, &ids).await?;
    check_against(work, prices, &lowest, is_confirmed).await
}

/// The same, against lowest prices that were read already.
pub async fn check_against(
    work: &mut Work,
    prices: &[NewPrice],
    lowest: &LowestPrices,
    is_confirmed: bool,
) -> Result<bool> {
    let sales: Vec<NewSale> = prices.iter().map(|new| new.sale(lowest)).collect();
    check_sales(work, &sales, lowest, is_confirmed).await
}

/// The same for whatever is sold at a price.
pub async fn check_sales(
    work: &mut Work,
    sales: &[NewSale],
    lowest: &LowestPrices,
    is_confirmed: bool,
) -> Result<bool> {
    let Err(errors) = judge(sales, lowest.margin, "") else { return Ok(false) };
    if settings::value(work, settings::MIN_MARGIN_ACTION).await? != "warn" {
        return Err(refused(errors));
    }
    match judge(sales, lowest.margin, HINT) {
        Err(errors) if !is_confirmed => Err(refused(errors)),
        _ => Ok(true),
    }
}

/// A margin that somebody wants to resell with must be at least the least one; whether it is below and was confirmed is
/// the answer.
pub async fn check_margin(
    work: &mut Work,
    field: &str,
    wanted: Option<Fraction>,
    is_confirmed: bool,
) -> Result<bool> {
    let least = settings::min_margin(work).await?;
    let Err(errors) = judge_margin(field, wanted, least, "") else { return Ok(false) };
    if settings::value(work, settings::MIN_MARGIN_ACTION).await? != "warn" {
        return Err(refused(errors));
    }
    match judge_margin(field, wanted, least, HINT) {
        Err(errors) if !is_confirmed => Err(refused(errors)),
        _ => Ok(true),
    }
}

/// Prices of services by hand or by their providers: refuses those that a change brought below the lowest. What was below
/// before and costs no more now stays.
pub async fn check_costs(
    work: &mut Work,
    (before, field): (&LowestPrices, &str),
    services: &[ServiceId],
    is_confirmed: bool,
) -> Result<()> {
    let sql =
        Sql::new("SELECT id, default_price, pricing_per FROM services WHERE NOT is_archived AND id IN ");
    let sold: Vec<(ServiceId, Money, i64)> = work.all(sql.ids(services).push(" ORDER BY id")).await?;
    let now = of_services(work, services).await?;
    let dearer = sold.into_iter().filter(|(id, _, per)| now.of(*id, *per) > before.of(*id, *per));
    let prices: Vec<NewPrice> =
        dearer.map(|(id, price, per)| NewPrice::of_service(field.to_owned(), id, price, per)).collect();
    check_against(work, &prices, &now, is_confirmed).await?;
    Ok(())
}

/// The rejection of prices below the lowest.
pub fn refused(errors: FieldErrors) -> Error {
    Rejection { code: CODE, ..errors.into() }.into()
}
