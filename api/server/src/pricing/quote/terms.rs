//! The price terms of one customer for one service: the price and its modifiers.
//!
//! The rules, for every order:
//!
//! 1. The price is the customer's own price if they have one, else the service's.
//! 2. The service's running discount applies first, because every customer sees it. Of several, only the largest applies.
//! 3. Then the discount of the customer's grade, then the customer's own discount, each on the result of the modifier before.
//! 4. Then modifiers of the order itself, such as a speed-up. A coupon applies last.
//! 5. No modifier lowers the price below the minimum price, which is the customer's own if they have one, else the service's. A
//!    minimum price above the price itself has no effect.
//! 6. No order is sold below the provider's cost plus the least margin, unless staff confirmed a lower price for the customer: see
//!    `pricing::least_margin`.
//!
//! A discount also lowers a customer's own price, because a sale is temporary. To prevent that, staff set a minimum price for the
//! customer.

use std::collections::BTreeMap;

use panel_contract::amount::{Fraction, Money};
use panel_contract::ids::{GradeId, OrderId, ServiceId, UserId};
use panel_contract::moment::Time;
use panel_contract::users::DiscountType;
use panel_kernel::error::{Error, Result};

use crate::pricing::least_margin;
use crate::pricing::quote::{Modifier, PriceQuote, PriceTerms};
use crate::pricing::running_discounts::{self, ActiveDiscount};
use panel_domain::least_margin::{CustomerRatio, LowestPrices};
use panel_platform::db::{Source, Sql, Val};
use panel_platform::settings;
use panel_platform::work::UnitOfWork;

/// The customer who buys, and the context of the purchase.
#[derive(Debug, Clone, Copy)]
pub struct Buyer<'a> {
    pub user_id: UserId,
    /// Whether the order is part of a package.
    pub in_package: bool,
    /// Country of the customer as an ISO code, if known.
    pub country: Option<&'a str>,
}

// Rules

/// Prices, discounts and settings of a customer and a service.
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
    grade_ppm: Option<Fraction>,
    own_ppm: Option<Fraction>,
    own_kind: Option<DiscountType>,
    grades_enabled: Option<String>,
    min_margin: Option<String>,
    min_margin_action: Option<String>,
    own_ratio: Option<Fraction>,
    own_ratio_max_quantity: Option<i64>,
    below_margin_confirmed: bool,
}

impl PricingFacts {
    /// The panel's least margin, if it has one.
    fn least_margin(&self) -> Option<Fraction> {
        settings::parse_min_margin(self.min_margin.as_deref(), self.min_margin_action.as_deref())
    }

    fn into_terms(
        self,
        running: Option<ActiveDiscount>,
        in_package: bool,
        lowest: &LowestPrices,
    ) -> PriceTerms {
        let mut modifiers: Vec<Modifier> = running.map(Modifier::discount).into_iter().collect();
        // A grade gives no discount if grades are disabled for the whole panel.
        let grades_enabled =
            settings::parse_stored(settings::GRADES_ENABLED, self.grades_enabled.as_deref()) == true;
        if let Some(fraction) = self.grade_ppm.filter(|fraction| grades_enabled && fraction.0 > 0) {
            let name = format!("Grade {}", self.grade_name.unwrap_or_default());
            modifiers.push(Modifier::reduction(
                self.grade_id.map(GradeId::as_record_id),
                name,
                "grade",
                fraction,
            ));
        }
        let applies = self.own_kind.is_some_and(|kind| applies_to(kind, in_package));
        if let Some(fraction) = self.own_ppm.filter(|fraction| applies && fraction.0 > 0) {
            let name = "Customer's discount".to_owned();
            modifiers.push(Modifier::reduction(None, name, "user_discount", fraction));
        }
        let terms = PriceTerms {
            min_price: self.own_min_price.unwrap_or(self.min_price),
            modifiers,
            has_own_price: self.own_price.is_some(),
            ..PriceTerms::plain(self.own_price.unwrap_or(self.default_price), self.pricing_per)
        };
        if self.below_margin_confirmed {
            return terms;
        }
        let own_ratio = CustomerRatio::of(self.own_ratio, self.own_ratio_max_quantity);
        terms.with_margin_floor(lowest.of_customer(self.id, self.pricing_per, own_ratio))
    }
}

/// Whether a customer's own discount of this kind applies to the purchase.
const fn applies_to(kind: DiscountType, in_package: bool) -> bool {
    match kind {
        DiscountType::All => true,
        DiscountType::Packages => in_package,
        DiscountType::Orders => !in_package,
    }
}

// Store

/// The fraction that a customer's own discount takes off the price of a whole package.
pub async fn package_discount(db: &mut impl Source, user: UserId) -> Result<Fraction> {
    let sql = Sql::new("SELECT kind, discount_ppm FROM user_discounts WHERE user_id = ?").bind(user);
    let own_discount: Option<(DiscountType, Fraction)> = db.fetch_optional(sql).await?;
    Ok(own_discount.filter(|(kind, _)| applies_to(*kind, true)).map_or(Fraction(0), |(_, fraction)| fraction))
}

/// The current terms of a customer for a service.
pub async fn load(work: &mut UnitOfWork, buyer: Buyer<'_>, service: ServiceId) -> Result<PriceTerms> {
    let now = work.now;
    let terms = load_for_services(work, buyer, &[service], now).await?.remove(&service);
    terms.ok_or_else(|| Error::not_found("service", service))
}

/// A customer's terms for many services, by service, in two statements; a least margin takes a few more.
pub async fn load_for_services(
    db: &mut impl Source,
    buyer: Buyer<'_>,
    services: &[ServiceId],
    now: Time,
) -> Result<BTreeMap<ServiceId, PriceTerms>> {
    let sql = Sql::new(
        "SELECT s.id, s.default_price, s.pricing_per, s.min_price, own.default_price AS own_price, own.min_price AS own_min_price, g.id AS grade_id, g.name AS grade_name,
           g.discount_ppm AS grade_ppm, d.discount_ppm AS own_ppm, d.kind AS own_kind, (SELECT value FROM settings WHERE key = ?) AS grades_enabled,
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
    let lowest = match facts.first().and_then(PricingFacts::least_margin) {
        Some(margin) => least_margin::load_lowest_prices_for_margin(db, services, margin).await?,
        None => LowestPrices::default(),
    };
    let mut running = running_discounts::load_for_services(db, services, now, buyer.country).await?;
    let terms = |facts: PricingFacts| {
        let (id, running) = (facts.id, running.remove(&facts.id));
        (id, facts.into_terms(running, buyer.in_package, &lowest))
    };
    Ok(facts.into_iter().map(terms).collect())
}

/// Stores how each modifier changed the cost of an order.
pub async fn record_modifiers(
    work: &mut UnitOfWork,
    order: OrderId,
    modifiers: &[Modifier],
    quote: &PriceQuote,
) -> Result<()> {
    if !modifiers.is_empty() {
        let row = |(modifier, step): (&Modifier, &(Money, Money))| -> Vec<Val> {
            vec![
                order.into(),
                modifier.id.into(),
                modifier.name.as_str().into(),
                modifier.kind.as_str().into(),
                step.0.into(),
                step.1.into(),
                modifier.is_speedup.into(),
                modifier.has_countries.into(),
            ]
        };
        let rows = modifiers.iter().zip(&quote.steps).map(row).collect();
        let columns = ["o", "m", "name", "kind", "was", "is_now", "speedup", "countries"];
        let sql = Sql::new(
            "INSERT INTO order_price_modifications (order_id, modifier_id, name, type, cost_before, cost_after, is_speedup, has_countries)
             SELECT r.o, r.m, r.name, r.kind, r.was, r.is_now, r.speedup, r.countries FROM ",
        );
        work.execute(sql.rows("r", &columns, rows)).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use panel_contract::ids::DiscountId;

    use super::*;

    fn facts() -> PricingFacts {
        PricingFacts {
            id: ServiceId::new(1),
            default_price: Money(10_000_000),
            pricing_per: 1_000,
            min_price: Money(2_000_000),
            own_price: None,
            own_min_price: None,
            grade_id: Some(GradeId::new(3)),
            grade_name: Some("Gold".into()),
            grade_ppm: Some(Fraction(100_000)),
            own_ppm: Some(Fraction(50_000)),
            own_kind: Some(DiscountType::Orders),
            grades_enabled: None,
            min_margin: None,
            min_margin_action: None,
            own_ratio: None,
            own_ratio_max_quantity: None,
            below_margin_confirmed: false,
        }
    }

    fn sale() -> Option<ActiveDiscount> {
        let (id, name) = (DiscountId::new(9), "Sale".into());
        Some(ActiveDiscount { id, name, fraction: Fraction(200_000), has_countries: true })
    }

    /// The price of 1,000 units after each modifier.
    fn steps(terms: &PriceTerms) -> Vec<i64> {
        terms.quote(1_000, 6).unwrap().steps.iter().map(|step| step.1.0).collect()
    }

    #[test]
    fn applies_discount_grade_and_own_discount_in_this_order() {
        let terms = facts().into_terms(sale(), false, &LowestPrices::default());
        let kinds: Vec<&str> = terms.modifiers.iter().map(|modifier| modifier.kind.as_str()).collect();
        assert_eq!(kinds, ["discount", "grade", "user_discount"]);
        assert_eq!(steps(&terms), [8_000_000, 7_200_000, 6_840_000]);
        assert!(terms.has_discount() && !terms.has_own_price && terms.modifiers[0].has_countries);
    }

    #[test]
    fn an_own_discount_applies_only_to_its_kind_of_purchase() {
        let applies = |kind, in_package| {
            let terms = PricingFacts { own_kind: kind, ..facts() }.into_terms(
                None,
                in_package,
                &LowestPrices::default(),
            );
            terms.modifiers.iter().any(|modifier| modifier.kind == "user_discount")
        };
        let outside_and_in_packages = |kind| [applies(Some(kind), false), applies(Some(kind), true)];
        assert_eq!(outside_and_in_packages(DiscountType::Orders), [true, false]);
        assert_eq!(outside_and_in_packages(DiscountType::Packages), [false, true]);
        assert_eq!(outside_and_in_packages(DiscountType::All), [true, true]);
        assert!(!applies(None, false));
    }

    #[test]
    fn the_minimum_price_holds_and_a_customers_own_replaces_it() {
        let half = || sale().map(|sale| ActiveDiscount { fraction: Fraction(500_000), ..sale });
        let low = PricingFacts { min_price: Money(4_800_000), ..facts() };
        assert_eq!(
            steps(&low.clone().into_terms(half(), false, &LowestPrices::default())),
            [5_000_000, 4_800_000, 4_800_000]
        );
        let own = PricingFacts { own_price: Some(Money(3_000_000)), ..low };
        // The customer's own price is below the service's minimum price, and is not raised to it.
        let terms = own.clone().into_terms(half(), false, &LowestPrices::default());
        assert_eq!((steps(&terms), terms.has_own_price), (vec![3_000_000; 3], true));
        let own = PricingFacts { own_min_price: Some(Money(1_000_000)), ..own };
        assert_eq!(
            steps(&own.into_terms(half(), false, &LowestPrices::default())),
            [1_500_000, 1_350_000, 1_282_500]
        );
    }
}
