//! The personal discount of a user: at most one; zero means none.

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
use panel_platform::db::{Source, Sql};
use panel_platform::work::UnitOfWork;

/// One thousandth, in parts per million: discounts have three decimals.
const THOUSANDTH: i64 = 1_000;

// Routes

pub fn routes(api: Api) -> Api {
    api.on::<GetUserDiscount, _, _, _>(get).on::<SetUserDiscount, _, _, _>(set)
}

async fn get(ctx: Ctx, req: Req<GetUserDiscount>) -> Result<Data<UserDiscount>> {
    Ok(Data { data: find(&mut ctx.db(), req.path).await?.ok_or_else(|| Error::not_found("user", req.path))? })
}

async fn set(ctx: Ctx, req: Req<SetUserDiscount>) -> Result<Data<UserDiscount>> {
    let discount = check(&req.body)?;
    let mut work = ctx.begin().await?;
    let user = change::lock_within_rank(&mut work, req.path).await?;
    Error::check_not_stale("user", req.body.updated_at, user.updated_at)?;
    let before = find(&mut work, user.id).await?;
    if before.as_ref() != Some(&discount) {
        write_discount(&mut work, user.id, &discount).await?;
        let change = AuditChange {
            id: user.id.record(),
            old: json!({ "discount": before }),
            new: json!({ "discount": discount }),
        };
        audit::record(&mut work, "user.discount_set", "user", change).await?;
    }
    work.finish(Data { data: discount }).await
}

// Rules

fn check(input: &UserDiscountInput) -> Result<UserDiscount, Rejection> {
    if !(0..=1_000_000).contains(&input.percent.0) || input.percent.0 % THOUSANDTH != 0 {
        return Err(Rejection::invalid(
            "percent",
            "percent_out_of_bounds",
            "Give a fraction from 0 to 1 with at most three decimals, such as 0.125 for 12.5 percent.",
        ));
    }
    Ok(UserDiscount { percent: input.percent, kind: input.kind })
}

// Store

/// The discount of a user, zero if there is none; `None` if the user does not exist.
pub async fn find(db: &mut impl Source, user: UserId) -> Result<Option<UserDiscount>> {
    let sql = Sql::new(
        "SELECT d.percent_ppm, d.kind FROM users u LEFT JOIN user_discounts d ON d.user_id = u.id WHERE u.id = ?",
    );
    let row: Option<(Option<Fraction>, Option<DiscountType>)> = db.opt(sql.bind(user)).await?;
    Ok(row.map(|(percent, kind)| UserDiscount {
        percent: percent.unwrap_or(Fraction(0)),
        kind: kind.unwrap_or(DiscountType::Orders),
    }))
}

async fn write_discount(work: &mut UnitOfWork, user: UserId, discount: &UserDiscount) -> Result<()> {
    let (now, stamp) = (work.now, work.stamp());
    // A new stamp, so that an editor with an older version of the user gets a conflict.
    let sql = Sql::new("UPDATE users SET updated_at = ? WHERE id = ?").bind(stamp).bind(user);
    work.exec(sql).await?;
    let sql = Sql::new(
        "INSERT INTO user_discounts (user_id, percent_ppm, kind, updated_at) VALUES (?, ?, ?, ?)
         ON CONFLICT (user_id) DO UPDATE SET percent_ppm = excluded.percent_ppm, kind = excluded.kind, updated_at = excluded.updated_at",
    );
    work.exec(sql.bind(user).bind(discount.percent).bind(discount.kind.as_str()).bind(now)).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_three_decimals_from_zero_to_one() {
        let of = |ppm| {
            check(&UserDiscountInput { percent: Fraction(ppm), kind: DiscountType::All, updated_at: None })
                .is_ok()
        };
        assert!(of(0) && of(125_000) && of(1_000_000));
        assert!(!of(-1_000) && !of(1_001_000) && !of(500));
    }
}
