//! The minimum margin: no price may be below the cost at the most expensive available provider plus the minimum margin.
//!
//! The cost is calculated for the units that the panel orders: a quantity ratio above 1 raises the cost of each sold unit. A ratio
//! below 1 does not lower the lowest price, because the provider may require a higher minimum quantity. Providers whose currency
//! has no exchange rate are ignored.

use std::collections::BTreeMap;

use panel_contract::amount::{Fraction, Money, Overflow};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{ProviderId, ServiceId};

/// Maximum number of errors in one rejection.
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
    /// The lowest price for `per` units that covers the cost and the margin, rounded up to the millionth.
    fn lowest_price(&self, per: i64, ratio: Fraction, margin: Fraction) -> Option<Money> {
        let applied_ratio = if self.uses_quantity_ratio {
            ratio.0.max(Money::MILLIONTHS_PER_UNIT)
        } else {
            Money::MILLIONTHS_PER_UNIT
        };
        let cost = self.cost.scaled_rounded_up(applied_ratio, Money::MILLIONTHS_PER_UNIT, 6).ok()?;
        price_with_margin(cost, self.per, per, margin).ok()
    }
}

/// The quantity ratio that was agreed with a customer: the number of units that the panel orders for each unit that the customer
/// buys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CustomerRatio {
    pub ratio: Fraction,
    /// Whether the customer's ratio applies only to orders up to a maximum quantity. The ratio of the service applies to larger
    /// orders.
    pub has_max_quantity: bool,
}

impl CustomerRatio {
    /// `max_quantity` is the maximum quantity of orders to which the customer's ratio applies.
    #[must_use]
    pub fn from_options(ratio: Option<Fraction>, max_quantity: Option<i64>) -> Option<Self> {
        ratio.map(|ratio| Self { ratio, has_max_quantity: max_quantity.is_some() })
    }
}

/// The costs of a service at its providers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServiceCosts {
    /// The quantity ratio of the service.
    pub ratio: Fraction,
    /// The costs at the available providers of the service.
    pub by_provider: Vec<ProviderCost>,
}

impl ServiceCosts {
    /// The highest ratio that can apply to an order of this customer.
    fn highest_ratio(&self, customer_ratio: Option<CustomerRatio>) -> Fraction {
        match customer_ratio {
            Some(customer) if customer.has_max_quantity => customer.ratio.max(self.ratio),
            Some(customer) => customer.ratio,
            None => self.ratio,
        }
    }
}

/// The costs of services and the minimum margin, from which lowest prices are calculated. If no minimum margin is set, `services`
/// is empty and every lowest price is 0.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LowestPrices {
    pub margin: Fraction,
    pub services: BTreeMap<ServiceId, ServiceCosts>,
}

impl LowestPrices {
    /// The lowest price of a service for `per` units, rounded up to the millionth; 0 if the service has no known cost.
    #[must_use]
    pub fn price(&self, service: ServiceId, per: i64) -> Money {
        self.price_for_customer(service, per, None)
    }

    /// Like [`Self::price`], for a customer with whom a quantity ratio may be agreed.
    #[must_use]
    pub fn price_for_customer(
        &self,
        service: ServiceId,
        per: i64,
        customer_ratio: Option<CustomerRatio>,
    ) -> Money {
        self.highest_price(service, per, customer_ratio, |_| true)
    }

    /// The lowest price of a service if `provider` is ignored.
    #[must_use]
    pub fn price_without_provider(&self, provider: ProviderId, service: ServiceId, per: i64) -> Money {
        self.highest_price(service, per, None, |cost| cost.provider_id != provider)
    }

    /// The highest of the lowest prices at the providers that `includes` accepts.
    fn highest_price(
        &self,
        service: ServiceId,
        per: i64,
        customer_ratio: Option<CustomerRatio>,
        includes: impl Fn(&ProviderCost) -> bool,
    ) -> Money {
        let Some(costs) = self.services.get(&service) else { return Money::ZERO };
        let ratio = costs.highest_ratio(customer_ratio);
        let included_costs = costs.by_provider.iter().filter(|cost| includes(cost));
        included_costs.filter_map(|cost| cost.lowest_price(per, ratio, self.margin)).max().unwrap_or_default()
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
    /// The quantity ratio that was agreed with the customer whose price this is; `None` for a price of the service.
    pub ratio: Option<CustomerRatio>,
}

impl NewPrice {
    /// The price of a service for all customers without an individual price.
    #[must_use]
    pub const fn of_service(field: String, service_id: ServiceId, price: Money, pricing_per: i64) -> Self {
        Self { field, service_id, price, pricing_per, ratio: None }
    }

    fn lowest_price(&self, lowest: &LowestPrices) -> Money {
        lowest.price_for_customer(self.service_id, self.pricing_per, self.ratio)
    }

    #[must_use]
    pub fn is_below(&self, lowest: &LowestPrices) -> bool {
        self.price < self.lowest_price(lowest)
    }

    #[must_use]
    pub fn to_price_check(&self, lowest: &LowestPrices) -> PriceCheck {
        PriceCheck {
            field: self.field.clone(),
            item_name: format!("service {}", self.service_id),
            price: self.price,
            lowest_price: self.lowest_price(lowest),
        }
    }
}

/// A price of a service or package, with the lowest price to check it against.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PriceCheck {
    /// The field of the request that sets or changes the price.
    pub field: String,
    /// Name of the service or package within an English sentence, such as "service 7".
    pub item_name: String,
    pub price: Money,
    pub lowest_price: Money,
}

/// Rejects prices below the lowest price. Each error contains the lowest price and ends with `hint`.
pub fn check_lowest_prices(checks: &[PriceCheck], margin: Fraction, hint: &str) -> Result<(), FieldErrors> {
    let mut errors = FieldErrors::default();
    for check in checks.iter().filter(|check| check.price < check.lowest_price).take(MAX_ERRORS) {
        let PriceCheck { item_name, price, lowest_price, .. } = check;
        let message = format!(
            "The price {price} of {item_name} is below its cost plus the minimum margin of {margin}. {lowest_price} is the lowest \
             possible price.{hint}"
        );
        errors.add(check.field.clone(), message);
    }
    errors.into_result(())
}

/// Rejects a requested margin below the minimum margin. The error ends with `hint`.
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

/// The price of `per` units from the cost of `cost_per` units: the cost plus `margin`, rounded up to the millionth, so that the
/// price is never too low.
pub fn price_with_margin(cost: Money, cost_per: i64, per: i64, margin: Fraction) -> Result<Money, Overflow> {
    let factor_ppm = Money::MILLIONTHS_PER_UNIT.checked_add(margin.0).ok_or(Overflow)?;
    let numerator = per.checked_mul(factor_ppm).ok_or(Overflow)?;
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

    fn lowest_prices(ratio: i64) -> LowestPrices {
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
        let lowest_prices = lowest_prices(1_000_000);
        assert_eq!(lowest_prices.price(SERVICE, 1_000), Money(3_720_000));
        assert_eq!(lowest_prices.price(SERVICE, 100), Money(372_000));
        assert_eq!(
            lowest_prices.price_without_provider(ProviderId::new(3), SERVICE, 1_000),
            Money(3_600_000)
        );
        assert_eq!(
            lowest_prices.price(ServiceId::new(8), 1_000),
            Money::ZERO,
            "a service without providers must have no lowest price"
        );
        assert_eq!(LowestPrices::default().price(SERVICE, 1_000), Money::ZERO);
    }

    #[test]
    fn a_ratio_above_one_raises_the_lowest_price() {
        let agreed_ratio =
            |ratio, has_max_quantity| Some(CustomerRatio { ratio: Fraction(ratio), has_max_quantity });
        assert_eq!(lowest_prices(1_500_000).price(SERVICE, 1_000), Money(5_400_000));
        assert_eq!(
            lowest_prices(500_000).price(SERVICE, 1_000),
            Money(3_720_000),
            "a ratio below 1 must not lower the price"
        );
        assert_eq!(
            lowest_prices(1_500_000).price_for_customer(SERVICE, 1_000, agreed_ratio(2_000_000, false)),
            Money(7_200_000)
        );
        assert_eq!(
            lowest_prices(1_500_000).price_for_customer(SERVICE, 1_000, agreed_ratio(1_000_000, false)),
            Money(3_720_000)
        );
        let with_max_quantity =
            lowest_prices(1_500_000).price_for_customer(SERVICE, 1_000, agreed_ratio(1_000_000, true));
        assert_eq!(
            with_max_quantity,
            Money(5_400_000),
            "the ratio of the service must apply to larger orders"
        );
    }

    #[test]
    fn an_error_names_the_field_and_the_lowest_price() {
        let lowest_prices = lowest_prices(1_000_000);
        let new_price =
            |price, field: &str| NewPrice::of_service(field.to_owned(), SERVICE, Money(price), 1_000);
        let check = |prices: &[NewPrice], hint| {
            let checks: Vec<_> = prices.iter().map(|price| price.to_price_check(&lowest_prices)).collect();
            check_lowest_prices(&checks, lowest_prices.margin, hint)
        };
        assert!(check(&[new_price(3_720_000, "default_price")], "").is_ok());
        let errors = check(&[new_price(3_720_000, "a"), new_price(3_719_999, "b")], " Hint.").unwrap_err();
        let messages: Vec<_> = errors.0.into_iter().collect();
        assert_eq!(messages.len(), 1);
        assert_eq!(messages[0].0, "b");
        let message = &messages[0].1[0];
        assert!(message.contains("3.72 is the lowest possible price. Hint."), "{message}");
    }
}
