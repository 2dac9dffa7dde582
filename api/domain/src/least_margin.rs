//! The minimum margin: nothing is sold below the cost at its most expensive available provider plus the minimum margin.
//!
//! The cost is that of the units that the panel orders: a quantity ratio above 1 raises the cost of each sold unit. A ratio below 1
//! lowers no price, because the provider's smallest quantity may prevent it. A provider whose currency has no exchange rate is
//! left out.

use std::collections::BTreeMap;

use panel_contract::amount::{Fraction, Money, Overflow};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{ProviderId, ServiceId};

/// Largest number of errors in one rejection.
const MAX_ERRORS: usize = 20;

/// The cost of a service at one of its providers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderCost {
    pub provider_id: ProviderId,
    /// The cost of `per` units, in the panel's currency.
    pub cost: Money,
    pub per: i64,
    /// Whether the quantity ratio applies to orders at this provider.
    pub uses_quantity_ratio: bool,
}

impl ProviderCost {
    /// The price for `per` units that covers the cost and the margin, rounded up to the millionth.
    fn price(&self, per: i64, ratio: Fraction, margin: Fraction) -> Option<Money> {
        let ratio = if self.uses_quantity_ratio {
            ratio.0.max(Money::MILLIONTHS_PER_UNIT)
        } else {
            Money::MILLIONTHS_PER_UNIT
        };
        let cost = self.cost.scaled_rounded_up(ratio, Money::MILLIONTHS_PER_UNIT, 6).ok()?;
        price_with_margin(cost, self.per, per, margin).ok()
    }
}

/// A customer's own quantity ratio: the number of units that the panel orders for each unit that the customer buys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CustomerRatio {
    pub ratio: Fraction,
    /// Whether the customer's ratio applies only to orders up to a quantity limit. The ratio of the service applies to larger ones.
    pub has_max_quantity: bool,
}

impl CustomerRatio {
    /// `max_quantity` is the largest quantity to which the customer's ratio applies.
    #[must_use]
    pub fn of(ratio: Option<Fraction>, max_quantity: Option<i64>) -> Option<Self> {
        ratio.map(|ratio| Self { ratio, has_max_quantity: max_quantity.is_some() })
    }
}

/// The costs of a service at its providers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServiceCosts {
    /// The quantity ratio of the service.
    pub ratio: Fraction,
    /// The costs at its available providers.
    pub by_provider: Vec<ProviderCost>,
}

impl ServiceCosts {
    /// The ratio with which an order of this customer costs most.
    fn ratio(&self, own: Option<CustomerRatio>) -> Fraction {
        match own {
            Some(own) if own.has_max_quantity => own.ratio.max(self.ratio),
            Some(own) => own.ratio,
            None => self.ratio,
        }
    }
}

/// The costs of services and the minimum margin, from which lowest prices are calculated. Without a minimum margin there are no
/// services, and every lowest price is 0.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LowestPrices {
    pub margin: Fraction,
    pub services: BTreeMap<ServiceId, ServiceCosts>,
}

impl LowestPrices {
    /// The lowest price of a service for `per` units, rounded up to the millionth; 0 if there is none.
    #[must_use]
    pub fn of(&self, service: ServiceId, per: i64) -> Money {
        self.of_customer(service, per, None)
    }

    /// Like [`Self::of`], for a customer who may have an own ratio.
    #[must_use]
    pub fn of_customer(&self, service: ServiceId, per: i64, own: Option<CustomerRatio>) -> Money {
        self.highest(service, per, own, |_| true)
    }

    /// The lowest price of a service by its providers other than `provider`.
    #[must_use]
    pub fn of_other_providers(&self, provider: ProviderId, service: ServiceId, per: i64) -> Money {
        self.highest(service, per, None, |cost| cost.provider_id != provider)
    }

    fn highest(
        &self,
        service: ServiceId,
        per: i64,
        own: Option<CustomerRatio>,
        includes: impl Fn(&ProviderCost) -> bool,
    ) -> Money {
        let Some(costs) = self.services.get(&service) else { return Money::ZERO };
        let ratio = costs.ratio(own);
        let included = costs.by_provider.iter().filter(|cost| includes(cost));
        included.filter_map(|cost| cost.price(per, ratio, self.margin)).max().unwrap_or_default()
    }
}

/// A price that a request sets or changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPrice {
    /// The field of the request that sets or changes the price.
    pub field: String,
    pub service_id: ServiceId,
    /// The price, for `pricing_per` units.
    pub price: Money,
    pub pricing_per: i64,
    /// The own ratio of the customer whose price it is.
    pub ratio: Option<CustomerRatio>,
}

impl NewPrice {
    /// The price of a service for all customers without an own price.
    #[must_use]
    pub const fn of_service(field: String, service_id: ServiceId, price: Money, pricing_per: i64) -> Self {
        Self { field, service_id, price, pricing_per, ratio: None }
    }

    fn lowest_price(&self, lowest: &LowestPrices) -> Money {
        lowest.of_customer(self.service_id, self.pricing_per, self.ratio)
    }

    #[must_use]
    pub fn is_below(&self, lowest: &LowestPrices) -> bool {
        self.price < self.lowest_price(lowest)
    }

    #[must_use]
    pub fn sale(&self, lowest: &LowestPrices) -> NewSale {
        NewSale {
            field: self.field.clone(),
            item_name: format!("service {}", self.service_id),
            price: self.price,
            lowest_price: self.lowest_price(lowest),
        }
    }
}

/// A price to check: that of a service or of a whole package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSale {
    /// The field of the request that sets or changes the price.
    pub field: String,
    /// What is sold, for the middle of a sentence, such as "service 7".
    pub item_name: String,
    pub price: Money,
    pub lowest_price: Money,
}

/// Refuses prices below the lowest price. Each error contains the lowest price and ends with `hint`.
pub fn check_lowest_prices(sales: &[NewSale], margin: Fraction, hint: &str) -> Result<(), FieldErrors> {
    let mut errors = FieldErrors::default();
    for sale in sales.iter().filter(|sale| sale.price < sale.lowest_price).take(MAX_ERRORS) {
        let NewSale { item_name, price, lowest_price, .. } = sale;
        let message = format!(
            "The price {price} of {item_name} is below its cost plus the minimum margin of {margin}. {lowest_price} is the lowest \
             possible price.{hint}"
        );
        errors.add(sale.field.clone(), message);
    }
    errors.into_result(())
}

/// Refuses a requested margin below the minimum margin. The error ends with `hint`.
pub fn check_resale_margin(
    field: &str,
    requested: Option<Fraction>,
    min_margin: Option<Fraction>,
    hint: &str,
) -> Result<(), FieldErrors> {
    match requested.zip(min_margin).filter(|(requested, min_margin)| requested < min_margin) {
        Some((requested, min_margin)) => {
            let message =
                format!("The margin {requested} is below the minimum margin of {min_margin}.{hint}");
            Err(FieldErrors::single(field, message))
        }
        None => Ok(()),
    }
}

/// The price of `per` units from the cost of `cost_per` units: the cost plus `margin`, rounded up to the millionth so that it is
/// never below.
pub fn price_with_margin(cost: Money, cost_per: i64, per: i64, margin: Fraction) -> Result<Money, Overflow> {
    let whole = Money::MILLIONTHS_PER_UNIT.checked_add(margin.0).ok_or(Overflow)?;
    let numerator = per.checked_mul(whole).ok_or(Overflow)?;
    cost.scaled_rounded_up(
        numerator,
        cost_per.max(1).checked_mul(Money::MILLIONTHS_PER_UNIT).ok_or(Overflow)?,
        6,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const SERVICE: ServiceId = ServiceId::new(7);

    fn provider_cost(provider: i64, cost: i64, uses_quantity_ratio: bool) -> ProviderCost {
        let provider_id = ProviderId::new(provider);
        ProviderCost { provider_id, cost: Money(cost), per: 1_000, uses_quantity_ratio }
    }

    fn lowest(ratio: i64) -> LowestPrices {
        let by_provider = vec![
            provider_cost(1, 1_000_000, true),
            provider_cost(2, 3_000_000, true),
            provider_cost(3, 3_100_000, false),
        ];
        let costs = [(SERVICE, ServiceCosts { ratio: Fraction(ratio), by_provider })];
        LowestPrices { margin: Fraction(200_000), services: costs.into_iter().collect() }
    }

    #[test]
    fn the_most_expensive_provider_plus_the_margin_is_the_lowest_price() {
        let lowest = lowest(1_000_000);
        assert_eq!(lowest.of(SERVICE, 1_000), Money(3_720_000));
        assert_eq!(lowest.of(SERVICE, 100), Money(372_000));
        assert_eq!(lowest.of_other_providers(ProviderId::new(3), SERVICE, 1_000), Money(3_600_000));
        assert_eq!(lowest.of(ServiceId::new(8), 1_000), Money::ZERO, "it has no provider");
        assert_eq!(LowestPrices::default().of(SERVICE, 1_000), Money::ZERO);
    }

    #[test]
    fn a_ratio_above_one_raises_the_lowest_price() {
        let own = |ratio, has_max_quantity| Some(CustomerRatio { ratio: Fraction(ratio), has_max_quantity });
        assert_eq!(lowest(1_500_000).of(SERVICE, 1_000), Money(5_400_000));
        assert_eq!(lowest(500_000).of(SERVICE, 1_000), Money(3_720_000), "a ratio below 1 lowers nothing");
        assert_eq!(lowest(1_500_000).of_customer(SERVICE, 1_000, own(2_000_000, false)), Money(7_200_000));
        assert_eq!(lowest(1_500_000).of_customer(SERVICE, 1_000, own(1_000_000, false)), Money(3_720_000));
        let bounded = lowest(1_500_000).of_customer(SERVICE, 1_000, own(1_000_000, true));
        assert_eq!(bounded, Money(5_400_000), "larger orders are placed by the service's ratio");
    }

    #[test]
    fn an_error_names_the_field_and_the_lowest_price() {
        let lowest = lowest(1_000_000);
        let new = |price, field: &str| NewPrice::of_service(field.to_owned(), SERVICE, Money(price), 1_000);
        let check = |prices: &[NewPrice], hint| {
            let sales: Vec<_> = prices.iter().map(|new| new.sale(&lowest)).collect();
            check_lowest_prices(&sales, lowest.margin, hint)
        };
        assert!(check(&[new(3_720_000, "default_price")], "").is_ok());
        let errors = check(&[new(3_720_000, "a"), new(3_719_999, "b")], " Hint.").unwrap_err();
        let messages: Vec<_> = errors.0.into_iter().collect();
        assert_eq!(messages.len(), 1);
        assert_eq!(messages[0].0, "b");
        let message = &messages[0].1[0];
        assert!(message.contains("3.72 is the lowest possible price. Hint."), "{message}");
    }
}
