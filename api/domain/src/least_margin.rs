//! The minimum margin: nothing is sold below what its dearest available provider asks and the minimum margin on it.
//!
//! What a provider asks counts for as many units as the panel orders for what is sold: a ratio above 1 makes each unit
//! dearer. A ratio below 1 lowers no price, because a provider's bounds may hold it back. A provider whose currency has no
//! rate cannot be judged, and is left out.

use std::collections::BTreeMap;

use panel_contract::amount::{Fraction, Money, Overflow};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{ProviderId, ServiceId};

/// Most lines of one rejection.
const MOST_ERRORS: usize = 20;

/// What one provider of a service asks, in the panel's currency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// Who offers it.
    pub provider_id: ProviderId,
    /// What it costs, in the panel's currency.
    pub cost: Money,
    /// Units that the cost is for.
    pub per: i64,
    /// Whether the ratio decides how many units are ordered there.
    pub is_scaled: bool,
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

/// What a service costs at each of its providers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServiceCosts {
    /// The service's own ratio.
    pub ratio: Fraction,
    /// What its available providers ask.
    pub offers: Vec<Offer>,
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

/// What services cost, and the minimum margin on it. Without a minimum margin nothing has a lowest price.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LowestPrices {
    /// The margin on the cost.
    pub margin: Fraction,
    /// What each service costs, by its id.
    pub services: BTreeMap<ServiceId, ServiceCosts>,
}

impl LowestPrices {
    /// The lowest price of a service for `per` units, rounded up to the millionth; zero where there is none.
    #[must_use]
    pub fn of(&self, service: ServiceId, per: i64) -> Money {
        self.of_customer(service, per, None)
    }

    /// The same for a customer who may have a ratio of their own.
    #[must_use]
    pub fn of_customer(&self, service: ServiceId, per: i64, own: Option<OwnRatio>) -> Money {
        self.highest(service, per, own, |_| true)
    }

    /// The lowest price of a service by its providers other than this one.
    #[must_use]
    pub fn without(&self, provider: ProviderId, service: ServiceId, per: i64) -> Money {
        self.highest(service, per, None, |offer| offer.provider_id != provider)
    }

    fn highest(
        &self,
        service: ServiceId,
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
    pub service_id: ServiceId,
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
    pub const fn of_service(field: String, service_id: ServiceId, price: Money, pricing_per: i64) -> Self {
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

    /// The sale that is judged.
    #[must_use]
    pub fn sale(&self, lowest: &LowestPrices) -> NewSale {
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

#[cfg(test)]
mod tests {
    use super::*;

    const SERVICE: ServiceId = ServiceId::new(7);

    fn offer(provider: i64, cost: i64, is_scaled: bool) -> Offer {
        let provider_id = ProviderId::new(provider);
        Offer { provider_id, cost: Money(cost), per: 1_000, is_scaled }
    }

    fn lowest(ratio: i64) -> LowestPrices {
        let offers = vec![offer(1, 1_000_000, true), offer(2, 3_000_000, true), offer(3, 3_100_000, false)];
        let costs = [(SERVICE, ServiceCosts { ratio: Fraction(ratio), offers })];
        LowestPrices { margin: Fraction(200_000), services: costs.into_iter().collect() }
    }

    #[test]
    fn the_dearest_provider_and_the_margin_are_the_lowest() {
        let lowest = lowest(1_000_000);
        assert_eq!(lowest.of(SERVICE, 1_000), Money(3_720_000));
        assert_eq!(lowest.of(SERVICE, 100), Money(372_000));
        assert_eq!(lowest.without(ProviderId::new(3), SERVICE, 1_000), Money(3_600_000));
        assert_eq!(lowest.of(ServiceId::new(8), 1_000), Money::ZERO, "no provider asks anything");
        assert_eq!(LowestPrices::default().of(SERVICE, 1_000), Money::ZERO);
    }

    #[test]
    fn a_ratio_above_one_raises_the_lowest_price() {
        let own = |ratio, is_bounded| Some(OwnRatio { ratio: Fraction(ratio), is_bounded });
        assert_eq!(lowest(1_500_000).of(SERVICE, 1_000), Money(5_400_000));
        assert_eq!(lowest(500_000).of(SERVICE, 1_000), Money(3_720_000), "a lower one lowers nothing");
        assert_eq!(lowest(1_500_000).of_customer(SERVICE, 1_000, own(2_000_000, false)), Money(7_200_000));
        assert_eq!(lowest(1_500_000).of_customer(SERVICE, 1_000, own(1_000_000, false)), Money(3_720_000));
        let bounded = lowest(1_500_000).of_customer(SERVICE, 1_000, own(1_000_000, true));
        assert_eq!(bounded, Money(5_400_000), "larger orders are placed by the service's ratio");
    }

    #[test]
    fn a_refusal_names_field_and_lowest_price() {
        let lowest = lowest(1_000_000);
        let new = |price, field: &str| NewPrice::of_service(field.to_owned(), SERVICE, Money(price), 1_000);
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
