//! Calculates the cost of a package. The editor's preview, saving, the list and purchases all use this module. Only the functions
//! under "Store" read the database.
//!
//! The price of a package is the fixed cost, or the exact sum of the contents minus the package's discount. The customer's personal
//! discount reduces this price, and the result is rounded up once. If services have become more expensive since staff saved the
//! package, the customer pays at least the lowest allowed cost; lists still show the price of the package, and the preview shows
//! both. Each content with a price costs at least one rounding unit, like an order. `default_cost` is the sum of the costs that the
//! contents would have as separate orders.

use std::collections::BTreeMap;

use panel_contract::amount::{Fraction, Money, Overflow};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::ServiceId;
use panel_contract::packages::{PackageContent, PackageContentInput};
use panel_contract::targets::RequestedTarget;
use panel_kernel::error::Result;

use crate::catalogue::targets::service_targets;
use crate::pricing::minimum_margin;
use crate::pricing::quote::{ExactAmount, PriceTerms};
use panel_domain::minimum_margin::{CustomerRatio, LowestPrices};
use panel_platform::db::{Sql, SqlExecutor};

const MAX_SERVICES: usize = 50;
/// 1,000,000 in the panel's currency, in millionths.
const MAX_COST_MICROS: i64 = 1_000_000_000_000;
/// Discounts of packages are multiples of this fraction: they have at most three decimal places.
pub(crate) const DISCOUNT_STEP_PPM: i64 = 1_000;

/// One service in a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PricedContent {
    /// 0 if the content was parsed only to calculate its cost: see [`Self::parse`].
    pub id: ServiceId,
    pub name: String,
    pub quantity: i64,
    /// Price within the package for `pricing_per` units; if `None`, `default_price` applies.
    pub price: Option<Money>,
    /// Whether customers see this content of the package.
    pub is_displayable: bool,
    /// Price of the service outside of packages, for `pricing_per` units.
    pub default_price: Money,
    pub pricing_per: i64,
    pub quantity_bounds: QuantityBounds,
    /// Inputs that customers fill in for the service.
    pub requested_targets: Vec<RequestedTarget>,
}

/// The quantities in which a service can be ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuantityBounds {
    pub min: i64,
    pub max: i64,
    /// Allowed quantities are `min`, `min + step`, `min + 2 × step`, …
    pub step: i64,
}

impl QuantityBounds {
    fn allow(self, quantity: i64) -> bool {
        (self.min..=self.max).contains(&quantity) && (quantity - self.min) % self.step.max(1) == 0
    }
}

/// The fixed cost or the discount of a package. A package with a fixed cost has no discount.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PackagePricing {
    pub fixed_cost: Option<Money>,
    pub discount_fraction: Fraction,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PackageCosts {
    /// Cost of the contents as separate orders, at the prices of the services.
    pub default_cost: Money,
    /// Cost of the package for a customer without a personal discount.
    pub total_cost: Money,
}

impl PackageCosts {
    /// Placeholder for costs that exceed the range of [`Money`]. Sorting places it after all other packages.
    pub const OVERFLOWED: Self = Self { default_cost: Money(i64::MAX), total_cost: Money(i64::MAX) };

    pub fn difference(&self) -> Result<Money, Overflow> {
        self.default_cost.minus(self.total_cost)
    }
}

impl PricedContent {
    /// Parses `quantity:price:default_price:pricing_per`; prices are in millionths.
    #[must_use]
    pub fn parse(numbers: &str) -> Option<Self> {
        let mut numbers = numbers.split(':').map(str::parse::<i64>);
        let mut next_number = || numbers.next()?.ok();
        let (quantity, price, default_price, pricing_per) =
            (next_number()?, next_number()?, next_number()?, next_number()?);
        Some(Self {
            id: ServiceId::new(0),
            name: String::new(),
            quantity,
            price: Some(Money(price)),
            is_displayable: true,
            default_price: Money(default_price),
            pricing_per,
            quantity_bounds: QuantityBounds { min: 1, max: i64::MAX, step: 1 },
            requested_targets: Vec::new(),
        })
    }

    /// The cost of this content within the package, before a discount on the whole package.
    pub fn cost(&self, decimals: u8) -> Result<Money, Overflow> {
        Ok(self.price_terms().quote(self.quantity, decimals)?.cost)
    }

    fn price_terms(&self) -> PriceTerms {
        PriceTerms::without_modifiers(self.price.unwrap_or(self.default_price), self.pricing_per)
    }

    #[must_use]
    pub fn to_api(&self, decimals: u8) -> PackageContent {
        PackageContent {
            id: self.id,
            name: self.name.clone(),
            quantity: self.quantity,
            price: self.price,
            is_displayable: self.is_displayable,
            cost: self.cost(decimals).unwrap_or_default(),
            default_price: self.default_price,
            pricing_per: self.pricing_per,
            min_quantity: self.quantity_bounds.min,
            max_quantity: self.quantity_bounds.max,
            quantity_step: self.quantity_bounds.step,
            requested_targets: self.requested_targets.clone(),
        }
    }
}

// Rules

/// Calculates the costs of a package for a customer without a personal discount. `decimals` is the number of decimal places of a
/// charge.
pub fn calculate_costs(
    contents: &[PricedContent],
    pricing: &PackagePricing,
    decimals: u8,
) -> Result<PackageCosts, Overflow> {
    let mut default_cost = Money::ZERO;
    for content in contents {
        let service_terms = PriceTerms::without_modifiers(content.default_price, content.pricing_per);
        default_cost = default_cost.plus(service_terms.quote(content.quantity, decimals)?.cost)?;
    }
    Ok(PackageCosts {
        default_cost,
        total_cost: calculate_total_cost(contents, pricing, Fraction(0), decimals)?,
    })
}

/// Calculates the lowest allowed cost of a package: the exact sum of its contents at their lowest prices, rounded up once.
/// `own_ratios` holds the quantity ratios of the customer who buys the package.
pub fn calculate_lowest_cost(
    contents: &[PricedContent],
    prices: &LowestPrices,
    own_ratios: &BTreeMap<ServiceId, CustomerRatio>,
    decimals: u8,
) -> Result<Money, Overflow> {
    let mut sum = ExactAmount::from(Money::ZERO);
    for content in contents {
        let own_ratio = own_ratios.get(&content.id).copied();
        let price = prices.price_for_customer(content.id, content.pricing_per, own_ratio);
        sum = sum.plus(&ExactAmount::from_price(price, content.quantity, content.pricing_per));
    }
    sum.rounded_up(decimals)
}

/// Calculates the charge for a package, which is never below `lowest_cost`. If staff confirmed a lower cost of the package, the
/// caller passes zero as `lowest_cost`.
pub fn calculate_charge(
    contents: &[PricedContent],
    pricing: &PackagePricing,
    (own_discount, lowest_cost): (Fraction, Money),
    decimals: u8,
) -> Result<Money, Overflow> {
    Ok(calculate_total_cost(contents, pricing, own_discount, decimals)?.max(lowest_cost))
}

/// Calculates the cost of a package after its discount and the customer's personal discount.
fn calculate_total_cost(
    contents: &[PricedContent],
    pricing: &PackagePricing,
    own_discount: Fraction,
    decimals: u8,
) -> Result<Money, Overflow> {
    let as_reduction = |fraction: Fraction| Fraction(-fraction.0.clamp(0, Money::MILLIONTHS_PER_UNIT));
    let mut sum = ExactAmount::from(Money::ZERO);
    for content in contents {
        sum = sum.plus(&content.price_terms().quote(content.quantity, decimals)?.exact_cost);
    }
    let smallest_cost = calculate_smallest_cost(contents, decimals)?;
    let (cost, smallest_cost) = match pricing.fixed_cost {
        Some(fixed_cost) => (ExactAmount::from(fixed_cost), smallest_cost.min(fixed_cost)),
        None => (sum.changed_by(as_reduction(pricing.discount_fraction)), smallest_cost),
    };
    Ok(cost.changed_by(as_reduction(own_discount)).rounded_up(decimals)?.max(smallest_cost))
}

/// Calculates the smallest possible cost: one rounding unit for each content that has a price.
fn calculate_smallest_cost(contents: &[PricedContent], decimals: u8) -> Result<Money, Overflow> {
    let mut cost = Money::ZERO;
    for content in contents {
        if content.cost(decimals)? > Money::ZERO {
            cost = cost.plus(Money::smallest_unit(decimals))?;
        }
    }
    Ok(cost)
}

/// The field error for a cost that exceeds the range of [`Money`].
pub(crate) fn overflow_as_field_error(_: Overflow) -> FieldErrors {
    FieldErrors::single("package_contents", "The package costs too much. Enter lower quantities or prices.")
}

/// Validates contents and pricing and returns the costs. Errors have the field names of the request.
pub fn validate_and_calculate_costs(
    contents: &[PricedContent],
    pricing: &PackagePricing,
    decimals: u8,
) -> Result<PackageCosts, FieldErrors> {
    let mut errors = FieldErrors::default();
    if contents.is_empty() || contents.len() > MAX_SERVICES {
        errors.add("package_contents", format!("Choose 1 to {MAX_SERVICES} services."));
    }
    for (index, content) in contents.iter().enumerate() {
        let field_name = |name: &str| format!("package_contents.{index}.{name}");
        if contents[..index].iter().any(|other| other.id == content.id) {
            errors.add(field_name("id"), format!("Service {} is in the package twice.", content.id));
        }
        if !content.quantity_bounds.allow(content.quantity) {
            let QuantityBounds { min, max, step } = content.quantity_bounds;
            let message = format!("Enter {min} to {max} in steps of {step}, counted from {min}.");
            errors.add(field_name("quantity"), message);
        }
        if content.price.is_some_and(|price| !(0..=MAX_COST_MICROS).contains(&price.0)) {
            errors.add(field_name("price"), "Enter a price from 0 to 1,000,000, or leave it empty.");
        }
    }
    if !(0..=Money::MILLIONTHS_PER_UNIT).contains(&pricing.discount_fraction.0)
        || pricing.discount_fraction.0 % DISCOUNT_STEP_PPM != 0
    {
        errors.add("discount_fraction", "Enter a fraction from 0 to 1 with at most three decimals.");
    }
    if pricing.fixed_cost.is_some() && pricing.discount_fraction.0 != 0 {
        errors.add("discount_fraction", "Enter a fixed cost or a discount, not both.");
    }
    errors.into_result(())?;
    if let Some(fixed_cost) = pricing.fixed_cost {
        let rounding_unit = Money::smallest_unit(decimals);
        let min =
            calculate_smallest_cost(contents, decimals).map_err(overflow_as_field_error)?.max(rounding_unit);
        if fixed_cost.0 % rounding_unit.0 != 0 {
            return Err(FieldErrors::single(
                "fixed_cost",
                format!("Enter at most {decimals} decimal places."),
            ));
        }
        if fixed_cost < min || fixed_cost.0 > MAX_COST_MICROS {
            let max = Money(MAX_COST_MICROS);
            let message = format!("Enter {min} to {max}. Each service costs at least {rounding_unit}.");
            return Err(FieldErrors::single("fixed_cost", message));
        }
    }
    calculate_costs(contents, pricing, decimals).map_err(overflow_as_field_error)
}

/// Splits the charge for a package into the costs of its orders, in proportion to the costs of the contents. Every content with a
/// price gets at least one rounding unit, and the most expensive content gets the remainder, so that the costs add up to `total`.
pub fn split_cost(contents: &[PricedContent], total: Money, decimals: u8) -> Result<Vec<Money>, Overflow> {
    let rounding_unit = i128::from(Money::smallest_unit(decimals).0);
    let costs: Vec<i128> = contents
        .iter()
        .map(|content| Ok(i128::from(content.cost(decimals)?.0)))
        .collect::<Result<_, Overflow>>()?;
    let sum: i128 = costs.iter().sum();
    let priced_count =
        i128::try_from(costs.iter().filter(|cost| **cost > 0).count()).map_err(|_| Overflow)?;
    let total_units = i128::from(total.0) / rounding_unit;
    let spare_units = (total_units - priced_count).max(0);
    let mut units: Vec<i128> =
        costs.iter().map(|cost| if *cost > 0 { 1 + spare_units * cost / sum } else { 0 }).collect();
    let most_expensive_index =
        (0..costs.len()).max_by_key(|index| (costs[*index], std::cmp::Reverse(*index))).ok_or(Overflow)?;
    let assigned_units: i128 = units.iter().sum();
    if let Some(most_expensive_units) = units.get_mut(most_expensive_index) {
        *most_expensive_units += total_units - assigned_units;
    }
    units
        .into_iter()
        .map(|units| i64::try_from(units * rounding_unit).map(Money).map_err(|_| Overflow))
        .collect()
}

// Store

/// Loads the lowest prices of the services and calculates the lowest allowed cost for a customer without agreed quantity ratios.
pub async fn load_lowest_cost(
    db: &mut impl SqlExecutor,
    contents: &[PricedContent],
    decimals: u8,
) -> Result<(Money, LowestPrices)> {
    let ids: Vec<ServiceId> = contents.iter().map(|content| content.id).collect();
    let prices = minimum_margin::load_lowest_prices(db, &ids).await?;
    let cost = calculate_lowest_cost(contents, &prices, &BTreeMap::new(), decimals)
        .map_err(overflow_as_field_error)?;
    Ok((cost, prices))
}

/// Loads the services of a package in the order of the input. An unknown service is a field error.
pub async fn load_contents(
    db: &mut impl SqlExecutor,
    inputs: &[PackageContentInput],
) -> Result<Vec<PricedContent>> {
    let (contents, errors) = load_contents_with_errors(db, inputs).await?;
    Ok(errors.into_result(contents)?)
}

/// Like [`load_contents`], but returns the errors together with the contents. An unknown service gets the price 0 and bounds that
/// allow its quantity, so that the caller can still validate the other contents with their indexes.
pub async fn load_contents_with_errors(
    db: &mut impl SqlExecutor,
    inputs: &[PackageContentInput],
) -> Result<(Vec<PricedContent>, FieldErrors)> {
    #[derive(Clone, sqlx::FromRow)]
    struct ServiceRow {
        id: ServiceId,
        name: String,
        default_price: Money,
        pricing_per: i64,
        min_quantity: i64,
        max_quantity: i64,
        quantity_step: i64,
    }
    let ids: Vec<ServiceId> = inputs.iter().map(|input| input.id).collect();
    let sql = Sql::new(
        "SELECT id, name, default_price, pricing_per, min_quantity, max_quantity, quantity_step FROM services WHERE id IN ",
    );
    let rows: Vec<ServiceRow> = db.fetch_all(sql.ids(&ids)).await?;
    let mut requested_targets = service_targets::load_requested_targets(db, &ids).await?;
    let services: BTreeMap<ServiceId, ServiceRow> = rows.into_iter().map(|row| (row.id, row)).collect();
    let mut errors = FieldErrors::default();
    let mut contents = Vec::with_capacity(inputs.len());
    for (index, input) in inputs.iter().enumerate() {
        let service = services.get(&input.id).cloned().unwrap_or_else(|| {
            let message = format!("There is no service {}.", input.id);
            errors.add(format!("package_contents.{index}.id"), message);
            ServiceRow {
                id: input.id,
                name: String::new(),
                default_price: Money::ZERO,
                pricing_per: 1,
                min_quantity: input.quantity,
                max_quantity: input.quantity,
                quantity_step: 1,
            }
        });
        contents.push(PricedContent {
            id: input.id,
            name: service.name,
            quantity: input.quantity,
            price: input.price,
            is_displayable: input.is_displayable.unwrap_or(true),
            default_price: service.default_price,
            pricing_per: service.pricing_per,
            quantity_bounds: QuantityBounds {
                min: service.min_quantity,
                max: service.max_quantity,
                step: service.quantity_step,
            },
            requested_targets: requested_targets.remove(&input.id).unwrap_or_default(),
        });
    }
    Ok((contents, errors))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn content(id: i64, quantity: i64, default_price: i64, price: Option<i64>) -> PricedContent {
        PricedContent {
            id: ServiceId::new(id),
            name: String::new(),
            quantity,
            price: price.map(Money),
            is_displayable: true,
            default_price: Money(default_price),
            pricing_per: 1_000,
            quantity_bounds: QuantityBounds { min: 10, max: 10_000, step: 10 },
            requested_targets: Vec::new(),
        }
    }

    fn pricing(fixed_cost: Option<i64>, discount_ppm: i64) -> PackagePricing {
        PackagePricing { fixed_cost: fixed_cost.map(Money), discount_fraction: Fraction(discount_ppm) }
    }

    #[test]
    fn the_total_cost_of_a_package_is_rounded_once() {
        // As separate orders, 3.335 and 1.005 are rounded up to 3.34 and 1.01. In the package, the second service has about half
        // its price, and the sum of 3.335 and 0.505 is 3.84.
        let contents = [content(1, 1_000, 3_335_000, None), content(2, 500, 2_010_000, Some(1_010_000))];
        let costs = |pricing: PackagePricing| calculate_costs(&contents, &pricing, 2).unwrap();
        let without_discount = costs(pricing(None, 0));
        assert_eq!(
            (without_discount.default_cost, without_discount.total_cost),
            (Money(4_350_000), Money(3_840_000))
        );
        assert_eq!(without_discount.difference().unwrap(), Money(510_000));
        // 3.84 less an eighth is 3.36.
        assert_eq!(costs(pricing(None, 125_000)).total_cost, Money(3_360_000));
        let with_full_discount = costs(pricing(None, 1_000_000));
        assert_eq!(
            with_full_discount.total_cost,
            Money(20_000),
            "each of the two services must cost at least 0.01"
        );
        let with_fixed_cost = costs(pricing(Some(5_000_000), 0));
        assert_eq!(
            (with_fixed_cost.total_cost, with_fixed_cost.difference().unwrap()),
            (Money(5_000_000), Money(-650_000))
        );
    }

    #[test]
    fn names_each_invalid_field_of_a_package() {
        let error_fields = |contents: &[PricedContent], pricing: PackagePricing| {
            validate_and_calculate_costs(contents, &pricing, 2).unwrap_err().0.into_keys().collect::<Vec<_>>()
        };
        assert_eq!(error_fields(&[], pricing(None, 0)), ["package_contents"]);
        let invalid_contents = [content(1, 15, 1, Some(-1)), content(1, 20, 1, None)];
        let expected_fields = [
            "discount_fraction",
            "package_contents.0.price",
            "package_contents.0.quantity",
            "package_contents.1.id",
        ];
        assert_eq!(error_fields(&invalid_contents, pricing(None, 1_500)), expected_fields);
        let valid_contents = [content(1, 20, 1_000_000, None), content(2, 20, 1_000_000, None)];
        assert_eq!(error_fields(&valid_contents, pricing(Some(20_000), 1_000)), ["discount_fraction"]);
        assert_eq!(
            error_fields(&valid_contents, pricing(Some(10_000), 0)),
            ["fixed_cost"],
            "two services must cost at least 0.02"
        );
        assert_eq!(
            error_fields(&valid_contents, pricing(Some(25_000), 0)),
            ["fixed_cost"],
            "more than two decimal places must be rejected"
        );
        assert_eq!(
            validate_and_calculate_costs(&valid_contents, &pricing(Some(20_000), 0), 2).unwrap().total_cost,
            Money(20_000)
        );
    }

    #[test]
    fn a_customers_discount_applies_to_the_total_cost() {
        let contents = [content(1, 1_000, 3_335_000, None), content(2, 500, 2_010_000, None)];
        let cost = |discount_ppm| {
            calculate_total_cost(&contents, &pricing(None, 0), Fraction(discount_ppm), 2).unwrap()
        };
        assert_eq!(cost(0), Money(4_340_000));
        assert_eq!(cost(100_000), Money(3_910_000), "3.906 must be rounded up to 3.91");
        assert_eq!(cost(1_000_000), Money(20_000), "each of the two services must cost at least 0.01");
    }

    proptest! {
        #[test]
        fn split_costs_add_up_to_the_total(
            services in prop::collection::vec((1_i64..1_000, 0_i64..50_000_000), 1..20), discount_tenths_of_percent in 0_i64..=1_000, decimals in 0_u8..=6
        ) {
            let contents: Vec<_> =
                (1..).zip(services).map(|(id, (tens, price))| content(id, tens * 10, price, None)).collect();
            let total = calculate_costs(&contents, &pricing(None, discount_tenths_of_percent * 1_000), decimals).unwrap().total_cost;
            let split_costs = split_cost(&contents, total, decimals).unwrap();
            prop_assert_eq!(Money::sum(split_costs.iter().copied()).unwrap(), total);
            for (cost, content) in split_costs.iter().zip(&contents) {
                prop_assert_eq!(*cost > Money::ZERO, content.default_price > Money::ZERO);
                prop_assert_eq!(cost.0 % Money::smallest_unit(decimals).0, 0);
            }
        }
    }
}
