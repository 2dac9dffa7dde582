//! Advances: amounts that a customer prepays for future orders. The amount is put on hold, a part is released for each order, and
//! the remainder is refunded if no further orders follow.
//!
//! An amount on hold belongs to the customer until an order is paid with it. A refund is credited to the balances that paid the
//! advance. The ledger rejects a second refund of the same cancellation.

use panel_contract::amount::{Money, Overflow};
use panel_contract::ids::{RecordId, UserId};
use panel_contract::payments::{BalanceType, PaymentType};
use panel_kernel::error::{Error, Result};

use panel_domain::refund::{self, BalanceShare, BilledOrder};
use panel_platform::db::{Sql, SqlExecutor, Val};
use panel_platform::ledger::{self, Account, Posting, PostingCause};
use panel_platform::work::UnitOfWork;

// Rules

/// A prepaid amount for a number of orders (units), and the number of orders that were already placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AdvancePlan {
    pub cost: Money,
    /// Amount that was already refunded.
    pub returned: Money,
    /// Total number of orders that the amount pays for, such as the runs of a drip-feed.
    pub units: i64,
    pub placed_units: i64,
    /// Number of decimals to which amounts are rounded.
    pub precision: u8,
}

impl AdvancePlan {
    /// Computes the amount to refund if no further units are placed: the share of the remaining units in the prepaid amount,
    /// rounded down.
    pub fn remainder(&self) -> Result<Money, Overflow> {
        let (cost, refunded) = (self.cost, self.returned);
        let bill = BilledOrder {
            cost,
            refunded,
            quantity: self.units,
            delivered: self.placed_units,
            precision: self.precision,
            is_paid: true,
        };
        bill.default_refund()
    }

    /// Computes the cost of the next unit. All units together cost exactly the prepaid amount.
    pub fn next_unit_cost(&self) -> Result<Money, Overflow> {
        let next_plan = Self { placed_units: self.placed_units + 1, ..*self };
        self.remainder()?.minus(next_plan.remainder()?)
    }
}

/// The record to which an advance belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AdvanceOwner {
    /// `drip_feed` or `subscription`.
    pub kind: &'static str,
    pub id: RecordId,
    pub user_id: UserId,
}

impl AdvanceOwner {
    fn posting(
        self,
        kind: &'static str,
        seq: i64,
        payment_type: PaymentType,
        legs: Vec<(Account, Money)>,
    ) -> Posting {
        Posting {
            cause: PostingCause { kind, ref_type: self.kind, ref_id: self.id, seq },
            kind: payment_type,
            order_id: None,
            payment_method_id: None,
            comment: Some(format!("Prepaid: {} {}", self.kind.replace('_', " "), self.id)),
            legs,
            spent_change: None,
            cap_at_balance: false,
        }
    }
}

/// Builds the ledger legs that move amounts from the balances of a user to the holds, or back to the balances if `to_hold` is
/// false.
fn hold_legs(user_id: UserId, amounts: &[(BalanceType, Money)], to_hold: bool) -> Vec<(Account, Money)> {
    let sign = if to_hold { 1 } else { -1 };
    amounts
        .iter()
        .flat_map(|(balance_type, amount)| {
            [
                (Account::User(user_id, *balance_type), Money(-sign * amount.0)),
                (Account::Hold(user_id, *balance_type), Money(sign * amount.0)),
            ]
        })
        .collect()
}

// Store

/// Puts the prepaid amounts of the balances on hold. Returns a 422 for the field `balance` if a balance is too low.
pub async fn hold(
    work: &mut UnitOfWork,
    owner: AdvanceOwner,
    amounts: &[(BalanceType, Money)],
) -> Result<()> {
    hold_for_period(work, owner, 0, amounts).await
}

/// Adds the prepaid amounts of period number `period` to the hold. The ledger rejects a second hold for the same period.
pub async fn hold_for_period(
    work: &mut UnitOfWork,
    owner: AdvanceOwner,
    period: i64,
    amounts: &[(BalanceType, Money)],
) -> Result<()> {
    if amounts.is_empty() {
        return Ok(());
    }
    let rows: Vec<Vec<Val>> =
        amounts.iter().map(|(kind, amount)| vec![kind.as_str().into(), (*amount).into()]).collect();
    let sql = Sql::new(
        "INSERT INTO advances (ref_type, ref_id, balance_type, amount) SELECT ?, ?, r.kind, r.amount FROM ",
    );
    let posting =
        owner.posting("advance", period, PaymentType::Order, hold_legs(owner.user_id, amounts, true));
    ledger::post(work, vec![posting]).await?;
    let sql = sql.bind(owner.kind).bind(owner.id).rows("r", &["kind", "amount"], rows);
    work.execute(sql.push(
        " WHERE TRUE ON CONFLICT (ref_type, ref_id, balance_type) DO UPDATE SET amount = advances.amount + excluded.amount",
    ))
    .await?;
    Ok(())
}

/// Moves the cost of unit number `unit_index` from the hold to the balances, so that its order can be charged.
pub async fn release_unit(
    work: &mut UnitOfWork,
    owner: AdvanceOwner,
    unit_index: i64,
    amount: Money,
) -> Result<Vec<(BalanceType, Money)>> {
    let release =
        Release { cause: "advance_used", column: "used", seq: unit_index, payment_type: PaymentType::Order };
    release_amount(work, owner, amount, release).await
}

/// Refunds the prepaid amount that no order will use.
pub async fn refund_remainder(work: &mut UnitOfWork, owner: AdvanceOwner, amount: Money) -> Result<()> {
    let release =
        Release { cause: "advance_returned", column: "returned", seq: 0, payment_type: PaymentType::Refund };
    release_amount(work, owner, amount, release).await?;
    Ok(())
}

/// How a release is recorded in the ledger and in the table `advances`.
struct Release {
    /// Cause of the ledger transaction.
    cause: &'static str,
    /// Column of `advances` that holds the sum of such releases.
    column: &'static str,
    /// Distinguishes the releases of one owner with the same cause.
    seq: i64,
    payment_type: PaymentType,
}

async fn release_amount(
    work: &mut UnitOfWork,
    owner: AdvanceOwner,
    amount: Money,
    Release { cause, column, seq, payment_type }: Release,
) -> Result<Vec<(BalanceType, Money)>> {
    if amount == Money::ZERO {
        return Ok(Vec::new());
    }
    let sql = Sql::new(
        "SELECT balance_type, amount, used + returned FROM advances WHERE ref_type = ? AND ref_id = ? ORDER BY balance_type",
    );
    let rows: Vec<(BalanceType, Money, Money)> = work.fetch_all(sql.bind(owner.kind).bind(owner.id)).await?;
    let shares: Vec<BalanceShare> =
        rows.into_iter().map(|(balance, paid, refunded)| BalanceShare { balance, paid, refunded }).collect();
    let amounts = refund::split_refund(amount, &shares);
    if Money::sum(amounts.iter().map(|(_, amount)| *amount))? != amount {
        let message =
            "The amount on hold is too low for this release, so nothing was changed. Run panelctl doctor.";
        return Err(Error::conflict("advance_unknown", message));
    }
    ledger::post(
        work,
        vec![owner.posting(cause, seq, payment_type, hold_legs(owner.user_id, &amounts, false))],
    )
    .await?;
    let rows = amounts.iter().map(|(kind, amount)| vec![kind.as_str().into(), (*amount).into()]).collect();
    let sql = Sql::new("UPDATE advances SET ")
        .push(column)
        .push(" = advances.")
        .push(column)
        .push(" + r.amount FROM ");
    let sql = sql
        .rows("r", &["kind", "amount"], rows)
        .push(" WHERE advances.ref_type = ? AND advances.ref_id = ? AND advances.balance_type = r.kind");
    work.execute(sql.bind(owner.kind).bind(owner.id)).await?;
    Ok(amounts)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_units_and_the_remainder_add_up_to_the_prepaid_amount(
            cost in 0_i64..1_000_000_000_000,
            units in 1_i64..500,
            placed_units in 0_i64..500,
            precision in 0_u8..=6,
        ) {
            let mut plan = AdvancePlan { cost: Money(cost), returned: Money::ZERO, units, placed_units: 0, precision };
            let mut charged_micros = 0;
            while plan.placed_units < placed_units.min(units) {
                let unit_cost = plan.next_unit_cost().unwrap();
                prop_assert!(unit_cost >= Money::ZERO);
                charged_micros += unit_cost.0;
                plan.placed_units += 1;
            }
            prop_assert_eq!(charged_micros + plan.remainder().unwrap().0, cost);
            plan.returned = plan.remainder().unwrap();
            prop_assert_eq!(plan.remainder().unwrap(), Money::ZERO);
        }
    }

    #[test]
    fn the_remainder_is_the_cost_of_the_remaining_units() {
        let plan = AdvancePlan {
            cost: Money(10_000_000),
            returned: Money::ZERO,
            units: 4,
            placed_units: 1,
            precision: 2,
        };
        assert_eq!(
            (plan.next_unit_cost().unwrap(), plan.remainder().unwrap()),
            (Money(2_500_000), Money(7_500_000))
        );
    }
}
