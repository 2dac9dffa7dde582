//! What a quantity costs customers of each grade, at prices that need not be saved: the same arithmetic as an order's.

use panel_contract::amount::{Fraction, Money};
use panel_contract::common::{Data, Named};
use panel_contract::endpoints::services::PreviewPrices;
use panel_contract::fields::FieldErrors;
use panel_contract::services::{GradePrice, PricePreviewInput};

use crate::configuration::settings;
use crate::db::{Source as _, Sql};
use crate::http::error::{ApiError, Result};
use crate::http::{Ctx, Req};
use crate::operations::orders::price::{self, PriceChange};

/// `POST services/price-preview`.
pub async fn preview(ctx: Ctx, req: Req<PreviewPrices>) -> Result<Data<Vec<GradePrice>>> {
    check(&req.body)?;
    let db = &mut ctx.db();
    let places = settings::rounding_precision(db).await?;
    let sql = "SELECT id, name, discount_ppm FROM grades WHERE NOT is_archived ORDER BY spending_goal, id";
    let counts = settings::flag(db, settings::GRADES_ENABLED).await?;
    let grades: Vec<(i64, String, Fraction)> = if counts { db.all(Sql::new(sql)).await? } else { Vec::new() };
    let all = [(None, Fraction(0))].into_iter();
    let all = all.chain(grades.into_iter().map(|(id, name, off)| (Some(Named { id, name }), off)));
    let prices = all.map(|(grade, off)| priced(&req.body, grade, off, places));
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

fn priced(
    input: &PricePreviewInput,
    grade: Option<Named>,
    off: Fraction,
    places: u8,
) -> Result<GradePrice, panel_contract::amount::Overflow> {
    let share = Money::UNIT - off.0.clamp(0, Money::UNIT);
    let wanted = input.default_price.scaled_up(share, Money::UNIT, 6)?;
    let less = PriceChange::Share(Fraction(share - Money::UNIT));
    let cost = price::cost(input.default_price, input.quantity, input.pricing_per, places, [less])?.cost;
    let lowest = price::cost(input.min_price, input.quantity, input.pricing_per, places, [])?.cost;
    Ok(GradePrice {
        grade,
        discount_percent: off,
        price: wanted.max(input.min_price),
        cost: cost.max(lowest),
        is_lowest: wanted < input.min_price,
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
        };
        let of = |off| priced(&input, None, Fraction(off), 2).unwrap();
        assert_eq!((of(0).price, of(0).cost, of(0).is_lowest), (money("10"), money("15"), false));
        assert_eq!((of(50_000).price, of(50_000).cost), (money("9.5"), money("14.25")));
        assert_eq!(
            (of(200_000).price, of(200_000).cost, of(200_000).is_lowest),
            (money("9"), money("13.5"), true)
        );
    }
}
