//! Loads the price terms of one customer for services: the prices and their modifiers.
//!
//! The rules, for every order:
//!
//! 1. The price is the one that was agreed with the customer, else the price of the service.
//! 2. The service's running discount applies first, because every customer sees it. Of several, only the largest applies.
//! 3. Then the discount of the customer's grade applies, then the customer's personal discount, each to the result of the previous
//!    modifier.
//! 4. Then the modifiers of the order itself apply, such as a speed-up. A coupon applies last.
//! 5. No modifier lowers the price below the minimum price, which is the one for this customer, else the one of the service. A
//!    minimum price above the price itself has no effect.
//! 6. No order is sold below the provider's cost plus the minimum margin, unless staff confirmed a lower price for the customer:
//!    see `pricing::minimum_margin`.
//!
//! A discount also lowers a price that was agreed with a customer, because a sale is temporary. To prevent that, staff set a
//! minimum price for the customer.

use std::collections::BTreeMap;

use panel_contract::amount::{Fraction, Money};
use panel_contract::ids::{GradeId, OrderId, ServiceId, UserId};
use panel_contract::moment::Time;
use panel_contract::users::DiscountType;
use panel_kernel::error::{Error, Result};

use crate::pricing::minimum_margin;
use crate::pricing::quote::{PriceModifier, PriceQuote, PriceStep, PriceTerms};
use crate::pricing::running_discounts::{self, ActiveDiscount};
use panel_domain::minimum_margin::{CustomerRatio, LowestPrices};
use panel_platform::db::{Sql, SqlExecutor, Val};
use panel_platform::settings;
use panel_platform::work::UnitOfWork;

/// The customer who buys, and the context of the purchase.
#[derive(Debug, Clone, Copy)]
pub struct Buyer<'a> {
    pub user_id: UserId,
    /// Whether the order is part of a package.
    pub is_in_package: bool,
    /// Country of the customer as an ISO code, if known.
    pub country: Option<&'a str>,
}

// Rules

/// Prices, discounts and settings of a customer and a service. Fields named `own_*` are agreed with the customer.
#[derive(Debug, Clone, sqlx::FromRow)]
struct PricingFacts {
    id: ServiceId,
    default_price: Money,
    pricing_per: i64,
    min_price: Money,
    own_price: Option<Money>,
    own_min_price: Option<Money>,
    grade_id: Option<GradeId>,
    grade_name: Option<String>,
    grade_discount_ppm: Option<Fraction>,
    own_discount_ppm: Option<Fraction>,
    own_discount_type: Option<DiscountType>,
    grades_enabled: Option<String>,
    min_margin: Option<String>,
    min_margin_action: Option<String>,
    own_ratio: Option<Fraction>,
    own_ratio_max_quantity: Option<i64>,
    below_margin_confirmed: bool,
}

impl PricingFacts {
    /// The minimum margin; `None` if staff set none.
    fn parse_min_margin(&self) -> Option<Fraction> {
        settings::parse_min_margin(self.min_margin.as_deref(), self.min_margin_action.as_deref())
    }

    fn into_terms(
        self,
        service_discount: Option<ActiveDiscount>,
        is_in_package: bool,
        lowest_prices: &LowestPrices,
    ) -> PriceTerms {
        let mut modifiers: Vec<PriceModifier> =
            service_discount.map(PriceModifier::from_discount).into_iter().collect();
        // The discount of a grade applies only if grades are enabled for all customers.
        let grades_enabled =
            settings::parse_stored(settings::GRADES_ENABLED, self.grades_enabled.as_deref()) == true;
        if let Some(fraction) = self.grade_discount_ppm.filter(|fraction| grades_enabled && fraction.0 > 0) {
            let name = format!("Grade {}", self.grade_name.unwrap_or_default());
            modifiers.push(PriceModifier::reduction(
                self.grade_id.map(GradeId::as_record_id),
                name,
                "grade",
                fraction,
            ));
        }
        let own_discount_applies = self
            .own_discount_type
            .is_some_and(|discount_type| applies_to_purchase(discount_type, is_in_package));
        if let Some(fraction) =
            self.own_discount_ppm.filter(|fraction| own_discount_applies && fraction.0 > 0)
        {
            let name = "Customer's discount".to_owned();
            modifiers.push(PriceModifier::reduction(None, name, "user_discount", fraction));
        }
        let terms = PriceTerms {
            min_price: self.own_min_price.unwrap_or(self.min_price),
            modifiers,
            has_own_price: self.own_price.is_some(),
            ..PriceTerms::without_modifiers(self.own_price.unwrap_or(self.default_price), self.pricing_per)
        };
        if self.below_margin_confirmed {
            return terms;
        }
        let own_ratio = CustomerRatio::from_options(self.own_ratio, self.own_ratio_max_quantity);
        terms.with_min_margin_price(lowest_prices.price_for_customer(self.id, self.pricing_per, own_ratio))
    }
}

/// Whether a customer's personal discount of this type applies to the purchase.
const fn applies_to_purchase(discount_type: DiscountType, is_in_package: bool) -> bool {
    match discount_type {
        DiscountType::All => true,
        DiscountType::Packages => is_in_package,
        DiscountType::Orders => !is_in_package,
    }
}

// Store

/// Loads the fraction by which a customer's personal discount lowers the price of a whole package; 0 without such a discount.
pub async fn load_package_discount(db: &mut impl SqlExecutor, user: UserId) -> Result<Fraction> {
    let sql = Sql::new("SELECT kind, discount_ppm FROM user_discounts WHERE user_id = ?").bind(user);
    let own_discount: Option<(DiscountType, Fraction)> = db.fetch_optional(sql).await?;
    Ok(own_discount
        .filter(|(discount_type, _)| applies_to_purchase(*discount_type, true))
        .map_or(Fraction(0), |(_, fraction)| fraction))
}

/// Loads the current price terms of a customer for a service.
pub async fn load(work: &mut UnitOfWork, buyer: Buyer<'_>, service: ServiceId) -> Result<PriceTerms> {
    let now = work.now;
    let terms = load_for_services(work, buyer, &[service], now).await?.remove(&service);
    terms.ok_or_else(|| Error::not_found("service", service))
}

/// Loads a customer's price terms for many services in two statements, and a few more if a minimum margin is set.
pub async fn load_for_services(
    db: &mut impl SqlExecutor,
    buyer: Buyer<'_>,
    services: &[ServiceId],
    now: Time,
) -> Result<BTreeMap<ServiceId, PriceTerms>> {
    let sql = Sql::new(
        "SELECT s.id, s.default_price, s.pricing_per, s.min_price, own.default_price AS own_price, own.min_price AS own_min_price, g.id AS grade_id, g.name AS grade_name,
           g.discount_ppm AS grade_discount_ppm, d.discount_ppm AS own_discount_ppm, d.kind AS own_discount_type, (SELECT value FROM settings WHERE key = ?) AS grades_enabled,
           (SELECT value FROM settings WHERE key = ?) AS min_margin, (SELECT value FROM settings WHERE key = ?) AS min_margin_action,
           own.order_quantity_ratio_ppm AS own_ratio, own.max_order_quantity_for_use_throttle AS own_ratio_max_quantity, COALESCE(own.below_margin_confirmed, FALSE) AS below_margin_confirmed
         FROM services s JOIN users u ON u.id = ? LEFT JOIN user_services own ON own.service_id = s.id AND own.user_id = u.id
         LEFT JOIN grades g ON g.id = u.grade_id AND u.grades_enabled AND u.grade_discounts_enabled LEFT JOIN user_discounts d ON d.user_id = u.id WHERE s.id IN ",
    );
    let facts: Vec<PricingFacts> = db
        .fetch_all(
            sql.bind(settings::GRADES_ENABLED)
                .bind(settings::MIN_MARGIN)
                .bind(settings::MIN_MARGIN_ACTION)
                .bind(buyer.user_id)
                .ids(services),
        )
        .await?;
    let lowest_prices = match facts.first().and_then(PricingFacts::parse_min_margin) {
        Some(margin) => minimum_margin::load_lowest_prices_for_margin(db, services, margin).await?,
        None => LowestPrices::default(),
    };
    let mut discounts = running_discounts::load_for_services(db, services, now, buyer.country).await?;
    let terms_by_service = facts.into_iter().map(|facts| {
        let (id, discount) = (facts.id, discounts.remove(&facts.id));
        (id, facts.into_terms(discount, buyer.is_in_package, &lowest_prices))
    });
    Ok(terms_by_service.collect())
}

/// Stores how each modifier changed the cost of an order.
pub async fn record_modifiers(
    work: &mut UnitOfWork,
    order: OrderId,
    modifiers: &[PriceModifier],
    quote: &PriceQuote,
) -> Result<()> {
    if !modifiers.is_empty() {
        let to_row = |(modifier, step): (&PriceModifier, &PriceStep)| -> Vec<Val> {
            vec![
                order.into(),
                modifier.id.into(),
                modifier.name.as_str().into(),
                modifier.kind.as_str().into(),
                step.cost_before.into(),
                step.cost_after.into(),
                modifier.is_speedup.into(),
                modifier.is_country_restricted.into(),
            ]
        };
        let rows = modifiers.iter().zip(&quote.steps).map(to_row).collect();
        let columns = [
            "order_id",
            "modifier_id",
            "name",
            "kind",
            "cost_before",
            "cost_after",
            "is_speedup",
            "has_countries",
        ];
        let sql = Sql::new(
            "INSERT INTO order_price_modifications (order_id, modifier_id, name, type, cost_before, cost_after, is_speedup, has_countries)
             SELECT r.order_id, r.modifier_id, r.name, r.kind, r.cost_before, r.cost_after, r.is_speedup, r.has_countries FROM ",
        );
        work.execute(sql.rows("r", &columns, rows)).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use panel_contract::ids::DiscountId;

    use super::*;

    fn pricing_facts() -> PricingFacts {
        PricingFacts {
            id: ServiceId::new(1),
            default_price: Money(10_000_000),
            pricing_per: 1_000,
            min_price: Money(2_000_000),
            own_price: None,
            own_min_price: None,
            grade_id: Some(GradeId::new(3)),
            grade_name: Some("Gold".into()),
            grade_discount_ppm: Some(Fraction(100_000)),
            own_discount_ppm: Some(Fraction(50_000)),
            own_discount_type: Some(DiscountType::Orders),
            grades_enabled: None,
            min_margin: None,
            min_margin_action: None,
            own_ratio: None,
            own_ratio_max_quantity: None,
            below_margin_confirmed: false,
        }
    }

    fn sale_discount() -> Option<ActiveDiscount> {
        let (id, name) = (DiscountId::new(9), "Sale".into());
        Some(ActiveDiscount { id, name, fraction: Fraction(200_000), is_country_restricted: true })
    }

    /// The price of 1,000 units after each modifier.
    fn prices_after_modifiers(terms: &PriceTerms) -> Vec<i64> {
        terms.quote(1_000, 6).unwrap().steps.iter().map(|step| step.cost_after.0).collect()
    }

    #[test]
    fn modifiers_apply_in_the_order_service_grade_customer() {
        let terms = pricing_facts().into_terms(sale_discount(), false, &LowestPrices::default());
        let kinds: Vec<&str> = terms.modifiers.iter().map(|modifier| modifier.kind.as_str()).collect();
        assert_eq!(kinds, ["discount", "grade", "user_discount"]);
        assert_eq!(prices_after_modifiers(&terms), [8_000_000, 7_200_000, 6_840_000]);
        assert!(terms.has_discount() && !terms.has_own_price && terms.modifiers[0].is_country_restricted);
    }

    #[test]
    fn a_customers_discount_applies_only_to_its_type_of_purchase() {
        let has_user_discount = |discount_type, is_in_package| {
            let terms = PricingFacts { own_discount_type: discount_type, ..pricing_facts() }.into_terms(
                None,
                is_in_package,
                &LowestPrices::default(),
            );
            terms.modifiers.iter().any(|modifier| modifier.kind == "user_discount")
        };
        let outside_and_inside_packages = |discount_type| {
            [has_user_discount(Some(discount_type), false), has_user_discount(Some(discount_type), true)]
        };
        assert_eq!(outside_and_inside_packages(DiscountType::Orders), [true, false]);
        assert_eq!(outside_and_inside_packages(DiscountType::Packages), [false, true]);
        assert_eq!(outside_and_inside_packages(DiscountType::All), [true, true]);
        assert!(!has_user_discount(None, false));
    }

    #[test]
    fn no_modifier_lowers_a_price_below_the_minimum_price_of_the_service_or_customer() {
        let half_price_sale =
            || sale_discount().map(|sale| ActiveDiscount { fraction: Fraction(500_000), ..sale });
        let with_min_price = PricingFacts { min_price: Money(4_800_000), ..pricing_facts() };
        assert_eq!(
            prices_after_modifiers(&with_min_price.clone().into_terms(
                half_price_sale(),
                false,
                &LowestPrices::default()
            )),
            [5_000_000, 4_800_000, 4_800_000]
        );
        let with_own_price = PricingFacts { own_price: Some(Money(3_000_000)), ..with_min_price };
        // The price that was agreed with the customer is below the service's minimum price, and is not raised to the minimum price.
        let terms = with_own_price.clone().into_terms(half_price_sale(), false, &LowestPrices::default());
        assert_eq!((prices_after_modifiers(&terms), terms.has_own_price), (vec![3_000_000; 3], true));
        let with_own_min_price = PricingFacts { own_min_price: Some(Money(1_000_000)), ..with_own_price };
        assert_eq!(
            prices_after_modifiers(&with_own_min_price.into_terms(
                half_price_sale(),
                false,
                &LowestPrices::default()
            )),
            [1_500_000, 1_350_000, 1_282_500]
        );
    }
}
