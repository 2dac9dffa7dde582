//! Endpoints for the personal discount of a user. A user has at most one personal discount; zero means no discount.

use panel_contract::amount::Fraction;
use panel_contract::common::Data;
use panel_contract::endpoints::users::{GetUserDiscount, SetUserDiscount};
use panel_contract::ids::UserId;
use panel_contract::users::{DiscountType, UserDiscount, UserDiscountInput};
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::Rejection;
use serde_json::json;

use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::operations::users::change;
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::work::UnitOfWork;

/// One thousandth in parts per million, because discounts have at most three decimals.
const THOUSANDTH_PPM: i64 = 1_000;

// Routes

pub fn routes(api: Api) -> Api {
    api.route::<GetUserDiscount, _, _, _>(get_discount).route::<SetUserDiscount, _, _, _>(set_discount)
}

async fn get_discount(ctx: Ctx, req: Req<GetUserDiscount>) -> Result<Data<UserDiscount>> {
    Ok(Data {
        data: find_discount(&mut ctx.db(), req.path)
            .await?
            .ok_or_else(|| Error::not_found("user", req.path))?,
    })
}

async fn set_discount(ctx: Ctx, req: Req<SetUserDiscount>) -> Result<Data<UserDiscount>> {
    let discount = validate(&req.body)?;
    let mut work = ctx.begin().await?;
    let user = change::lock_within_rank(&mut work, req.path).await?;
    Error::check_not_stale("user", req.body.updated_at, user.updated_at)?;
    let old_discount = find_discount(&mut work, user.id).await?;
    if old_discount.as_ref() != Some(&discount) {
        write_discount(&mut work, user.id, &discount).await?;
        let change = AuditChange {
            id: user.id.as_record_id(),
            old: json!({ "discount": old_discount }),
            new: json!({ "discount": discount }),
        };
        audit::record(&mut work, "user.discount_set", "user", change).await?;
    }
    work.finish(Data { data: discount }).await
}

// Rules

fn validate(input: &UserDiscountInput) -> Result<UserDiscount, Rejection> {
    if !(0..=1_000_000).contains(&input.discount_fraction.0)
        || input.discount_fraction.0 % THOUSANDTH_PPM != 0
    {
        return Err(Rejection::invalid(
            "discount_fraction",
            "percent_out_of_bounds",
            "Enter a fraction from 0 to 1 with at most three decimals, such as 0.125 for 12.5 %.",
        ));
    }
    Ok(UserDiscount { discount_fraction: input.discount_fraction, kind: input.kind })
}

// Store

/// Loads the discount of a user, which is zero if the user has none; `None` if the user does not exist.
pub async fn find_discount(db: &mut impl SqlExecutor, user_id: UserId) -> Result<Option<UserDiscount>> {
    let sql = Sql::new(
        "SELECT d.discount_ppm, d.kind FROM users u LEFT JOIN user_discounts d ON d.user_id = u.id WHERE u.id = ?",
    );
    let row: Option<(Option<Fraction>, Option<DiscountType>)> = db.fetch_optional(sql.bind(user_id)).await?;
    Ok(row.map(|(fraction, kind)| UserDiscount {
        discount_fraction: fraction.unwrap_or(Fraction(0)),
        kind: kind.unwrap_or(DiscountType::Orders),
    }))
}

async fn write_discount(work: &mut UnitOfWork, user_id: UserId, discount: &UserDiscount) -> Result<()> {
    let (now, timestamp) = (work.now, work.timestamp());
    // `updated_at` changes, so that an update based on an older version of the user is rejected.
    let sql = Sql::new("UPDATE users SET updated_at = ? WHERE id = ?").bind(timestamp).bind(user_id);
    work.execute(sql).await?;
    let sql = Sql::new(
        "INSERT INTO user_discounts (user_id, discount_ppm, kind, updated_at) VALUES (?, ?, ?, ?)
         ON CONFLICT (user_id) DO UPDATE SET discount_ppm = excluded.discount_ppm, kind = excluded.kind, updated_at = excluded.updated_at",
    );
    work.execute(sql.bind(user_id).bind(discount.discount_fraction).bind(discount.kind.as_str()).bind(now))
        .await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_three_decimals_from_zero_to_one() {
        let is_accepted = |ppm| {
            validate(&UserDiscountInput {
                discount_fraction: Fraction(ppm),
                kind: DiscountType::All,
                updated_at: None,
            })
            .is_ok()
        };
        assert!(is_accepted(0) && is_accepted(125_000) && is_accepted(1_000_000));
        assert!(!is_accepted(-1_000) && !is_accepted(1_001_000) && !is_accepted(500));
    }
}
