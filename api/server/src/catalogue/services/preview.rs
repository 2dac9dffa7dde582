//! What a quantity costs customers of each grade, at prices that need not be saved: the same quote as an order's.

use panel_contract::amount::{Fraction, Money, Overflow};
use panel_contract::common::{Data, Named};
use panel_contract::discounts::RunningDiscount;
use panel_contract::endpoints::services::PreviewPrices;
use panel_contract::fields::FieldErrors;
use panel_contract::ids::GradeId;
use panel_contract::services::{GradePrice, PricePreviewInput};
use panel_kernel::error::{Error, Result};

use crate::context::Ctx;
use crate::http::Req;
use crate::pricing::least_margin;
use crate::pricing::quote::{Modifier, PriceTerms};
use crate::pricing::running_discounts::{self, ActiveDiscount};
use panel_platform::db::{Source as _, Sql};
use panel_platform::settings;

/// `POST services/price-preview`.
pub async fn preview(ctx: Ctx, req: Req<PreviewPrices>) -> Result<Data<Vec<GradePrice>>> {
    check(&req.body)?;
    let db = &mut ctx.db();
    let places = settings::rounding_precision(db).await?;
    let sql = "SELECT id, name, discount_ppm FROM grades WHERE NOT is_archived ORDER BY spending_goal, id";
    let counts = settings::flag(db, settings::GRADES_ENABLED).await?;
    let grades: Vec<(GradeId, String, Fraction)> =
        if counts { db.all(Sql::new(sql)).await? } else { Vec::new() };
    let running = match req.body.service_id {
        Some(id) => running_discounts::of_service(db, id, ctx.now(), None).await?,
        None => None,
    };
    let least = match req.body.service_id {
        Some(id) => least_margin::of_services(db, &[id]).await?.of(id, req.body.pricing_per),
        None => Money::ZERO,
    };
    let all = std::iter::once((None, Fraction(0)));
    let all = all.chain(grades.into_iter().map(|(id, name, off)| (Some(Named { id, name }), off)));
    let prices = all.map(|(grade, off)| preview_of(&req.body, (grade, off), running.clone(), least, places));
    let data: Result<Vec<_>, _> = prices.collect();
    let data = data.map_err(|_| Error::invalid("default_price", "too_large", "This comes to too much."))?;
    Ok(Data { data })
}

// Rules

/// Largest price and quantity that are previewed.
const MOST: i64 = 1_000_000_000_000;

fn check(input: &PricePreviewInput) -> Result<(), FieldErrors> {
    let mut errors = FieldErrors::default();
    for (field, number, least) in [
        ("default_price", input.default_price.0, 0),
        ("min_price", input.min_price.0, 0),
        ("pricing_per", input.pricing_per, 1),
        ("quantity", input.quantity, 1),
    ] {
        if !(least..=MOST).contains(&number) {
            errors.add(field, "Give a number that can be sold.");
        }
    }
    errors.or(())
}

/// As an order is quoted and charged: the discount first, then the grade, and nothing below the lowest price.
fn preview_of(
    input: &PricePreviewInput,
    (grade, off): (Option<Named<GradeId>>, Fraction),
    running: Option<ActiveDiscount>,
    least: Money,
    places: u8,
) -> Result<GradePrice, Overflow> {
    let discount = running.clone().map(|ActiveDiscount { id, name, percent, .. }| RunningDiscount {
        id,
        name,
        discount_percent: percent,
    });
    let mut modifiers: Vec<Modifier> = running.map(Modifier::discount).into_iter().collect();
    if off.0 > 0 {
        modifiers.push(Modifier::off(None, String::new(), "grade", off));
    }
    let lowest = input.min_price;
    let plain = PriceTerms::plain(input.default_price, input.pricing_per);
    let free = PriceTerms { modifiers: modifiers.clone(), ..plain.clone() };
    let terms = PriceTerms { lowest, modifiers, ..plain }.with_least(least);
    // The price for as many units as prices are for.
    let unit = |terms: &PriceTerms| terms.quote(input.pricing_per, 6).map(|quote| quote.exact);
    let (wanted, price) = (unit(&free)?, unit(&terms)?);
    Ok(GradePrice {
        grade,
        discount_percent: off,
        discount,
        is_lowest: wanted < price,
        price: price.rounded_up(6)?,
        cost: terms.quote(input.quantity, places)?.cost,
    })
}

#[cfg(test)]
mod tests {
    use panel_contract::ids::{DiscountId, ServiceId};

    use super::*;

    #[test]
    fn a_discount_never_goes_below_the_lowest_price() {
        let money = |text: &str| text.parse::<Money>().unwrap();
        let input = PricePreviewInput {
            default_price: money("10"),
            min_price: money("9"),
            pricing_per: 1_000,
            quantity: 1_500,
            service_id: None,
        };
        let of = |off| preview_of(&input, (None, Fraction(off)), None, Money::ZERO, 2).unwrap();
        assert_eq!((of(0).price, of(0).cost, of(0).is_lowest), (money("10"), money("15"), false));
        assert_eq!((of(50_000).price, of(50_000).cost), (money("9.5"), money("14.25")));
        assert_eq!(
            (of(200_000).price, of(200_000).cost, of(200_000).is_lowest),
            (money("9"), money("13.5"), true)
        );
    }
    #[test]
    fn a_running_discount_comes_off_before_the_grade() {
        let money = |text: &str| text.parse::<Money>().unwrap();
        let input = PricePreviewInput {
            default_price: money("10"),
            min_price: money("7"),
            pricing_per: 1_000,
            quantity: 1_000,
            service_id: Some(ServiceId::new(1)),
        };
        let sale = |ppm| {
            let (id, name, percent) = (DiscountId::new(1), "Sale".into(), Fraction(ppm));
            Some(ActiveDiscount { id, name, percent, has_countries: false })
        };
        let of = |ppm| preview_of(&input, (None, Fraction(100_000)), sale(ppm), Money::ZERO, 2).unwrap();
        assert_eq!((of(200_000).price, of(200_000).cost), (money("7.2"), money("7.2")));
        assert_eq!((of(300_000).cost, of(300_000).is_lowest), (money("7"), true));
    }
}
