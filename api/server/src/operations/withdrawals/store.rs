//! Writes the table `withdrawals`; no other module writes it. Each update changes only rows in a state in which
//! `panel_domain::states::withdrawals` allows the event. Books no payment.

use panel_contract::amount::Money;
use panel_contract::ids::{PaymentMethodId, UserId, WithdrawalId};
use panel_contract::payments::BalanceType;
use panel_contract::withdrawals::WithdrawalStatus;
use panel_domain::states::withdrawals::{WithdrawalEvent, Withdrawals};
use panel_platform::db::state::{StoredStates, Transition, transition};
use panel_platform::db::{DbResult, Sql, SqlExecutor as _};
use panel_platform::sql;
use panel_platform::status_conditions;
use panel_platform::work::UnitOfWork;

/// SQL conditions of the states of a withdrawal.
pub const STATES: StoredStates<Withdrawals> = StoredStates {
    table: "withdrawals",
    conditions: status_conditions!(
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
    let (now, timestamp) = (work.now, work.timestamp());
    let sql = sql!(
        "INSERT INTO withdrawals (user_id, payment_method_id, account_number, balance_type, amount, user_comment, created_at, \
           updated_at)
         VALUES (@user_id, @payment_method_id, @account_number, @balance_type, @amount, @user_comment, @now, @timestamp) \
           RETURNING id",
        {
            user_id,
            payment_method_id,
            account_number,
            balance_type: balance_type.as_str(),
            amount,
            user_comment,
            now,
            timestamp,
        },
    );
    let (id,): (WithdrawalId,) = work.fetch_one(sql).await?;
    Ok(id)
}

pub async fn approve(work: &mut UnitOfWork, id: WithdrawalId) -> DbResult<Transition> {
    let sql = Sql::new(
        "UPDATE withdrawals SET status = 'approved', updated_at = ?, approved_at = ?, approved_by = ? WHERE id = ?",
    );
    let sql = sql.bind(work.timestamp()).bind(work.now).bind(work.actor()).bind(id);
    transition(work, sql.append(STATES.condition_for(WithdrawalEvent::Approve))).await
}

/// Stores the rejection. The customer can read `note`.
pub async fn reject(work: &mut UnitOfWork, id: WithdrawalId, note: &str) -> DbResult<Transition> {
    let sql = Sql::new(
        "UPDATE withdrawals SET status = 'rejected', updated_at = ?, rejected_at = ?, admin_note = ? WHERE id = ?",
    );
    let sql = sql.bind(work.timestamp()).bind(work.now).bind(note).bind(id);
    transition(work, sql.append(STATES.condition_for(WithdrawalEvent::Reject))).await
}

/// Stores the payout. A bank transfer pays one withdrawal only: a second use of `transaction_id` is a unique violation.
pub async fn mark_paid(
    work: &mut UnitOfWork,
    id: WithdrawalId,
    transaction_id: &str,
) -> DbResult<Transition> {
    let sql = Sql::new(
        "UPDATE withdrawals SET status = 'paid', updated_at = ?, paid_at = ?, transaction_id = ? WHERE id = ?",
    );
    let sql = sql.bind(work.timestamp()).bind(work.now).bind(transaction_id).bind(id);
    transition(work, sql.append(STATES.condition_for(WithdrawalEvent::Pay))).await
}
