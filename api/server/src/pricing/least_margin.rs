//! The least margin: nothing is sold below what its dearest available provider asks and the least margin on it. The one rule
//! for every place that sets a price or a cost, and the floor of every quote. Prices are judged as the transaction leaves
//! them, so a caller writes first and the refusal undoes it.
//!
//! What a provider asks counts for as many units as the panel orders for what is sold: a ratio above 1 makes each unit
//! dearer. A ratio below 1 lowers no price, because a provider's bounds may hold it back. A provider whose currency has no
//! rate cannot be judged, and is left out.

use std::collections::BTreeMap;

use panel_contract::amount::{Fraction, Money};
use panel_contract::fields::FieldErrors;
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::Rejection;

use crate::pricing::available::available;
use crate::pricing::rates::Rates;
use crate::pricing::ratio;
use panel_contract::amount::Overflow;
use panel_platform::db::{Source, Sql};
use panel_platform::settings;
use panel_platform::work::Work;

/// The code of a refusal.
pub const CODE: &str = "below_least_margin";
/// Ends a refusal where the panel only warns.
const HINT: &str = " Send confirm_below_margin to set it all the same.";
/// Most lines of one refusal.
const MOST_ERRORS: usize = 20;

// Rules

/// What one provider of a service asks, in the panel's currency.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Offer {
    provider_id: i64,
    cost: Money,
    /// Units that the cost is for.
    per: i64,
    /// Whether the ratio decides how many units are ordered there.
    is_scaled: bool,
}

impl Offer {
    /// The price for `per` units that brings back the cost and the margin on it, rounded up to the millionth.
    fn price(&self, per: i64, ratio: Fraction, margin: Fraction) -> Option<Money> {
        let ratio = if self.is_scaled { ratio.0.max(Money::UNIT) } else { Money::UNIT };
        let cost = self.cost.scaled_up(ratio, Money::UNIT, 6).ok()?;
        price_with_margin(cost, self.per, per, margin).ok()
    }
}

/// How many units the panel orders for each that a customer buys, where the customer has a ratio of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OwnRatio {
    /// Units ordered for each that is sold.
    pub ratio: Fraction,
    /// Whether larger orders are placed by the service's ratio.
    pub is_bounded: bool,
}

impl OwnRatio {
    /// Of a customer's own terms; none where they have no ratio.
    #[must_use]
    pub fn of(ratio: Option<Fraction>, most: Option<i64>) -> Option<Self> {
        ratio.map(|ratio| Self { ratio, is_bounded: most.is_some() })
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct ServiceCosts {
    /// The service's own ratio.
    ratio: Fraction,
    offers: Vec<Offer>,
}

impl ServiceCosts {
    /// The ratio that makes an order of this customer dearest.
    fn ratio(&self, own: Option<OwnRatio>) -> Fraction {
        match own {
            Some(own) if own.is_bounded => own.ratio.max(self.ratio),
            Some(own) => own.ratio,
            None => self.ratio,
        }
    }
}

/// What services cost, and the least margin on it. Without a least margin nothing has a lowest price.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LowestPrices {
    margin: Fraction,
    services: BTreeMap<i64, ServiceCosts>,
}

impl LowestPrices {
    /// The lowest price of a service for `per` units, rounded up to the millionth; zero where there is none.
    #[must_use]
    pub fn of(&self, service: i64, per: i64) -> Money {
        self.of_customer(service, per, None)
    }

    /// The same for a customer who may have a ratio of their own.
    #[must_use]
    pub fn of_customer(&self, service: i64, per: i64, own: Option<OwnRatio>) -> Money {
        self.highest(service, per, own, |_| true)
    }

    /// The lowest price of a service by its providers other than this one.
    #[must_use]
    pub fn without(&self, provider: i64, service: i64, per: i64) -> Money {
        self.highest(service, per, None, |offer| offer.provider_id != provider)
    }

    fn highest(
        &self,
        service: i64,
        per: i64,
        own: Option<OwnRatio>,
        counts: impl Fn(&Offer) -> bool,
    ) -> Money {
        let Some(costs) = self.services.get(&service) else { return Money::ZERO };
        let ratio = costs.ratio(own);
        let offers = costs.offers.iter().filter(|offer| counts(offer));
        offers.filter_map(|offer| offer.price(per, ratio, self.margin)).max().unwrap_or_default()
    }
}

/// A price that a request leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPrice {
    /// The request's field that leads to it.
    pub field: String,
    /// The service that is sold at it.
    pub service_id: i64,
    /// The price, for `pricing_per` units.
    pub price: Money,
    /// Units that prices of the service are for.
    pub pricing_per: i64,
    /// The ratio of the customer whose price it is.
    pub ratio: Option<OwnRatio>,
}

impl NewPrice {
    /// The price that all customers pay who have none of their own.
    #[must_use]
    pub const fn of_service(field: String, service_id: i64, price: Money, pricing_per: i64) -> Self {
        Self { field, service_id, price, pricing_per, ratio: None }
    }

    fn lowest(&self, lowest: &LowestPrices) -> Money {
        lowest.of_customer(self.service_id, self.pricing_per, self.ratio)
    }

    /// Whether it is below the lowest possible price.
    #[must_use]
    pub fn is_below(&self, lowest: &LowestPrices) -> bool {
        self.price < self.lowest(lowest)
    }

    fn sale(&self, lowest: &LowestPrices) -> NewSale {
        NewSale {
            field: self.field.clone(),
            what: format!("service {}", self.service_id),
            price: self.price,
            lowest: self.lowest(lowest),
        }
    }
}

/// Anything that a request sells at a price, such as a service or a whole package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSale {
    /// The request's field that leads to the price.
    pub field: String,
    /// What is sold, in the middle of a sentence.
    pub what: String,
    /// What it is sold at.
    pub price: Money,
    /// The lowest possible price of it.
    pub lowest: Money,
}

/// What is too low, by field, and the lowest possible price for each; `hint` ends each sentence.
pub fn judge(sales: &[NewSale], margin: Fraction, hint: &str) -> Result<(), FieldErrors> {
    let mut errors = FieldErrors::default();
    for sale in sales.iter().filter(|sale| sale.price < sale.lowest).take(MOST_ERRORS) {
        let NewSale { what, price, lowest, .. } = sale;
        let message = format!(
            "This sells {what} at {price}; with the least margin of {margin} on its cost, {lowest} is the lowest possible price.{hint}"
        );
        errors.add(sale.field.clone(), message);
    }
    errors.or(())
}

/// Whether a margin that services are resold with is at least the least one; `hint` ends the sentence.
pub fn judge_margin(
    field: &str,
    wanted: Option<Fraction>,
    least: Option<Fraction>,
    hint: &str,
) -> Result<(), FieldErrors> {
    match wanted.zip(least).filter(|(wanted, least)| wanted < least) {
        Some((wanted, least)) => {
            let message =
                format!("The panel resells with a margin of at least {least}; {wanted} is below it.{hint}");
            Err(FieldErrors::one(field, message))
        }
        None => Ok(()),
    }
}

/// A price for `per` units, of what `cost_per` of them cost: the cost and `margin` on top of it, rounded up to the
/// millionth, so that it is never less.
pub fn price_with_margin(cost: Money, cost_per: i64, per: i64, margin: Fraction) -> Result<Money, Overflow> {
    let whole = Money::UNIT.checked_add(margin.0).ok_or(Overflow)?;
    let numerator = per.checked_mul(whole).ok_or(Overflow)?;
    cost.scaled_up(numerator, cost_per.max(1).checked_mul(Money::UNIT).ok_or(Overflow)?, 6)
}

// Store

/// The lowest prices of services as of now; nothing is asked where there is no least margin.
pub async fn of_services(db: &mut impl Source, services: &[i64]) -> Result<LowestPrices> {
    match settings::min_margin(db).await? {
        Some(margin) => with_margin(db, services, margin).await,
        None => Ok(LowestPrices::default()),
    }
}

#[derive(sqlx::FromRow)]
struct OfferRow {
    service_id: i64,
    ratio: Option<Fraction>,
    provider_id: i64,
    source_price: Money,
    source_currency: String,
    source_pricing_per: i64,
    is_by_hand: bool,
    /// The panel's word for the type of its service.
    kind: Option<String>,
}

/// The same, where the least margin is known already.
pub async fn with_margin(db: &mut impl Source, services: &[i64], margin: Fraction) -> Result<LowestPrices> {
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
    user: i64,
    services: &[i64],
) -> Result<BTreeMap<i64, OwnRatio>> {
    let sql = Sql::new(
        "SELECT service_id, order_quantity_ratio_ppm, max_order_quantity_for_use_throttle FROM user_services
         WHERE order_quantity_ratio_ppm IS NOT NULL AND user_id = ? AND service_id IN ",
    );
    let rows: Vec<(i64, Option<Fraction>, Option<i64>)> = db.all(sql.bind(user).ids(services)).await?;
    let own =
        rows.into_iter().filter_map(|(service, ratio, most)| Some((service, OwnRatio::of(ratio, most)?)));
    Ok(own.collect())
}

/// Refuses prices below the lowest, as the transaction leaves them. Where the panel only warns, a caller who confirms gets
/// them; whether any price was below is the answer.
pub async fn check(work: &mut Work, prices: &[NewPrice], is_confirmed: bool) -> Result<bool> {
    let ids: Vec<i64> = prices.iter().map(|new| new.service_id).collect();
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
    services: &[i64],
    is_confirmed: bool,
) -> Result<()> {
    let sql =
        Sql::new("SELECT id, default_price, pricing_per FROM services WHERE NOT is_archived AND id IN ");
    let sold: Vec<(i64, Money, i64)> = work.all(sql.ids(services).push(" ORDER BY id")).await?;
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

#[cfg(test)]
mod tests {
    use super::*;

    fn offer(provider_id: i64, cost: i64, is_scaled: bool) -> Offer {
        Offer { provider_id, cost: Money(cost), per: 1_000, is_scaled }
    }

    fn lowest(ratio: i64) -> LowestPrices {
        let offers = vec![offer(1, 1_000_000, true), offer(2, 3_000_000, true), offer(3, 3_100_000, false)];
        let costs = [(7, ServiceCosts { ratio: Fraction(ratio), offers })];
        LowestPrices { margin: Fraction(200_000), services: costs.into_iter().collect() }
    }

    #[test]
    fn the_dearest_provider_and_the_margin_are_the_lowest() {
        let lowest = lowest(1_000_000);
        assert_eq!(lowest.of(7, 1_000), Money(3_720_000));
        assert_eq!(lowest.of(7, 100), Money(372_000));
        assert_eq!(lowest.without(3, 7, 1_000), Money(3_600_000));
        assert_eq!(lowest.of(8, 1_000), Money::ZERO, "no provider asks anything");
        assert_eq!(LowestPrices::default().of(7, 1_000), Money::ZERO);
    }

    #[test]
    fn a_ratio_makes_each_unit_dearer_where_it_decides_what_is_ordered() {
        let own = |ratio, is_bounded| Some(OwnRatio { ratio: Fraction(ratio), is_bounded });
        assert_eq!(lowest(1_500_000).of(7, 1_000), Money(5_400_000));
        assert_eq!(lowest(500_000).of(7, 1_000), Money(3_720_000), "a lower one lowers nothing");
        assert_eq!(lowest(1_500_000).of_customer(7, 1_000, own(2_000_000, false)), Money(7_200_000));
        assert_eq!(lowest(1_500_000).of_customer(7, 1_000, own(1_000_000, false)), Money(3_720_000));
        let bounded = lowest(1_500_000).of_customer(7, 1_000, own(1_000_000, true));
        assert_eq!(bounded, Money(5_400_000), "larger orders are placed by the service's ratio");
    }

    #[test]
    fn a_refusal_names_field_and_lowest_price() {
        let lowest = lowest(1_000_000);
        let new = |price, field: &str| NewPrice::of_service(field.to_owned(), 7, Money(price), 1_000);
        let judged = |prices: &[NewPrice], hint| {
            let sales: Vec<_> = prices.iter().map(|new| new.sale(&lowest)).collect();
            judge(&sales, lowest.margin, hint)
        };
        assert!(judged(&[new(3_720_000, "default_price")], "").is_ok());
        let errors = judged(&[new(3_720_000, "a"), new(3_719_999, "b")], " Hint.").unwrap_err();
        let messages: Vec<_> = errors.0.into_iter().collect();
        assert_eq!(messages.len(), 1);
        assert_eq!(messages[0].0, "b");
        let said = &messages[0].1[0];
        assert!(said.contains("3.72 is the lowest possible price. Hint."), "{said}");
    }
}
