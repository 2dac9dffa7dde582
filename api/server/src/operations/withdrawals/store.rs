//! Withdrawals in the database: the only writes of the table. Each transition leaves the states that the table of
//! `panel_domain::states::withdrawals` lets its event leave. No money moves here.

use panel_contract::amount::Money;
use panel_contract::ids::{PaymentMethodId, UserId, WithdrawalId};
use panel_contract::payments::BalanceType;
use panel_contract::withdrawals::WithdrawalStatus;
use panel_domain::states::withdrawals::{WithdrawalEvent, Withdrawals};
use panel_platform::db::state::{StoredStates, Transition, transition};
use panel_platform::db::{DbResult, Source as _, Sql};
use panel_platform::sql;
use panel_platform::word_conditions;
use panel_platform::work::UnitOfWork;

/// How the states of a withdrawal are stored.
pub const STATES: StoredStates<Withdrawals> = StoredStates {
    table: "withdrawals",
    conditions: word_conditions!(
        "withdrawals.status",
        WithdrawalStatus::Pending => "pending",
        WithdrawalStatus::Approved => "approved",
        WithdrawalStatus::Paid => "paid",
        WithdrawalStatus::Rejected => "rejected",
    ),
};

/// Inserts a pending withdrawal and returns its id.
pub(super) async fn insert(
    work: &mut UnitOfWork,
    (user_id, payment_method_id): (UserId, PaymentMethodId),
    account_number: &str,
    (balance_type, amount): (BalanceType, Money),
    user_comment: Option<&str>,
) -> DbResult<WithdrawalId> {
    let (now, stamp) = (work.now, work.stamp());
    let sql = sql!(
        "INSERT INTO withdrawals (user_id, payment_method_id, account_number, balance_type, amount, user_comment, created_at, \
           updated_at)
         VALUES (@user_id, @payment_method_id, @account_number, @balance_type, @amount, @user_comment, @now, @stamp) \
           RETURNING id",
        {
            user_id,
            payment_method_id,
            account_number,
            balance_type: balance_type.as_str(),
            amount,
            user_comment,
            now,
            stamp,
        },
    );
    let (id,): (WithdrawalId,) = work.one(sql).await?;
    Ok(id)
}

pub async fn approve(work: &mut UnitOfWork, id: WithdrawalId) -> DbResult<Transition> {
    let sql = Sql::new(
        "UPDATE withdrawals SET status = 'approved', updated_at = ?, approved_at = ?, approved_by = ? WHERE id = ?",
    );
    let sql = sql.bind(work.stamp()).bind(work.now).bind(work.actor()).bind(id);
    transition(work, sql.append(STATES.leaving(WithdrawalEvent::Approve))).await
}

/// `note` is for the customer.
pub async fn reject(work: &mut UnitOfWork, id: WithdrawalId, note: &str) -> DbResult<Transition> {
    let sql = Sql::new(
        "UPDATE withdrawals SET status = 'rejected', updated_at = ?, rejected_at = ?, admin_note = ? WHERE id = ?",
    );
    let sql = sql.bind(work.stamp()).bind(work.now).bind(note).bind(id);
    transition(work, sql.append(STATES.leaving(WithdrawalEvent::Reject))).await
}

/// A transfer pays one withdrawal: the same `transaction_id` again is a unique violation.
pub async fn mark_paid(
    work: &mut UnitOfWork,
    id: WithdrawalId,
    transaction_id: &str,
) -> DbResult<Transition> {
    let sql = Sql::new(
        "UPDATE withdrawals SET status = 'paid', updated_at = ?, paid_at = ?, transaction_id = ? WHERE id = ?",
    );
    let sql = sql.bind(work.stamp()).bind(work.now).bind(transaction_id).bind(id);
    transition(work, sql.append(STATES.leaving(WithdrawalEvent::Pay))).await
}
