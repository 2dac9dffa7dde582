//! Limits the money that a staff member credits manually per day (a setting), and requires a confirmation for a large credit.
//! Every function by which staff credit more than a rule allows calls this module in the transaction of the credit. This module
//! books no payment.

use panel_contract::amount::{Money, Overflow};
use panel_contract::ids::UserId;
use panel_kernel::error::Result;
use panel_kernel::rejection::Rejection;

use crate::auth::confirmation;
use crate::operations::orders::bulk_action::BulkAction;
use crate::operations::orders::store::OrderTransition;
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::settings;
use panel_platform::work::UnitOfWork;

/// Adds `amount` to the caller's credits of the day; 422 on `amount` if that exceeds the daily limit. Credits of the system are
/// not counted. Call it after the customer was locked and before any other write of the transaction.
pub async fn count_credit(work: &mut UnitOfWork, amount: Money) -> Result<()> {
    let Some(actor) = work.actor() else { return Ok(()) };
    if settings::read_credit_confirmation_threshold(work).await?.is_some_and(|threshold| amount > threshold) {
        confirmation::require_unless_dry_run(work.scope())?;
    }
    let day = work.now.day().0;
    let credited_today = lock_credits_of_day(work, actor, day).await?;
    check_limit(settings::read_manual_credit_limit(work).await?, credited_today, amount)?;
    write_credits_of_day(work, actor, day, credited_today.plus(amount)?).await
}

/// Counts the part of a refund with a custom amount that exceeds the default refund of the orders.
pub async fn count_refunds(
    work: &mut UnitOfWork,
    bulk_action: &BulkAction,
    transitions: &[OrderTransition],
) -> Result<()> {
    if bulk_action.cancel.as_ref().is_none_or(|cancel| cancel.amount.is_none()) {
        return Ok(());
    }
    let excess = |transition: &OrderTransition| -> Result<Money, Overflow> {
        let default_refund = transition.order.bill().default_refund()?;
        Ok(Money((transition.refund_total().0 - default_refund.0).max(0)))
    };
    let excesses: Vec<Money> = transitions.iter().map(excess).collect::<Result<_, _>>()?;
    match Money::sum(excesses)? {
        Money::ZERO => Ok(()),
        excess => count_credit(work, excess).await,
    }
}

// Rules

/// Rejects `amount` if it exceeds what remains of the daily limit after `credited_today`.
fn check_limit(limit: Option<Money>, credited_today: Money, amount: Money) -> Result<(), Rejection> {
    let Some(limit) = limit else { return Ok(()) };
    let remaining = Money((limit.0 - credited_today.0).max(0));
    if amount <= remaining {
        return Ok(());
    }
    let message = format!(
        "You may credit {remaining} more today of {limit} a day (manual_credit_daily_limit). Credit less, ask a colleague, or continue after 00:00 UTC."
    );
    Err(Rejection::invalid("amount", "manual_credit_limit", message))
}

#[must_use]
pub fn has_reason(comment: Option<&str>) -> bool {
    comment.is_some_and(|comment| !comment.trim().is_empty())
}

// Store

/// The credits of the staff member on the day, locked until the transaction ends: a concurrent request of the same staff member
/// waits for the lock.
async fn lock_credits_of_day(work: &mut UnitOfWork, actor: UserId, day: i64) -> Result<Money> {
    let sql = Sql::new(
        "INSERT INTO manual_credits AS t (user_id, day, amount) VALUES (?, ?, 0)
         ON CONFLICT (user_id, day) DO UPDATE SET amount = t.amount RETURNING amount",
    );
    Ok(work.fetch_one::<(Money,)>(sql.bind(actor).bind(day)).await?.0)
}

async fn write_credits_of_day(work: &mut UnitOfWork, actor: UserId, day: i64, amount: Money) -> Result<()> {
    let sql = Sql::new("UPDATE manual_credits SET amount = ? WHERE user_id = ? AND day = ?");
    work.execute(sql.bind(amount).bind(actor).bind(day)).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_names_the_remaining_limit() {
        let check = |credited_today, amount| {
            check_limit(Some(Money(100_000_000)), Money(credited_today), Money(amount))
        };
        assert_eq!(check(0, 100_000_000), Ok(()));
        assert_eq!(check(99_999_999, 1), Ok(()));
        let rejection = check(79_500_000, 20_500_001).unwrap_err();
        assert_eq!(rejection.code, "manual_credit_limit");
        assert!(
            rejection.message.starts_with("You may credit 20.5 more today of 100 a day"),
            "{}",
            rejection.message
        );
        // A limit that was lowered since leaves zero, not a negative amount.
        assert!(check(150_000_000, 1).unwrap_err().message.starts_with("You may credit 0 more"));
        assert_eq!(check_limit(None, Money(i64::MAX), Money(1)), Ok(()));
    }
}
