//! Writes the table `invoices`; no other module writes it. Each update changes only rows in a state in which
//! `panel_domain::states::invoices` allows the event. Books no payment.

use panel_contract::amount::Money;
use panel_contract::ids::{CouponId, InvoiceId, PaymentMethodId, UserId};
use panel_contract::invoices::InvoiceStatus;
use panel_domain::states::invoices::{InvoiceEvent, Invoices};
use panel_platform::db::state::{StoredStates, Transition, transition};
use panel_platform::db::{DbResult, SqlExecutor as _};
use panel_platform::sql;
use panel_platform::status_conditions;
use panel_platform::work::UnitOfWork;

/// SQL conditions of the states of an invoice.
pub const STATES: StoredStates<Invoices> = StoredStates {
    table: "invoices",
    conditions: status_conditions!(
        "invoices.status",
        InvoiceStatus::Pending => "pending",
        InvoiceStatus::Paid => "paid",
        InvoiceStatus::Canceled => "canceled",
    ),
};

/// Inserts a pending invoice of this customer with this payment method, and returns its id.
pub(super) async fn insert(
    work: &mut UnitOfWork,
    (user_id, payment_method_id): (UserId, PaymentMethodId),
    short_name: &str,
    amount: Money,
    coupon_id: Option<CouponId>,
) -> DbResult<InvoiceId> {
    let (now, timestamp) = (work.now, work.timestamp());
    let sql = sql!(
        "INSERT INTO invoices (user_id, payment_method_id, short_name, amount, coupon_id, created_at, updated_at) \
           VALUES (@user_id, @payment_method_id, @short_name, @amount, @coupon_id, @now, @timestamp) RETURNING id",
        { user_id, payment_method_id, short_name, amount, coupon_id, now, timestamp },
    );
    let (id,): (InvoiceId,) = work.fetch_one(sql).await?;
    Ok(id)
}

/// Marks an invoice as paid, with the received amount and the bonus on top of it.
pub(super) async fn mark_paid(
    work: &mut UnitOfWork,
    id: InvoiceId,
    amount: Money,
    bonus: Money,
) -> DbResult<Transition> {
    let sql = sql!(
        "UPDATE invoices SET status = 'paid', paid_at = @paid_at, paid_amount = @paid_amount, bonus_amount = @bonus_amount, \
           updated_at = @updated_at WHERE id = @id",
        { paid_at: work.now, paid_amount: amount, bonus_amount: bonus, updated_at: work.timestamp(), id },
    );
    transition(work, sql.append(STATES.condition_for(InvoiceEvent::Pay))).await
}
