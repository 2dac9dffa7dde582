//! Prepaid money for future orders: put on hold, released order by order, and the remainder returned when no more orders follow.
//!
//! Held money belongs to the customer until it pays an order. Task and referral money returns to the balance that paid it. A
//! cancellation returns money once; the ledger refuses a second time.

use panel_contract::amount::{Money, Overflow};
use panel_contract::ids::{RecordId, UserId};
use panel_contract::payments::{BalanceType, PaymentType};
use panel_kernel::error::{Error, Result};

use panel_domain::refund::{self, Bill, Share};
use panel_platform::db::{Source, Sql, Val};
use panel_platform::ledger::{self, Account, Cause, Posting};
use panel_platform::work::UnitOfWork;

// Rules

/// A prepaid amount for a number of units, and the number of units that were placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AdvancePlan {
    pub cost: Money,
    /// Amount that was returned before.
    pub returned: Money,
    /// Total number of runs or contents.
    pub units: i64,
    pub done: i64,
    /// Decimals that amounts are rounded to.
    pub precision: u8,
}

impl AdvancePlan {
    /// The amount to return if no more units are placed: the share of the remaining units, cumulative and rounded down like
    /// refunds.
    pub fn rest(&self) -> Result<Money, Overflow> {
        let (cost, refunded) = (self.cost, self.returned);
        let bill = Bill {
            cost,
            refunded,
            quantity: self.units,
            delivered: self.done,
            precision: self.precision,
            is_paid: true,
        };
        bill.default_refund()
    }

    /// The cost of the next unit. All units together cost exactly the prepaid amount.
    pub fn next(&self) -> Result<Money, Overflow> {
        let after = Self { done: self.done + 1, ..*self };
        self.rest()?.minus(after.rest()?)
    }
}

/// The record that an advance belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AdvanceOwner {
    /// `drip_feed` or `subscription`.
    pub kind: &'static str,
    pub id: RecordId,
    pub user_id: UserId,
}

impl AdvanceOwner {
    fn posting(self, kind: &'static str, seq: i64, of: PaymentType, legs: Vec<(Account, Money)>) -> Posting {
        Posting {
            cause: Cause { kind, ref_type: self.kind, ref_id: self.id, seq },
            kind: of,
            order_id: None,
            payment_method_id: None,
            comment: Some(format!("Paid ahead: {} {}", self.kind.replace('_', " "), self.id)),
            legs,
            spent: None,
            at_most: false,
        }
    }
}

/// Legs that move `parts` to the holds, or back.
fn legs(user: UserId, parts: &[(BalanceType, Money)], onto: bool) -> Vec<(Account, Money)> {
    let sign = if onto { 1 } else { -1 };
    parts
        .iter()
        .flat_map(|(kind, amount)| {
            [
                (Account::User(user, *kind), Money(-sign * amount.0)),
                (Account::Hold(user, *kind), Money(sign * amount.0)),
            ]
        })
        .collect()
}

// Store

/// Puts the prepaid parts on hold; a balance that is too low is 422 on `balance`.
pub async fn hold(work: &mut UnitOfWork, owner: AdvanceOwner, parts: &[(BalanceType, Money)]) -> Result<()> {
    hold_more(work, owner, 0, parts).await
}

/// Adds the prepaid parts of the period number `seq` to the hold.
pub async fn hold_more(
    work: &mut UnitOfWork,
    owner: AdvanceOwner,
    seq: i64,
    parts: &[(BalanceType, Money)],
) -> Result<()> {
    if parts.is_empty() {
        return Ok(());
    }
    let rows: Vec<Vec<Val>> =
        parts.iter().map(|(kind, amount)| vec![kind.as_str().into(), (*amount).into()]).collect();
    let sql = Sql::new(
        "INSERT INTO advances (ref_type, ref_id, balance_type, amount) SELECT ?, ?, r.kind, r.amount FROM ",
    );
    let posting = owner.posting("advance", seq, PaymentType::Order, legs(owner.user_id, parts, true));
    ledger::post(work, vec![posting]).await?;
    let sql = sql.bind(owner.kind).bind(owner.id).rows("r", &["kind", "amount"], rows);
    work.exec(sql.push(
        " WHERE TRUE ON CONFLICT (ref_type, ref_id, balance_type) DO UPDATE SET amount = advances.amount + excluded.amount",
    ))
    .await?;
    Ok(())
}

/// Releases the cost of the unit number `seq` to the balances, so that its order can be charged.
pub async fn release_unit(
    work: &mut UnitOfWork,
    owner: AdvanceOwner,
    seq: i64,
    amount: Money,
) -> Result<Vec<(BalanceType, Money)>> {
    release(work, owner, amount, ("advance_taken", "used", seq, PaymentType::Order)).await
}

/// Returns money that no order will need.
pub async fn return_rest(work: &mut UnitOfWork, owner: AdvanceOwner, amount: Money) -> Result<()> {
    release(work, owner, amount, ("advance_returned", "returned", 0, PaymentType::Refund)).await?;
    Ok(())
}

async fn release(
    work: &mut UnitOfWork,
    owner: AdvanceOwner,
    amount: Money,
    (kind, column, seq, of): (&'static str, &'static str, i64, PaymentType),
) -> Result<Vec<(BalanceType, Money)>> {
    if amount == Money::ZERO {
        return Ok(Vec::new());
    }
    let sql = Sql::new(
        "SELECT balance_type, amount, used + returned FROM advances WHERE ref_type = ? AND ref_id = ? ORDER BY balance_type",
    );
    let rows: Vec<(BalanceType, Money, Money)> = work.all(sql.bind(owner.kind).bind(owner.id)).await?;
    let shares: Vec<Share> =
        rows.into_iter().map(|(balance, paid, refunded)| Share { balance, paid, refunded }).collect();
    let parts = refund::split(amount, &shares);
    if Money::sum(parts.iter().map(|part| part.1))? != amount {
        let message = "The held money does not cover this amount. No money was moved. Run panelctl doctor.";
        return Err(Error::conflict("advance_unknown", message));
    }
    ledger::post(work, vec![owner.posting(kind, seq, of, legs(owner.user_id, &parts, false))]).await?;
    let rows = parts.iter().map(|(kind, amount)| vec![kind.as_str().into(), (*amount).into()]).collect();
    let sql = Sql::new("UPDATE advances SET ")
        .push(column)
        .push(" = advances.")
        .push(column)
        .push(" + r.amount FROM ");
    let sql = sql
        .rows("r", &["kind", "amount"], rows)
        .push(" WHERE advances.ref_type = ? AND advances.ref_id = ? AND advances.balance_type = r.kind");
    work.exec(sql.bind(owner.kind).bind(owner.id)).await?;
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
            #[test]
            fn units_and_the_remainder_equal_the_prepaid_amount(cost in 0_i64..1_000_000_000_000, units in 1_i64..500, stop in 0_i64..500, precision in 0_u8..=6) {
                let mut plan = AdvancePlan { cost: Money(cost), returned: Money::ZERO, units, done: 0, precision };
    let mut charged = 0;
                while plan.done < stop.min(units) {
                    let next = plan.next().unwrap();
                    prop_assert!(next >= Money::ZERO);
    charged += next.0;
                    plan.done += 1;
                }
                prop_assert_eq!(charged + plan.rest().unwrap().0, cost);
                plan.returned = plan.rest().unwrap();
                prop_assert_eq!(plan.rest().unwrap(), Money::ZERO);
            }
        }

    #[test]
    fn the_share_of_remaining_runs_is_returned() {
        let plan =
            AdvancePlan { cost: Money(10_000_000), returned: Money::ZERO, units: 4, done: 1, precision: 2 };
        assert_eq!((plan.next().unwrap(), plan.rest().unwrap()), (Money(2_500_000), Money(7_500_000)));
    }
}
