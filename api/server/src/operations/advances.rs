//! Money paid ahead for orders to come: held, taken order by order, the rest given back when no more orders come.
//!
//! What is held stays the customer's: it becomes the panel's only with the order that it pays. Task and referral
//! money goes back where it came from. A cancel gives back once; the ledger itself refuses the second time.

use panel_contract::amount::{Money, Overflow};
use panel_contract::ids::{RecordId, UserId};
use panel_contract::payments::{BalanceType, PaymentType};
use panel_kernel::error::{Error, Result};

use panel_domain::refund::{self, Bill, Share};
use panel_platform::db::{Source, Sql, Val};
use panel_platform::ledger::{self, Account, Cause, Posting};
use panel_platform::work::Work;

// Rules

/// What was paid ahead for so many units, and how far they are placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// Paid ahead.
    pub cost: Money,
    /// Given back before.
    pub returned: Money,
    /// Runs or contents in all.
    pub units: i64,
    /// Placed.
    pub done: i64,
    /// Decimals of its charge.
    pub precision: u8,
}

impl Plan {
    /// What goes back when nothing more is placed: the undone units' share. Cumulative and rounded down, as refunds are.
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

    /// What the next unit costs: all of them together cost exactly what was paid.
    pub fn next(&self) -> Result<Money, Overflow> {
        let after = Self { done: self.done + 1, ..*self };
        self.rest()?.minus(after.rest()?)
    }
}

/// Whose advance it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Owner {
    /// `drip_feed` or `subscription`.
    pub kind: &'static str,
    /// Its id.
    pub id: RecordId,
    /// The customer who paid.
    pub user_id: UserId,
}

impl Owner {
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

/// Legs that move `parts` onto the holds, or back from them.
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

/// Holds what is paid ahead; too little balance is 422 on `balance`.
pub async fn hold(work: &mut Work, owner: Owner, parts: &[(BalanceType, Money)]) -> Result<()> {
    hold_more(work, owner, 0, parts).await
}

/// Holds what is paid ahead for the period numbered `seq`, beside what is held already.
pub async fn hold_more(
    work: &mut Work,
    owner: Owner,
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

/// Takes what the unit numbered `seq` costs back onto the balances, for its order to be charged.
pub async fn take(
    work: &mut Work,
    owner: Owner,
    seq: i64,
    amount: Money,
) -> Result<Vec<(BalanceType, Money)>> {
    release(work, owner, amount, ("advance_taken", "used", seq, PaymentType::Order)).await
}

/// Gives back what no order will need.
pub async fn give_back(work: &mut Work, owner: Owner, amount: Money) -> Result<()> {
    release(work, owner, amount, ("advance_returned", "returned", 0, PaymentType::Refund)).await?;
    Ok(())
}

async fn release(
    work: &mut Work,
    owner: Owner,
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
        let message = "What is held for it does not cover this; nothing was moved. Run panelctl doctor.";
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
        fn units_and_the_rest_are_what_was_paid(cost in 0_i64..1_000_000_000_000, units in 1_i64..500, stop in 0_i64..500, precision in 0_u8..=6) {
            let mut plan = Plan { cost: Money(cost), returned: Money::ZERO, units, done: 0, precision };
            let mut taken = 0;
            while plan.done < stop.min(units) {
                let next = plan.next().unwrap();
                prop_assert!(next >= Money::ZERO);
                taken += next.0;
                plan.done += 1;
            }
            prop_assert_eq!(taken + plan.rest().unwrap().0, cost);
            plan.returned = plan.rest().unwrap();
            prop_assert_eq!(plan.rest().unwrap(), Money::ZERO);
        }
    }

    #[test]
    fn undone_runs_go_back() {
        let plan = Plan { cost: Money(10_000_000), returned: Money::ZERO, units: 4, done: 1, precision: 2 };
        assert_eq!((plan.next().unwrap(), plan.rest().unwrap()), (Money(2_500_000), Money(7_500_000)));
    }
}
