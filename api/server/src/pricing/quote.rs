//! The price of an order: price lists, previews and charges use the same quote. Pure and exact. It rounds up once, at the end, so
//! that no order is free because of rounding and listed prices equal charges.

pub mod terms;

use panel_contract::amount::{Fraction, Money, Overflow};
use panel_contract::ids::RecordId;

use crate::pricing::running_discounts::ActiveDiscount;
pub use panel_domain::quote::ExactAmount;

/// Units that a rate in reseller APIs is for.
pub const RATE_PER: i64 = 1_000;

/// Something that changes the price before the charge, such as a discount.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Modifier {
    /// Id of the record that modifies the price, such as a discount.
    pub id: Option<RecordId>,
    /// Name that the price breakdown shows.
    pub name: String,
    /// What changes the price, such as `discount`, `grade` or `speedup`.
    pub kind: String,
    pub change: PriceChange,
    pub is_speedup: bool,
    /// Whether it applies only to customers from some countries.
    pub has_countries: bool,
}

impl Modifier {
    /// Takes a fraction off the price.
    #[must_use]
    pub fn reduction(id: Option<RecordId>, name: String, kind: &str, fraction: Fraction) -> Self {
        let change = PriceChange::ByFraction(Fraction(-fraction.0));
        Self { id, name, kind: kind.to_owned(), change, is_speedup: false, has_countries: false }
    }

    /// The running discount of a service, for all customers.
    #[must_use]
    pub fn discount(running: ActiveDiscount) -> Self {
        let ActiveDiscount { id, name, fraction, has_countries } = running;
        Self { has_countries, ..Self::reduction(Some(id.as_record_id()), name, DISCOUNT, fraction) }
    }
}

/// Kind of the modifier that lowers the service's price for all customers.
const DISCOUNT: &str = "discount";

/// A change of a cost, which never goes below zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PriceChange {
    /// By a signed fraction: -0.05 takes five percent off.
    ByFraction(Fraction),
    /// Takes a fraction off, but at most an amount.
    CappedReduction {
        /// From 0 to 1.
        fraction: Fraction,
        max: Money,
    },
    /// By a signed amount.
    ByAmount(Money),
    /// Raises the cost to the lowest allowed one if it is below.
    RaiseToFloor,
    /// Sets the cost that was agreed before, such as an order's part of a package price.
    AgreedCost(Money),
}

/// The price terms of a customer for a service, for any quantity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PriceTerms {
    /// The customer's own price if they have one, else the service's.
    pub price: Money,
    /// Number of units that the prices are for.
    pub pricing_per: i64,
    /// Modifiers never lower the price below this one. It has no effect above `price`.
    pub min_price: Money,
    /// The provider's cost plus the least margin. A lower `price` is raised to it; zero without a least margin.
    pub margin_floor: Money,
    /// Modifiers of the price, in order of application.
    pub modifiers: Vec<Modifier>,
    /// Whether the customer has an own price.
    pub has_own_price: bool,
}

/// The price of a quantity: exact, as charged, and the effect of each modifier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PriceQuote {
    pub exact: ExactAmount,
    /// The charge: `exact` rounded up once.
    pub cost: Money,
    /// Cost before and after each modifier, in order. Each is rounded up from the exact cost, so that a step begins with the result
    /// of the step before, and the last step ends with the charge.
    pub steps: Vec<(Money, Money)>,
}

impl PriceTerms {
    /// A price without modifiers.
    #[must_use]
    pub fn plain(price: Money, pricing_per: i64) -> Self {
        let (min_price, margin_floor) = (Money::ZERO, Money::ZERO);
        Self { price, pricing_per, min_price, margin_floor, modifiers: Vec::new(), has_own_price: false }
    }

    /// Sets the margin floor. If the price is below it, a first modifier raises the price.
    #[must_use]
    pub fn with_margin_floor(mut self, margin_floor: Money) -> Self {
        self.margin_floor = margin_floor;
        if margin_floor > self.price {
            let unchanged = Modifier::reduction(None, "Least margin".to_owned(), "least_margin", Fraction(0));
            self.modifiers.insert(0, Modifier { change: PriceChange::RaiseToFloor, ..unchanged });
        }
        self
    }

    /// Sets the cost of a quote to the amount that was prepaid, whatever the service costs now.
    pub fn set_prepaid(&mut self, quote: &mut PriceQuote, paid: Money) {
        quote.steps.push((quote.cost, paid));
        quote.cost = paid;
        let unchanged = Modifier::reduction(None, "Paid ahead".to_owned(), "prepaid", Fraction(0));
        self.modifiers.push(Modifier { change: PriceChange::AgreedCost(paid), ..unchanged });
    }

    /// Whether the service has a running discount.
    #[must_use]
    pub fn has_discount(&self) -> bool {
        self.modifiers.iter().any(|modifier| modifier.kind == DISCOUNT)
    }

    /// The lowest price that modifiers can lead to.
    #[must_use]
    pub fn floor(&self) -> Money {
        self.min_price.min(self.price).max(self.margin_floor).max(self.smallest_price())
    }

    /// One millionth for a price above zero: no discount, however large, makes a small order free.
    fn smallest_price(&self) -> Money {
        Money(self.price.0.clamp(0, 1))
    }

    /// Quotes `quantity`, rounded up to `decimals` decimal places.
    pub fn quote(&self, quantity: i64, decimals: u8) -> Result<PriceQuote, Overflow> {
        let cost_at = |price| ExactAmount::cost(price, quantity, self.pricing_per);
        let (floor, smallest) = (cost_at(self.floor()), cost_at(self.smallest_price()));
        let mut exact = cost_at(self.price);
        let mut cost = exact.rounded_up(decimals)?;
        let mut steps = Vec::with_capacity(self.modifiers.len());
        for modifier in &self.modifiers {
            exact = match modifier.change {
                PriceChange::ByFraction(fraction) => exact.changed_by(fraction).max(floor.clone()),
                PriceChange::CappedReduction { fraction, max } => {
                    exact.minus(&exact.share(fraction).min(max.into())).max(floor.clone())
                }
                PriceChange::ByAmount(amount) => exact.plus(&amount.into()).max(floor.clone()),
                PriceChange::RaiseToFloor => exact.max(floor.clone()),
                // The agreed price of a package holds, even if the order alone would have a higher minimum price.
                PriceChange::AgreedCost(agreed) => ExactAmount::from(agreed).max(smallest.clone()),
            };
            let after = exact.rounded_up(decimals)?;
            steps.push((cost, after));
            cost = after;
        }
        Ok(PriceQuote { exact, cost, steps })
    }

    /// The price of `per` units as a decimal number. `rate × quantity ÷ per`, rounded up to `decimals` decimal places, is the
    /// charge for every quantity up to `max_quantity`.
    pub fn rate(&self, per: i64, decimals: u8, max_quantity: i64) -> Result<String, Overflow> {
        Ok(self.quote(per, decimals)?.exact.to_decimal(decimals, max_quantity))
    }
}

#[cfg(test)]
mod tests;
