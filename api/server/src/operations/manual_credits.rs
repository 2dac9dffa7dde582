//! Daily limit of money that a staff member adds manually (a setting), and the confirmation that a large credit needs. Every
//! function by which staff credit more than a rule allows counts here, in the transaction of the credit. It moves no money.

use panel_contract::amount::{Money, Overflow};
use panel_contract::ids::UserId;
use panel_kernel::error::Result;
use panel_kernel::rejection::Rejection;

use crate::auth::confirmation;
use crate::operations::orders::bulk_action::BulkAction;
use crate::operations::orders::store::OrderTransition;
use panel_platform::db::{Source, Sql};
use panel_platform::settings;
use panel_platform::work::UnitOfWork;

/// Adds `amount` to the caller's credits of the day; 422 on `amount` if that exceeds the daily limit. Credits of the system are
/// not counted. Call it after the customer was locked and before anything else is written.
pub async fn count(work: &mut UnitOfWork, amount: Money) -> Result<()> {
    let Some(actor) = work.actor() else { return Ok(()) };
    if settings::credit_confirmation(work).await?.is_some_and(|above| amount > above) {
        confirmation::require_for(work.scope())?;
    }
    let day = work.now.day().0;
    let before = lock(work, actor, day).await?;
    judge(settings::manual_credit_limit(work).await?, before, amount)?;
    write(work, actor, day, before.plus(amount)?).await
}

/// Counts the part of a refund with a custom amount that exceeds the default refund of the orders.
pub async fn count_refunds(
    work: &mut UnitOfWork,
    bulk_action: &BulkAction,
    moves: &[OrderTransition],
) -> Result<()> {
    if bulk_action.cancel.as_ref().is_none_or(|cancel| cancel.amount.is_none()) {
        return Ok(());
    }
    let excess = |moved: &OrderTransition| -> Result<Money, Overflow> {
        let due = moved.facts.bill().default_refund()?;
        Ok(Money((moved.returned_total().0 - due.0).max(0)))
    };
    let all: Vec<Money> = moves.iter().map(excess).collect::<Result<_, _>>()?;
    match Money::sum(all)? {
        Money::ZERO => Ok(()),
        excess => count(work, excess).await,
    }
}

// Rules

/// Refuses `amount` if it exceeds the daily limit, of which `before` is used.
fn judge(limit: Option<Money>, before: Money, amount: Money) -> Result<(), Rejection> {
    let Some(limit) = limit else { return Ok(()) };
    let left = Money((limit.0 - before.0).max(0));
    if amount <= left {
        return Ok(());
    }
    let message = format!(
        "You may credit {left} more today of {limit} a day (manual_credit_daily_limit); credit less, ask a colleague, or continue after 00:00 UTC."
    );
    Err(Rejection::invalid("amount", "manual_credit_limit", message))
}

#[must_use]
pub fn has_reason(comment: Option<&str>) -> bool {
    comment.is_some_and(|comment| !comment.trim().is_empty())
}

// Store

/// The credits of the staff member on the day, locked until the transaction ends: a concurrent request waits here.
async fn lock(work: &mut UnitOfWork, actor: UserId, day: i64) -> Result<Money> {
    let sql = Sql::new(
        "INSERT INTO manual_credits AS t (user_id, day, amount) VALUES (?, ?, 0)
         ON CONFLICT (user_id, day) DO UPDATE SET amount = t.amount RETURNING amount",
    );
    Ok(work.one::<(Money,)>(sql.bind(actor).bind(day)).await?.0)
}

async fn write(work: &mut UnitOfWork, actor: UserId, day: i64, amount: Money) -> Result<()> {
    let sql = Sql::new("UPDATE manual_credits SET amount = ? WHERE user_id = ? AND day = ?");
    work.exec(sql.bind(amount).bind(actor).bind(day)).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_names_the_remaining_limit() {
        let of = |before, amount| judge(Some(Money(100_000_000)), Money(before), Money(amount));
        assert_eq!(of(0, 100_000_000), Ok(()));
        assert_eq!(of(99_999_999, 1), Ok(()));
        let refusal = of(79_500_000, 20_500_001).unwrap_err();
        assert_eq!(refusal.code, "manual_credit_limit");
        assert!(
            refusal.message.starts_with("You may credit 20.5 more today of 100 a day"),
            "{}",
            refusal.message
        );
        // A limit that was lowered since leaves zero, not a negative amount.
        assert!(of(150_000_000, 1).unwrap_err().message.starts_with("You may credit 0 more"));
        assert_eq!(judge(None, Money(i64::MAX), Money(1)), Ok(()));
    }
}
