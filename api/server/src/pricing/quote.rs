//! Calculates the price of an order. Price lists, previews and charges use the same quote, so that listed prices equal charges. The
//! calculation is exact and has no side effects; the charge is rounded up once, at the end, so that rounding makes no order free.

pub mod terms;

use panel_contract::amount::{Fraction, Money, Overflow};
use panel_contract::ids::RecordId;

use crate::pricing::running_discounts::ActiveDiscount;
pub use panel_domain::quote::ExactAmount;

/// Number of units that a rate in reseller APIs covers.
pub const UNITS_PER_RATE: i64 = 1_000;

/// Changes the price of an order before the charge; a discount, for example.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PriceModifier {
    /// Id of the record that defines this modifier, such as a discount; `None` if no record does.
    pub id: Option<RecordId>,
    /// Name that the price breakdown shows.
    pub name: String,
    /// Stored string that classifies the modifier: `discount`, `grade`, `speedup`, …
    pub kind: String,
    pub change: PriceChange,
    /// Whether `kind` is `speedup`; stored as a column of its own for reports.
    pub is_speedup: bool,
    /// Whether the modifier applies only to customers from some countries.
    pub is_country_restricted: bool,
}

impl PriceModifier {
    /// A modifier that lowers the price by a fraction.
    #[must_use]
    pub fn reduction(id: Option<RecordId>, name: String, kind: &str, fraction: Fraction) -> Self {
        let change = PriceChange::ByFraction(Fraction(-fraction.0));
        Self { id, name, kind: kind.to_owned(), change, is_speedup: false, is_country_restricted: false }
    }

    /// The modifier for the running discount of a service, which is not specific to one customer.
    #[must_use]
    pub fn from_discount(discount: ActiveDiscount) -> Self {
        let ActiveDiscount { id, name, fraction, is_country_restricted } = discount;
        Self {
            is_country_restricted,
            ..Self::reduction(Some(id.as_record_id()), name, DISCOUNT_KIND, fraction)
        }
    }
}

/// Kind of the modifier that lowers the service's price for all customers.
const DISCOUNT_KIND: &str = "discount";

/// A change of the cost of an order. The resulting cost is never below zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PriceChange {
    /// Changes the cost by a signed fraction: -0.05 takes five percent off.
    ByFraction(Fraction),
    /// Reduces the cost by a fraction, but by at most `max`.
    CappedReduction {
        /// From 0 to 1.
        fraction: Fraction,
        max: Money,
    },
    /// Changes the cost by a signed amount.
    ByAmount(Money),
    /// Raises a cost below [`PriceTerms::effective_min_price`] to that minimum.
    RaiseToMinimum,
    /// Replaces the cost by an amount that the customer paid in advance, such as the part of a package price for this order.
    PrepaidCost(Money),
}

/// The prices and modifiers that apply to one customer and one service, for any quantity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PriceTerms {
    /// The price that was agreed with the customer, else the service's price.
    pub price: Money,
    /// Number of units that the prices are for.
    pub pricing_per: i64,
    /// Lowest price that modifiers may reach. Ignored if it is higher than `price`.
    pub min_price: Money,
    /// The provider's cost plus the minimum margin, or zero if no minimum margin is set. A lower `price` is raised to it.
    pub min_margin_price: Money,
    /// Modifiers of the price, in order of application.
    pub modifiers: Vec<PriceModifier>,
    /// Whether a price was agreed with this customer.
    pub has_own_price: bool,
}

/// The price of a quantity, and the effect of each modifier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PriceQuote {
    pub exact_cost: ExactAmount,
    /// The charge: `exact_cost` rounded up once.
    pub cost: Money,
    /// One step per modifier, in order of application. A step begins with the cost after the previous step, and the cost after the
    /// last step is the charge.
    pub steps: Vec<PriceStep>,
}

/// The effect of one modifier. Both costs are rounded up from the exact cost, independently of other steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PriceStep {
    pub cost_before: Money,
    pub cost_after: Money,
}

impl PriceTerms {
    /// Terms with a price only: no modifiers and no minimum prices.
    #[must_use]
    pub fn without_modifiers(price: Money, pricing_per: i64) -> Self {
        let (min_price, min_margin_price) = (Money::ZERO, Money::ZERO);
        Self { price, pricing_per, min_price, min_margin_price, modifiers: Vec::new(), has_own_price: false }
    }

    /// Sets the minimum margin price. If the price is below it, the first modifier raises the price.
    #[must_use]
    pub fn with_min_margin_price(mut self, min_margin_price: Money) -> Self {
        self.min_margin_price = min_margin_price;
        if min_margin_price > self.price {
            let template =
                PriceModifier::reduction(None, "Minimum margin".to_owned(), "minimum_margin", Fraction(0));
            self.modifiers.insert(0, PriceModifier { change: PriceChange::RaiseToMinimum, ..template });
        }
        self
    }

    /// Replaces the cost of a quote by the prepaid amount, even if the service costs more or less now, and adds the modifier and
    /// the step for it.
    pub fn apply_prepaid_cost(&mut self, quote: &mut PriceQuote, prepaid_cost: Money) {
        quote.steps.push(PriceStep { cost_before: quote.cost, cost_after: prepaid_cost });
        quote.cost = prepaid_cost;
        let template = PriceModifier::reduction(None, "Prepaid".to_owned(), "prepaid", Fraction(0));
        self.modifiers.push(PriceModifier { change: PriceChange::PrepaidCost(prepaid_cost), ..template });
    }

    /// Whether the service has a running discount.
    #[must_use]
    pub fn has_discount(&self) -> bool {
        self.modifiers.iter().any(|modifier| modifier.kind == DISCOUNT_KIND)
    }

    /// The lowest price that modifiers may reach.
    #[must_use]
    pub fn effective_min_price(&self) -> Money {
        self.min_price.min(self.price).max(self.min_margin_price).max(self.smallest_price_above_zero())
    }

    /// 0.000001 if the price is above zero, so that no discount makes an order free; otherwise zero.
    fn smallest_price_above_zero(&self) -> Money {
        Money(self.price.0.clamp(0, 1))
    }

    /// Quotes `quantity`, rounded up to `decimals` decimal places.
    pub fn quote(&self, quantity: i64, decimals: u8) -> Result<PriceQuote, Overflow> {
        let cost_at = |price| ExactAmount::from_price(price, quantity, self.pricing_per);
        let min_cost = cost_at(self.effective_min_price());
        let smallest_cost = cost_at(self.smallest_price_above_zero());
        let mut exact_cost = cost_at(self.price);
        let mut cost = exact_cost.rounded_up(decimals)?;
        let mut steps = Vec::with_capacity(self.modifiers.len());
        for modifier in &self.modifiers {
            exact_cost = match modifier.change {
                PriceChange::ByFraction(fraction) => exact_cost.changed_by(fraction).max(min_cost.clone()),
                PriceChange::CappedReduction { fraction, max } => {
                    exact_cost.minus(&exact_cost.multiply(fraction).min(max.into())).max(min_cost.clone())
                }
                PriceChange::ByAmount(amount) => exact_cost.plus(&amount.into()).max(min_cost.clone()),
                PriceChange::RaiseToMinimum => exact_cost.max(min_cost.clone()),
                // A prepaid cost stays, even if the minimum price of the service is higher: a package has its own price.
                PriceChange::PrepaidCost(amount) => ExactAmount::from(amount).max(smallest_cost.clone()),
            };
            let cost_after = exact_cost.rounded_up(decimals)?;
            steps.push(PriceStep { cost_before: cost, cost_after });
            cost = cost_after;
        }
        Ok(PriceQuote { exact_cost, cost, steps })
    }

    /// The price of `per` units as a decimal number. It has enough digits that, for every quantity up to `max_quantity`, the charge
    /// equals `rate × quantity ÷ per` rounded up to `decimals` decimal places.
    pub fn rate(&self, per: i64, decimals: u8, max_quantity: i64) -> Result<String, Overflow> {
        Ok(self.quote(per, decimals)?.exact_cost.to_decimal(decimals, max_quantity))
    }
}

#[cfg(test)]
mod tests;
