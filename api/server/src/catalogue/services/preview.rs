//! What a quantity costs customers of each grade, at prices that need not be saved: the same arithmetic as an order's.

use panel_contract::amount::{Fraction, Money, Overflow};
use panel_contract::common::{Data, Named};
use panel_contract::discounts::RunningDiscount;
use panel_contract::endpoints::services::PreviewPrices;
use panel_contract::fields::FieldErrors;
use panel_contract::services::{GradePrice, PricePreviewInput};

use crate::configuration::settings;
use crate::db::{Source as _, Sql};
use crate::http::error::{ApiError, Result};
use crate::http::{Ctx, Req};
use crate::marketing::discounts::running::{self, Running};
use crate::operations::orders::price::{self, PriceChange};

/// `POST services/price-preview`.
pub async fn preview(ctx: Ctx, req: Req<PreviewPrices>) -> Result<Data<Vec<GradePrice>>> {
    check(&req.body)?;
    let db = &mut ctx.db();
    let places = settings::rounding_precision(db).await?;
    let sql = "SELECT id, name, discount_ppm FROM grades WHERE NOT is_archived ORDER BY spending_goal, id";
    let counts = settings::flag(db, settings::GRADES_ENABLED).await?;
    let grades: Vec<(i64, String, Fraction)> = if counts { db.all(Sql::new(sql)).await? } else { Vec::new() };
    let running = match req.body.service_id {
        Some(id) => running::of_service(db, id, ctx.now(), None).await?,
        None => None,
    };
    let running = running.map(|Running { id, name, percent, .. }| RunningDiscount {
        id,
        name,
        discount_percent: percent,
    });
    let all = [(None, Fraction(0))].into_iter();
    let all = all.chain(grades.into_iter().map(|(id, name, off)| (Some(Named { id, name }), off)));
    let prices = all.map(|(grade, off)| priced(&req.body, grade, off, running.clone(), places));
    let data: Result<Vec<_>, _> = prices.collect();
    let data =
        data.map_err(|_| ApiError::invalid("default_price", "too_large", "This comes to too much."))?;
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

/// As an order is charged: the discount first, then the grade, and nothing below the lowest price.
fn priced(
    input: &PricePreviewInput,
    grade: Option<Named>,
    off: Fraction,
    discount: Option<RunningDiscount>,
    places: u8,
) -> Result<GradePrice, Overflow> {
    let shares = [discount.as_ref().map_or(Fraction(0), |discount| discount.discount_percent), off];
    let left = shares.map(|share| Money::UNIT - share.0.clamp(0, Money::UNIT));
    let wanted =
        left.iter().try_fold(input.default_price, |price, left| price.scaled_up(*left, Money::UNIT, 6))?;
    let changes = left.map(|left| PriceChange::Share(Fraction(left - Money::UNIT)));
    let (price, lowest) = (input.default_price, input.min_price.min(input.default_price));
    let priced = price::cost_above(price, lowest, input.quantity, input.pricing_per, places, changes)?;
    Ok(GradePrice {
        grade,
        discount_percent: off,
        discount,
        price: wanted.max(lowest),
        cost: priced.cost,
        is_lowest: wanted < lowest,
    })
}

#[cfg(test)]
mod tests {
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
        let of = |off| priced(&input, None, Fraction(off), None, 2).unwrap();
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
            service_id: Some(1),
        };
        let sale =
            |ppm| Some(RunningDiscount { id: 1, name: "Sale".into(), discount_percent: Fraction(ppm) });
        let of = |ppm| priced(&input, None, Fraction(100_000), sale(ppm), 2).unwrap();
        assert_eq!((of(200_000).price, of(200_000).cost), (money("7.2"), money("7.2")));
        assert_eq!((of(300_000).cost, of(300_000).is_lowest), (money("7"), true));
    }
}
