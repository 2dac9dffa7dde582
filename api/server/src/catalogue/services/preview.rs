//! The price preview of the service editor: calculates the cost of a quantity for customers of each grade at prices that are not
//! saved yet. The preview uses the same quote as an order.

use panel_contract::amount::{Fraction, Money, Overflow};
use panel_contract::common::{Data, NamedRef};
use panel_contract::discounts::RunningDiscount;
use panel_contract::endpoints::services::PreviewPrices;
use panel_contract::fields::FieldErrors;
use panel_contract::ids::GradeId;
use panel_contract::services::{GradePrice, PricePreviewInput};
use panel_kernel::error::{Error, Result};

use crate::context::Ctx;
use crate::http::Req;
use crate::pricing::minimum_margin;
use crate::pricing::quote::{PriceModifier, PriceTerms};
use crate::pricing::running_discounts::{self, ActiveDiscount};
use panel_platform::db::{Sql, SqlExecutor as _};
use panel_platform::settings;

/// `POST services/price-preview`.
pub async fn preview(ctx: Ctx, req: Req<PreviewPrices>) -> Result<Data<Vec<GradePrice>>> {
    validate_input(&req.body)?;
    let db = &mut ctx.db();
    let decimals = settings::read_rounding_precision(db).await?;
    let grades: Vec<GradeRow> = if settings::read_bool(db, settings::GRADES_ENABLED).await? {
        let sql =
            "SELECT id, name, discount_ppm FROM grades WHERE NOT is_archived ORDER BY spending_goal, id";
        db.fetch_all(Sql::new(sql)).await?
    } else {
        Vec::new()
    };
    let running_discount = match req.body.service_id {
        Some(id) => running_discounts::load_for_service(db, id, ctx.now(), None).await?,
        None => None,
    };
    let min_margin_price = match req.body.service_id {
        Some(id) => minimum_margin::load_lowest_prices(db, &[id]).await?.price(id, req.body.pricing_per),
        None => Money::ZERO,
    };
    let without_grade = std::iter::once(None);
    let prices = without_grade
        .chain(grades.into_iter().map(Some))
        .map(|grade| quote_for_grade(&req.body, grade, running_discount.clone(), min_margin_price, decimals));
    let data: Result<Vec<_>, _> = prices.collect();
    let data = data.map_err(|_| {
        let message = "The price of this quantity is too large. Enter a lower price or quantity.";
        Error::invalid("default_price", "too_large", message)
    })?;
    Ok(Data { data })
}

#[derive(Debug, sqlx::FromRow)]
struct GradeRow {
    id: GradeId,
    name: String,
    #[sqlx(rename = "discount_ppm")]
    discount_fraction: Fraction,
}

// Rules

/// Largest price, in millionths, and largest quantity of a preview.
const MAX_INPUT: i64 = 1_000_000_000_000;

fn validate_input(input: &PricePreviewInput) -> Result<(), FieldErrors> {
    let mut errors = FieldErrors::default();
    for (field, price) in [("default_price", input.default_price), ("min_price", input.min_price)] {
        if !(0..=MAX_INPUT).contains(&price.0) {
            errors.add(field, "Enter a price from 0 to 1,000,000.");
        }
    }
    for (field, quantity) in [("pricing_per", input.pricing_per), ("quantity", input.quantity)] {
        if !(1..=MAX_INPUT).contains(&quantity) {
            errors.add(field, "Enter a whole number from 1 to 1,000,000,000,000.");
        }
    }
    errors.into_result(())
}

/// Quotes the price like an order: the running discount applies first, then the discount of the grade, and neither lowers the price
/// below the minimum price.
fn quote_for_grade(
    input: &PricePreviewInput,
    grade: Option<GradeRow>,
    running_discount: Option<ActiveDiscount>,
    min_margin_price: Money,
    decimals: u8,
) -> Result<GradePrice, Overflow> {
    let discount = running_discount.clone().map(|ActiveDiscount { id, name, fraction, .. }| {
        RunningDiscount { id, name, discount_fraction: fraction }
    });
    let mut modifiers: Vec<PriceModifier> =
        running_discount.map(PriceModifier::from_discount).into_iter().collect();
    let grade_fraction = grade.as_ref().map_or(Fraction(0), |grade| grade.discount_fraction);
    if grade_fraction.0 > 0 {
        modifiers.push(PriceModifier::reduction(None, String::new(), "grade", grade_fraction));
    }
    let base_terms = PriceTerms::without_modifiers(input.default_price, input.pricing_per);
    let terms_without_minimum = PriceTerms { modifiers: modifiers.clone(), ..base_terms.clone() };
    let terms = PriceTerms { min_price: input.min_price, modifiers, ..base_terms }
        .with_min_margin_price(min_margin_price);
    // The price of `pricing_per` units, like the prices in the input.
    let discounted_price =
        |terms: &PriceTerms| terms.quote(input.pricing_per, 6).map(|quote| quote.exact_cost);
    let (price_without_minimum, price) =
        (discounted_price(&terms_without_minimum)?, discounted_price(&terms)?);
    Ok(GradePrice {
        grade: grade.map(|grade| NamedRef { id: grade.id, name: grade.name }),
        discount_fraction: grade_fraction,
        discount,
        is_lowest: price_without_minimum < price,
        price: price.rounded_up(6)?,
        cost: terms.quote(input.quantity, decimals)?.cost,
    })
}

#[cfg(test)]
mod tests {
    use panel_contract::ids::{DiscountId, ServiceId};

    use super::*;

    fn money(text: &str) -> Money {
        text.parse().unwrap()
    }

    fn grade(discount_ppm: i64) -> Option<GradeRow> {
        let discount_fraction = Fraction(discount_ppm);
        Some(GradeRow { id: GradeId::new(1), name: "Gold".to_owned(), discount_fraction })
    }

    #[test]
    fn a_grade_never_lowers_the_price_below_the_minimum_price() {
        let input = PricePreviewInput {
            default_price: money("10"),
            min_price: money("9"),
            pricing_per: 1_000,
            quantity: 1_500,
            service_id: None,
        };
        let preview = |ppm| {
            let preview = quote_for_grade(&input, grade(ppm), None, Money::ZERO, 2).unwrap();
            (preview.price, preview.cost, preview.is_lowest)
        };
        assert_eq!(preview(0), (money("10"), money("15"), false));
        assert_eq!(preview(50_000), (money("9.5"), money("14.25"), false));
        assert_eq!(preview(200_000), (money("9"), money("13.5"), true));
    }

    #[test]
    fn the_running_discount_applies_before_the_grade() {
        let input = PricePreviewInput {
            default_price: money("10"),
            min_price: money("7"),
            pricing_per: 1_000,
            quantity: 1_000,
            service_id: Some(ServiceId::new(1)),
        };
        let running_discount = |ppm| {
            let (id, name, fraction) = (DiscountId::new(1), "Sale".into(), Fraction(ppm));
            Some(ActiveDiscount { id, name, fraction, is_country_restricted: false })
        };
        let preview =
            |ppm| quote_for_grade(&input, grade(100_000), running_discount(ppm), Money::ZERO, 2).unwrap();
        assert_eq!((preview(200_000).price, preview(200_000).cost), (money("7.2"), money("7.2")));
        assert_eq!((preview(300_000).cost, preview(300_000).is_lowest), (money("7"), true));
    }
}
