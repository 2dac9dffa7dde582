//! Money that staff add by hand: what each of them credits on a day is counted, and capped by a setting; a large credit
//! asks for a confirmation. Every path by which staff credit more than a rule gives counts here, in the transaction of the
//! credit. It moves no money itself.

use panel_contract::amount::{Money, Overflow};
use panel_contract::ids::UserId;
use panel_kernel::error::Result;
use panel_kernel::rejection::Rejection;

use crate::auth::confirmation;
use crate::operations::orders::bulk_action::BulkAction;
use crate::operations::orders::store::Moved;
use panel_platform::db::{Source, Sql};
use panel_platform::settings;
use panel_platform::work::Work;

/// Counts `amount` for the caller and the day; 422 on `amount` where it exceeds what is left of the daily limit. What the
/// system credits is not counted. Called after the customer was locked and before anything else is written.
pub async fn count(work: &mut Work, amount: Money) -> Result<()> {
    let Some(actor) = work.actor() else { return Ok(()) };
    if settings::credit_confirmation(work).await?.is_some_and(|above| amount > above) {
        confirmation::require_for(work.scope())?;
    }
    let day = work.now.day().0;
    let before = lock(work, actor, day).await?;
    judge(settings::manual_credit_limit(work).await?, before, amount)?;
    write(work, actor, day, before.plus(amount)?).await
}

/// Counts what a cancel with a given amount returns above the refund that the orders are due.
pub async fn count_refunds(work: &mut Work, wanted: &BulkAction, moves: &[Moved]) -> Result<()> {
    if wanted.cancel.as_ref().is_none_or(|cancel| cancel.amount.is_none()) {
        return Ok(());
    }
    let beyond = |moved: &Moved| -> Result<Money, Overflow> {
        let due = moved.facts.bill().default_refund()?;
        Ok(Money((moved.returned_total().0 - due.0).max(0)))
    };
    let all: Vec<Money> = moves.iter().map(beyond).collect::<Result<_, _>>()?;
    match Money::sum(all)? {
        Money::ZERO => Ok(()),
        beyond => count(work, beyond).await,
    }
}

// Rules

/// Whether `amount` fits into a daily limit of which `before` is used.
fn judge(limit: Option<Money>, before: Money, amount: Money) -> Result<(), Rejection> {
    let Some(limit) = limit else { return Ok(()) };
    let left = Money((limit.0 - before.0).max(0));
    if amount <= left {
        return Ok(());
    }
    let message = format!(
        "You may credit {left} more today of {limit} a day (manual_credit_daily_limit); credit less, ask a colleague, or go on after 00:00 UTC."
    );
    Err(Rejection::invalid("amount", "manual_credit_limit", message))
}

/// Whether a comment says why.
#[must_use]
pub fn says_why(comment: Option<&str>) -> bool {
    comment.is_some_and(|comment| !comment.trim().is_empty())
}

// Store

/// What the staff member credited on the day, locked until the work ends: a concurrent request waits here.
async fn lock(work: &mut Work, actor: UserId, day: i64) -> Result<Money> {
    let sql = Sql::new(
        "INSERT INTO manual_credits AS t (user_id, day, amount) VALUES (?, ?, 0)
         ON CONFLICT (user_id, day) DO UPDATE SET amount = t.amount RETURNING amount",
    );
    Ok(work.one::<(Money,)>(sql.bind(actor).bind(day)).await?.0)
}

async fn write(work: &mut Work, actor: UserId, day: i64, amount: Money) -> Result<()> {
    let sql = Sql::new("UPDATE manual_credits SET amount = ? WHERE user_id = ? AND day = ?");
    work.exec(sql.bind(amount).bind(actor).bind(day)).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_refusal_says_what_is_left() {
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
        // A limit that was lowered since leaves nothing, not less.
        assert!(of(150_000_000, 1).unwrap_err().message.starts_with("You may credit 0 more"));
        assert_eq!(judge(None, Money(i64::MAX), Money(1)), Ok(()));
    }
}
