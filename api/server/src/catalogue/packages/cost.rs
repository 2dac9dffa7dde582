//! What a package costs: one rule for the editor's preview, for saving, for the list and for buying. Pure, but for the
//! reading of its services.
//!
//! A fixed cost stands for the whole; else the exact sum of the contents, less the package's discount. A customer's own
//! discount comes off that, and the whole is rounded up once. Lists show what the package's own terms come to; who buys it
//! pays the lowest possible cost instead where its services have come to cost more since, which the preview shows. What has a price costs at least one step of the panel's
//! precision, as orders do. What the contents cost one by one is the sum of the orders that they would be.

use std::collections::BTreeMap;

use panel_contract::amount::{Fraction, Money, Overflow};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::ServiceId;
use panel_contract::packages::{PackageContent, PackageContentInput};
use panel_contract::targets::AskedTarget;
use panel_kernel::error::Result;

use crate::catalogue::targets::asked;
use crate::pricing::least_margin;
use crate::pricing::quote::{Exact, PriceTerms};
use panel_domain::least_margin::{LowestPrices, OwnRatio};
use panel_platform::db::{Source, Sql};

/// Most services of a package.
const MOST: usize = 50;
/// Largest price and cost, in millionths.
const DEAREST: i64 = 1_000_000_000_000;
/// A discount has three decimals.
pub(crate) const FINEST: i64 = 1_000;

/// A service of a package, with what its service says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    /// The service; 0 where only sums matter.
    pub id: ServiceId,
    /// Its name.
    pub name: String,
    /// How many of it.
    pub quantity: i64,
    /// Its price within the package.
    pub price: Option<Money>,
    /// Whether customers see it.
    pub is_displayable: bool,
    /// The service's own price.
    pub default_price: Money,
    /// Units that prices are for.
    pub pricing_per: i64,
    /// Smallest order, largest order, steps between.
    pub bounds: (i64, i64, i64),
    /// Targets that customers must answer for the service.
    pub asks: Vec<AskedTarget>,
}

/// How a package is priced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PackagePricing {
    /// Whatever is in it.
    pub fixed_cost: Option<Money>,
    /// Off the sum.
    pub discount: Fraction,
}

/// What it comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sums {
    /// One by one, at the services' prices.
    pub default_cost: Money,
    /// What customers pay.
    pub total_cost: Money,
}

impl Sums {
    /// What no amount can say: dearer than every other package.
    pub const BEYOND: Self = Self { default_cost: Money(i64::MAX), total_cost: Money(i64::MAX) };

    /// What customers save.
    pub fn difference(&self) -> Result<Money, Overflow> {
        self.default_cost.minus(self.total_cost)
    }
}

impl Content {
    /// From `quantity:price:default price:per`.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let mut parts = text.split(':').map(str::parse::<i64>);
        let mut next = || parts.next()?.ok();
        let (quantity, price, default_price, pricing_per) = (next()?, next()?, next()?, next()?);
        Some(Self {
            id: ServiceId::new(0),
            name: String::new(),
            quantity,
            price: Some(Money(price)),
            is_displayable: true,
            default_price: Money(default_price),
            pricing_per,
            bounds: (1, i64::MAX, 1),
            asks: Vec::new(),
        })
    }

    /// What it costs within the package, before a discount on the whole.
    pub fn cost(&self, places: u8) -> Result<Money, Overflow> {
        Ok(self.terms().quote(self.quantity, places)?.cost)
    }

    fn terms(&self) -> PriceTerms {
        PriceTerms::plain(self.price.unwrap_or(self.default_price), self.pricing_per)
    }

    /// As the wire has it.
    #[must_use]
    pub fn shown(&self, places: u8) -> PackageContent {
        let (min_quantity, max_quantity, quantity_step) = self.bounds;
        PackageContent {
            id: self.id,
            name: self.name.clone(),
            quantity: self.quantity,
            price: self.price,
            is_displayable: self.is_displayable,
            cost: self.cost(places).unwrap_or_default(),
            default_price: self.default_price,
            pricing_per: self.pricing_per,
            min_quantity,
            max_quantity,
            quantity_step,
            asks: self.asks.clone(),
        }
    }
}

// Rules

/// What a package comes to for a customer without a discount of their own.
pub fn sums(contents: &[Content], pricing: &PackagePricing, places: u8) -> Result<Sums, Overflow> {
    let mut default_cost = Money::ZERO;
    for content in contents {
        let alone = PriceTerms::plain(content.default_price, content.pricing_per);
        default_cost = default_cost.plus(alone.quote(content.quantity, places)?.cost)?;
    }
    Ok(Sums { default_cost, total_cost: total(contents, pricing, Fraction(0), places)? })
}

/// The lowest possible cost of a package: what its contents cost at their lowest prices, rounded up once. `own` has the
/// ratios of the customer who buys it.
pub fn lowest(
    contents: &[Content],
    prices: &LowestPrices,
    own: &BTreeMap<ServiceId, OwnRatio>,
    places: u8,
) -> Result<Money, Overflow> {
    let mut sum = Exact::from(Money::ZERO);
    for content in contents {
        let price = prices.of_customer(content.id, content.pricing_per, own.get(&content.id).copied());
        sum = sum.plus(&Exact::cost(price, content.quantity, content.pricing_per));
    }
    sum.rounded_up(places)
}

/// What a customer is charged for a package: `own` is what their own discount takes off it. A package whose cost staff
/// confirmed is charged as it is; any other one never below `lowest`, see [`lowest`].
pub fn charge(
    contents: &[Content],
    pricing: &PackagePricing,
    (own, lowest): (Fraction, Money),
    places: u8,
) -> Result<Money, Overflow> {
    Ok(total(contents, pricing, own, places)?.max(lowest))
}

/// What a package costs after its discount and the customer's own one.
fn total(
    contents: &[Content],
    pricing: &PackagePricing,
    own: Fraction,
    places: u8,
) -> Result<Money, Overflow> {
    let off = |share: Fraction| Fraction(-share.0.clamp(0, Money::UNIT));
    let mut sum = Exact::from(Money::ZERO);
    for content in contents {
        sum = sum.plus(&content.terms().quote(content.quantity, places)?.exact);
    }
    let least = least(contents, places)?;
    let (whole, least) = match pricing.fixed_cost {
        Some(fixed) => (Exact::from(fixed), least.min(fixed)),
        None => (sum.changed_by(off(pricing.discount)), least),
    };
    Ok(whole.changed_by(off(own)).rounded_up(places)?.max(least))
}

/// The least that it can cost: a step for each content that has a price.
fn least(contents: &[Content], places: u8) -> Result<Money, Overflow> {
    let mut steps = Money::ZERO;
    for content in contents {
        if content.cost(places)? > Money::ZERO {
            steps = steps.plus(Money::smallest(places))?;
        }
    }
    Ok(steps)
}

/// Whether contents and pricing can be sold, and what they come to; each wrong field is named as in the request.
pub fn judge(contents: &[Content], pricing: &PackagePricing, places: u8) -> Result<Sums, FieldErrors> {
    let mut errors = FieldErrors::default();
    if contents.is_empty() || contents.len() > MOST {
        errors.add("package_contents", format!("Choose 1 to {MOST} services."));
    }
    for (at, content) in contents.iter().enumerate() {
        let field = |name: &str| format!("package_contents.{at}.{name}");
        if contents[..at].iter().any(|other| other.id == content.id) {
            errors.add(field("id"), format!("Service {} stands in the package twice.", content.id));
        }
        let (min, max, step) = content.bounds;
        let quantity = content.quantity;
        if !(min..=max).contains(&quantity) || (quantity - min) % step.max(1) != 0 {
            let message = format!("Give {min} to {max} in steps of {step}, counted from {min}.");
            errors.add(field("quantity"), message);
        }
        if content.price.is_some_and(|price| !(0..=DEAREST).contains(&price.0)) {
            errors.add(field("price"), "Give a price from 0 to 1,000,000, or none.");
        }
    }
    if !(0..=Money::UNIT).contains(&pricing.discount.0) || pricing.discount.0 % FINEST != 0 {
        errors.add("discount_percent", "Give a fraction from 0 to 1 with at most three decimals.");
    }
    if pricing.fixed_cost.is_some() && pricing.discount.0 != 0 {
        errors.add("discount_percent", "Give a fixed cost or a discount, not both.");
    }
    errors.or(())?;
    let too_much = |_| FieldErrors::one("package_contents", "This comes to too much.");
    if let Some(fixed) = pricing.fixed_cost {
        let step = Money::smallest(places);
        let least = least(contents, places).map_err(too_much)?.max(step);
        if fixed.0 % step.0 != 0 {
            return Err(FieldErrors::one("fixed_cost", format!("Give at most {places} decimals.")));
        }
        if fixed < least || fixed.0 > DEAREST {
            let message = format!("Give {least} to {}: each service costs at least {step}.", Money(DEAREST));
            return Err(FieldErrors::one("fixed_cost", message));
        }
    }
    sums(contents, pricing, places).map_err(too_much)
}

/// What each content's order costs, so that together they are the total to the last step: by what each costs alone, what
/// is left over to the dearest.
pub fn shares(contents: &[Content], total: Money, places: u8) -> Result<Vec<Money>, Overflow> {
    let step = i128::from(Money::smallest(places).0);
    let costs: Vec<i128> = contents
        .iter()
        .map(|content| Ok(i128::from(content.cost(places)?.0)))
        .collect::<Result<_, Overflow>>()?;
    let sum: i128 = costs.iter().sum();
    let priced = i128::try_from(costs.iter().filter(|cost| **cost > 0).count()).map_err(|_| Overflow)?;
    let units = i128::from(total.0) / step;
    let free = (units - priced).max(0);
    let mut shares: Vec<i128> =
        costs.iter().map(|cost| if *cost > 0 { 1 + free * cost / sum } else { 0 }).collect();
    let dearest = (0..costs.len()).max_by_key(|at| (costs[*at], std::cmp::Reverse(*at))).ok_or(Overflow)?;
    let given: i128 = shares.iter().sum();
    if let Some(share) = shares.get_mut(dearest) {
        *share += units - given;
    }
    shares.into_iter().map(|share| i64::try_from(share * step).map(Money).map_err(|_| Overflow)).collect()
}

// Store

/// The lowest possible cost for a customer without a ratio of their own, and the prices that it is made of.
pub async fn lowest_of(
    db: &mut impl Source,
    contents: &[Content],
    places: u8,
) -> Result<(Money, LowestPrices)> {
    let ids: Vec<ServiceId> = contents.iter().map(|content| content.id).collect();
    let prices = least_margin::of_services(db, &ids).await?;
    let cost = lowest(contents, &prices, &BTreeMap::new(), places);
    let cost = cost.map_err(|_| FieldErrors::one("package_contents", "This comes to too much."))?;
    Ok((cost, prices))
}

/// What the services of a package say, in the order given; those that are not there are refused.
pub async fn contents_of(db: &mut impl Source, given: &[PackageContentInput]) -> Result<Vec<Content>> {
    let (contents, errors) = found(db, given).await?;
    Ok(errors.or(contents)?)
}

/// The same, with what is wrong: a content whose service is not there is free and of any quantity, so that the others can
/// be judged at their places.
pub async fn found(
    db: &mut impl Source,
    given: &[PackageContentInput],
) -> Result<(Vec<Content>, FieldErrors)> {
    type Row = (ServiceId, String, Money, i64, i64, i64, i64);
    let ids: Vec<ServiceId> = given.iter().map(|content| content.id).collect();
    let sql = Sql::new(
        "SELECT id, name, default_price, pricing_per, min_quantity, max_quantity, quantity_step FROM services WHERE id IN ",
    );
    let rows: Vec<Row> = db.all(sql.ids(&ids)).await?;
    let mut asks = asked::of_services(db, &ids).await?;
    let known: BTreeMap<ServiceId, Row> = rows.into_iter().map(|row| (row.0, row)).collect();
    let mut errors = FieldErrors::default();
    let mut contents = Vec::with_capacity(given.len());
    for (at, content) in given.iter().enumerate() {
        let quantity = content.quantity;
        let (_, name, default_price, pricing_per, min, max, step) =
            known.get(&content.id).cloned().unwrap_or_else(|| {
                let message = format!("There is no service {}.", content.id);
                errors.add(format!("package_contents.{at}.id"), message);
                (content.id, String::new(), Money::ZERO, 1, quantity, quantity, 1)
            });
        contents.push(Content {
            id: content.id,
            name,
            quantity,
            price: content.price,
            is_displayable: content.is_displayable.unwrap_or(true),
            default_price,
            pricing_per,
            bounds: (min, max, step),
            asks: asks.remove(&content.id).unwrap_or_default(),
        });
    }
    Ok((contents, errors))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn content(id: i64, quantity: i64, default_price: i64, price: Option<i64>) -> Content {
        Content {
            id: ServiceId::new(id),
            name: String::new(),
            quantity,
            price: price.map(Money),
            is_displayable: true,
            default_price: Money(default_price),
            pricing_per: 1_000,
            bounds: (10, 10_000, 10),
            asks: Vec::new(),
        }
    }

    fn pricing(fixed: Option<i64>, discount: i64) -> PackagePricing {
        PackagePricing { fixed_cost: fixed.map(Money), discount: Fraction(discount) }
    }

    #[test]
    fn the_whole_is_rounded_once() {
        // 3.335 and 1.005 are 3.34 and 1.01 alone; in the package, at half the price, 3.335 and 0.505 are 3.84.
        let contents = [content(1, 1_000, 3_335_000, None), content(2, 500, 2_010_000, Some(1_010_000))];
        let sums = |pricing: PackagePricing| sums(&contents, &pricing, 2).unwrap();
        let plain = sums(pricing(None, 0));
        assert_eq!((plain.default_cost, plain.total_cost), (Money(4_350_000), Money(3_840_000)));
        assert_eq!(plain.difference().unwrap(), Money(510_000));
        // An eighth off 3.84 is 3.36.
        assert_eq!(sums(pricing(None, 125_000)).total_cost, Money(3_360_000));
        assert_eq!(
            sums(pricing(None, 1_000_000)).total_cost,
            Money(20_000),
            "a step for each, never nothing"
        );
        let fixed = sums(pricing(Some(5_000_000), 0));
        assert_eq!((fixed.total_cost, fixed.difference().unwrap()), (Money(5_000_000), Money(-650_000)));
    }

    #[test]
    fn each_wrong_field_is_named() {
        let wrong = |contents: &[Content], pricing: PackagePricing| {
            judge(contents, &pricing, 2).unwrap_err().0.into_keys().collect::<Vec<_>>()
        };
        assert_eq!(wrong(&[], pricing(None, 0)), ["package_contents"]);
        let contents = [content(1, 15, 1, Some(-1)), content(1, 20, 1, None)];
        let named = [
            "discount_percent",
            "package_contents.0.price",
            "package_contents.0.quantity",
            "package_contents.1.id",
        ];
        assert_eq!(wrong(&contents, pricing(None, 1_500)), named);
        let good = [content(1, 20, 1_000_000, None), content(2, 20, 1_000_000, None)];
        assert_eq!(wrong(&good, pricing(Some(20_000), 1_000)), ["discount_percent"]);
        assert_eq!(
            wrong(&good, pricing(Some(10_000), 0)),
            ["fixed_cost"],
            "two services cost two steps at least"
        );
        assert_eq!(wrong(&good, pricing(Some(25_000), 0)), ["fixed_cost"], "whole cents");
        assert_eq!(judge(&good, &pricing(Some(20_000), 0), 2).unwrap().total_cost, Money(20_000));
    }

    #[test]
    fn an_own_discount_comes_off_the_whole() {
        let contents = [content(1, 1_000, 3_335_000, None), content(2, 500, 2_010_000, None)];
        let of = |own| total(&contents, &pricing(None, 0), Fraction(own), 2).unwrap();
        assert_eq!(of(0), Money(4_340_000));
        assert_eq!(of(100_000), Money(3_910_000), "3.906 rounded up");
        assert_eq!(of(1_000_000), Money(20_000), "a step for each");
    }

    proptest! {
        #[test]
        fn shares_are_the_total_to_the_last_step(
            parts in prop::collection::vec((1_i64..1_000, 0_i64..50_000_000), 1..20), discount in 0_i64..=1_000, places in 0_u8..=6
        ) {
            let contents: Vec<_> = (1..).zip(parts).map(|(id, (tens, price))| content(id, tens * 10, price, None)).collect();
            let total = sums(&contents, &pricing(None, discount * 1_000), places).unwrap().total_cost;
            let shares = shares(&contents, total, places).unwrap();
            prop_assert_eq!(Money::sum(shares.iter().copied()).unwrap(), total);
            for (share, content) in shares.iter().zip(&contents) {
                prop_assert_eq!(*share > Money::ZERO, content.default_price > Money::ZERO);
                prop_assert_eq!(share.0 % Money::smallest(places).0, 0);
            }
        }
    }
}
