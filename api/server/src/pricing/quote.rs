//! The price of an order: the same quote for price lists, previews and charges. Pure and exact. Rounds up once, at the end, so
//! that rounding makes no order free and listed prices equal charges.

pub mod terms;

use panel_contract::amount::{Fraction, Money, Overflow};
use panel_contract::ids::RecordId;

use crate::pricing::running_discounts::ActiveDiscount;
pub use panel_domain::quote::Exact;

/// Units per rate in reseller APIs.
pub const RATE_PER: i64 = 1_000;

/// Something that changes the price before the charge, such as a discount.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Modifier {
    /// Id of the record that modifies the price, such as a discount.
    pub id: Option<RecordId>,
    /// Name that the price breakdown shows.
    pub name: String,
    /// Its kind, such as `discount`, `grade`, `speedup`.
    pub kind: String,
    /// How it changes the cost.
    pub change: PriceChange,
    /// A paid speed-up.
    pub is_speedup: bool,
    /// Limited to some countries.
    pub has_countries: bool,
}

impl Modifier {
    /// Reduces the price by a share.
    #[must_use]
    pub fn off(id: Option<RecordId>, name: String, kind: &str, share: Fraction) -> Self {
        let change = PriceChange::Share(Fraction(-share.0));
        Self { id, name, kind: kind.to_owned(), change, is_speedup: false, has_countries: false }
    }

    /// The running discount of a service, for all customers.
    #[must_use]
    pub fn discount(running: ActiveDiscount) -> Self {
        let ActiveDiscount { id, name, percent, has_countries } = running;
        Self { has_countries, ..Self::off(Some(id.record()), name, DISCOUNT, percent) }
    }
}

/// Kind of the modifier that lowers the service's price for all customers.
const DISCOUNT: &str = "discount";

/// A change of a cost, which never goes below zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PriceChange {
    /// By a signed share: -0.05 is five percent off.
    Share(Fraction),
    /// A share off, but at most an amount.
    Off {
        /// The share, from 0 to 1.
        share: Fraction,
        /// Upper bound of the reduction.
        most: Money,
    },
    /// By a signed amount.
    Amount(Money),
    /// Raises the cost to the lowest allowed one, if it is below.
    AtLeastFloor,
    /// To a cost that was agreed before, such as an order's share of a package.
    To(Money),
}

/// The price terms of a customer for a service, for any quantity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PriceTerms {
    /// The customer's own price if they have one, else the service's.
    pub price: Money,
    /// Units per price.
    pub pricing_per: i64,
    /// No modifier lowers the price below this one. Never above the price itself.
    pub lowest: Money,
    /// Nothing is sold below this price, whatever `price` is: the provider's cost plus the least margin.
    pub least: Money,
    /// Modifiers of the price, in order of application.
    pub modifiers: Vec<Modifier>,
    /// Whether the customer has an own price.
    pub has_own_price: bool,
}

/// The price of a quantity: exact, as charged, and the effect of each modifier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PriceQuote {
    /// Cost before rounding.
    pub exact: Exact,
    /// Amount charged: `exact` rounded up once.
    pub cost: Money,
    /// Cost before and after each modifier, in order. Rounded up from the exact costs, so that each step begins where the last
    /// one ended and the last is the charge.
    pub steps: Vec<(Money, Money)>,
}

impl PriceTerms {
    /// A price without modifiers.
    #[must_use]
    pub fn plain(price: Money, pricing_per: i64) -> Self {
        let (lowest, least) = (Money::ZERO, Money::ZERO);
        Self { price, pricing_per, lowest, least, modifiers: Vec::new(), has_own_price: false }
    }

    /// The same terms with the floor `least`. If the price itself is below it, a modifier raises it.
    #[must_use]
    pub fn with_least(mut self, least: Money) -> Self {
        self.least = least;
        if least > self.price {
            let off = Modifier::off(None, "Least margin".to_owned(), "least_margin", Fraction(0));
            self.modifiers.insert(0, Modifier { change: PriceChange::AtLeastFloor, ..off });
        }
        self
    }

    /// Sets a quote to exactly the amount that was prepaid, whatever the service costs now.
    pub fn set_prepaid(&mut self, quote: &mut PriceQuote, paid: Money) {
        quote.steps.push((quote.cost, paid));
        quote.cost = paid;
        let off = Modifier::off(None, "Paid ahead".to_owned(), "prepaid", Fraction(0));
        self.modifiers.push(Modifier { change: PriceChange::To(paid), ..off });
    }

    /// Whether the service has a running discount.
    #[must_use]
    pub fn has_discount(&self) -> bool {
        self.modifiers.iter().any(|modifier| modifier.kind == DISCOUNT)
    }

    /// The price below which no modifier leads. A price above zero stays at least one millionth, however large the discount, so
    /// that tiny orders are not free.
    #[must_use]
    pub fn floor(&self) -> Money {
        let dust = Money(self.price.0.clamp(0, 1));
        self.lowest.min(self.price).max(self.least).max(dust)
    }

    /// Quotes `quantity`, rounded up to `places` decimals.
    pub fn quote(&self, quantity: i64, places: u8) -> Result<PriceQuote, Overflow> {
        let cost_at = |price| Exact::cost(price, quantity, self.pricing_per);
        let (floor, dust) = (cost_at(self.floor()), cost_at(Money(self.price.0.clamp(0, 1))));
        let mut exact = cost_at(self.price);
        let mut cost = exact.rounded_up(places)?;
        let mut steps = Vec::with_capacity(self.modifiers.len());
        for modifier in &self.modifiers {
            exact = match modifier.change {
                PriceChange::Share(share) => exact.changed_by(share).max(floor.clone()),
                PriceChange::Off { share, most } => {
                    exact.minus(&exact.share(share).min(most.into())).max(floor.clone())
                }
                PriceChange::Amount(amount) => exact.plus(&amount.into()).max(floor.clone()),
                PriceChange::AtLeastFloor => exact.max(floor.clone()),
                // A price agreed for a package holds, even if a part alone would have a higher lowest price.
                PriceChange::To(agreed) => Exact::from(agreed).max(dust.clone()),
            };
            let after = exact.rounded_up(places)?;
            steps.push((cost, after));
            cost = after;
        }
        Ok(PriceQuote { exact, cost, steps })
    }

    /// The price of `per` units as a decimal. `rate × quantity ÷ per`, rounded up to `places` decimals, is the charge for every
    /// quantity up to `most`.
    pub fn rate(&self, per: i64, places: u8, most: i64) -> Result<String, Overflow> {
        Ok(self.quote(per, places)?.exact.decimal(places, most))
    }
}

#[cfg(test)]
mod tests;
