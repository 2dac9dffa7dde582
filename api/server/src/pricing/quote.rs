//! What an order costs: one quote for price lists, previews and charges. Pure; exact; rounds up once, at the end, so that
//! no order is free by rounding and nothing that is listed differs from what is charged.

pub mod terms;

use panel_contract::amount::{Fraction, Money, Overflow};
use panel_contract::ids::RecordId;

use crate::pricing::running_discounts::Running;
pub use panel_domain::quote::Exact;

/// Units that rates are for in reseller APIs.
pub const RATE_PER: i64 = 1_000;

/// Something that changes the price before the charge, such as a discount.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Modifier {
    /// The id of what modifies, such as a discount's.
    pub id: Option<RecordId>,
    /// Name that the price breakdown shows.
    pub name: String,
    /// Its kind, such as `discount`, `grade`, `speedup`.
    pub kind: String,
    /// How it changes the cost.
    pub change: PriceChange,
    /// A paid speed-up.
    pub is_speedup: bool,
    /// Bound to countries.
    pub has_countries: bool,
}

impl Modifier {
    /// A share off the price.
    #[must_use]
    pub fn off(id: Option<RecordId>, name: String, kind: &str, share: Fraction) -> Self {
        let change = PriceChange::Share(Fraction(-share.0));
        Self { id, name, kind: kind.to_owned(), change, is_speedup: false, has_countries: false }
    }

    /// The discount on a service that runs now, for all its customers.
    #[must_use]
    pub fn discount(running: Running) -> Self {
        let Running { id, name, percent, has_countries } = running;
        Self { has_countries, ..Self::off(Some(id.record()), name, DISCOUNT, percent) }
    }
}

/// The kind of a modifier that lowers the service's price for all customers.
const DISCOUNT: &str = "discount";

/// How a cost changes; it never goes below zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PriceChange {
    /// By a share with sign: -0.05 takes five percent off.
    Share(Fraction),
    /// A share off, and no more than an amount.
    Off {
        /// The share, from 0 to 1.
        share: Fraction,
        /// The most that it takes off.
        most: Money,
    },
    /// By an amount with sign.
    Amount(Money),
    /// Up to the lowest allowed cost, where it is below.
    AtLeastFloor,
    /// To a cost agreed before, such as an order's share of a package.
    To(Money),
}

/// What a customer pays for a service, whatever the quantity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PriceTerms {
    /// The customer's own price where they have one, else the service's.
    pub price: Money,
    /// Units that prices are for.
    pub pricing_per: i64,
    /// No change leads below this price; it never lies above the price itself.
    pub lowest: Money,
    /// Below this price nothing is sold, whatever the price is: the provider's cost and the least margin on it.
    pub least: Money,
    /// What changes the price, in order.
    pub modifiers: Vec<Modifier>,
    /// The customer has a price of their own.
    pub has_own_price: bool,
}

/// What a quantity costs, exactly and as it is charged, and how each modifier changed it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PriceQuote {
    /// Before rounding.
    pub exact: Exact,
    /// Amount charged: `exact` rounded up once.
    pub cost: Money,
    /// Before and after, for each modifier in order; rounded up from the exact costs, so that they chain and the last is
    /// the charge.
    pub steps: Vec<(Money, Money)>,
}

impl PriceTerms {
    /// A price without anything that changes it.
    #[must_use]
    pub fn plain(price: Money, pricing_per: i64) -> Self {
        let (lowest, least) = (Money::ZERO, Money::ZERO);
        Self { price, pricing_per, lowest, least, modifiers: Vec::new(), has_own_price: false }
    }

    /// The same, never sold below the price `least`; where the price itself is below, a modifier says so.
    #[must_use]
    pub fn with_least(mut self, least: Money) -> Self {
        self.least = least;
        if least > self.price {
            let off = Modifier::off(None, "Least margin".to_owned(), "least_margin", Fraction(0));
            self.modifiers.insert(0, Modifier { change: PriceChange::AtLeastFloor, ..off });
        }
        self
    }

    /// Ends a quote at what was paid ahead, to the last millionth, whatever the service costs by now.
    pub fn pay_ahead(&mut self, quote: &mut PriceQuote, paid: Money) {
        quote.steps.push((quote.cost, paid));
        quote.cost = paid;
        let off = Modifier::off(None, "Paid ahead".to_owned(), "prepaid", Fraction(0));
        self.modifiers.push(Modifier { change: PriceChange::To(paid), ..off });
    }

    /// Whether the service itself is cheaper now.
    #[must_use]
    pub fn has_discount(&self) -> bool {
        self.modifiers.iter().any(|modifier| modifier.kind == DISCOUNT)
    }

    /// The price below which no change leads. What has a price keeps a millionth of it, however much is taken off: dust
    /// orders are not free.
    #[must_use]
    pub fn floor(&self) -> Money {
        let dust = Money(self.price.0.clamp(0, 1));
        self.lowest.min(self.price).max(self.least).max(dust)
    }

    /// What `quantity` costs, rounded up to `places` decimals.
    pub fn quote(&self, quantity: i64, places: u8) -> Result<PriceQuote, Overflow> {
        let of = |price| Exact::cost(price, quantity, self.pricing_per);
        let (floor, dust) = (of(self.floor()), of(Money(self.price.0.clamp(0, 1))));
        let mut exact = of(self.price);
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
                // What was agreed for a whole holds, whatever the parts cost at the least alone.
                PriceChange::To(agreed) => Exact::from(agreed).max(dust.clone()),
            };
            let after = exact.rounded_up(places)?;
            steps.push((cost, after));
            cost = after;
        }
        Ok(PriceQuote { exact, cost, steps })
    }

    /// What `per` units cost, as a decimal of which `rate × quantity ÷ per`, rounded up to `places` decimals, is the charge
    /// for every quantity up to `most`.
    pub fn rate(&self, per: i64, places: u8, most: i64) -> Result<String, Overflow> {
        Ok(self.quote(per, places)?.exact.decimal(places, most))
    }
}

#[cfg(test)]
mod tests;
