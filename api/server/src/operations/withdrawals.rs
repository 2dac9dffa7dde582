//! Withdrawals: the list, approving, rejecting and marking as paid (rules in `panel_domain::withdrawals`), and the request of a
//! customer (`request`).
//!
//! The request puts the amount on hold. A rejection returns the amount to the balance, and a payout moves it out of the panel. The
//! ledger posts each of them at most once.

pub mod request;
pub mod store;

use panel_contract::amount::Money;
use panel_contract::common::{Data, NamedRef};
use panel_contract::endpoints::withdrawals::{
    ApproveWithdrawal, ListWithdrawals, MarkWithdrawalPaid, RejectWithdrawal,
};
use panel_contract::ids::{PaymentMethodId, UserId, WithdrawalId};
use panel_contract::moment::{Time, Timestamp};
use panel_contract::payments::{BalanceType, PaymentType, UserSummary};
use panel_contract::permission::Permission;
use panel_contract::webhooks::EventType;
use panel_contract::withdrawals::{Withdrawal, WithdrawalStatus};
use panel_domain::withdrawals::{self, FourEyesCheck, WithdrawalStep, status_after};
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::Rejection;
use serde_json::json;

use crate::configuration::webhooks::outbox::{self, WebhookEvent};
use crate::context::Ctx;
use crate::emails::{self, Recipient, WithdrawalDecision};
use crate::http::Req;
use crate::http::api::Api;
use crate::records::search_texts;
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::jobs;
use panel_platform::jobs::job::Job;
use panel_platform::ledger::{self, Account, Posting, PostingCause};
use panel_platform::mail::Email;
use panel_platform::scope::Scope;
use panel_platform::settings;
use panel_platform::table::{CountGroup, Join, RowSource, SearchTarget, Table, TextIndex, base_column, expr};
use panel_platform::work::UnitOfWork;

// Routes

pub fn routes(api: Api) -> Api {
    api.list_route::<ListWithdrawals, _, _>(&WITHDRAWALS, WithdrawalRow::into_response)
        .route::<ApproveWithdrawal, _, _, _>(async |ctx, req: Req<ApproveWithdrawal>| {
            apply_step(ctx, req.path, WithdrawalStep::Approve).await
        })
        .route::<RejectWithdrawal, _, _, _>(async |ctx, req: Req<RejectWithdrawal>| {
            let note = require_text("admin_note", &req.body.admin_note, 1_000, true)?;
            apply_step(ctx, req.path, WithdrawalStep::Reject(note)).await
        })
        .route::<MarkWithdrawalPaid, _, _, _>(async |ctx, req: Req<MarkWithdrawalPaid>| {
            let transaction_id = require_text("transaction_id", &req.body.transaction_id, 200, false)?;
            apply_step(ctx, req.path, WithdrawalStep::Pay(transaction_id)).await
        })
}

static TEXT_INDEX: TextIndex = TextIndex::trigrams("withdrawals", &["account_number", "transaction_id"]);

pub static WITHDRAWALS: Table = Table::new(
    &panel_contract::lists::withdrawals::WITHDRAWALS,
    RowSource {
        base: "withdrawals",
        alias: "w",
        key: "w.id",
        joins: &[
            Join { alias: "m", sql: "JOIN payment_methods m ON m.id = w.payment_method_id" },
            Join { alias: "u", sql: "JOIN users u ON u.id = w.user_id" },
            Join { alias: "a", sql: "LEFT JOIN users a ON a.id = w.approved_by" },
        ],
        select: SELECT,
        ..RowSource::NONE
    },
    &[
        base_column("account_number").text_index("w.id", &TEXT_INDEX, "account_number"),
        expr("withdrawal_method", "m.name").join("m").text_index(
            "w.payment_method_id",
            &search_texts::PAYMENT_METHODS,
            "",
        ),
        expr("withdrawal_method.id", "w.payment_method_id"),
        expr("withdrawal_method.name", "m.name").join("m"),
        base_column("transaction_id").text_index("w.id", &TEXT_INDEX, "transaction_id"),
        base_column("status").count_group(CountGroup::FilterValue),
        expr("user", "u.name").join("u").text_index("w.user_id", &search_texts::USERS, ""),
        expr("user.id", "w.user_id"),
        expr("user.name", "u.name").join("u").text_index("w.user_id", &search_texts::USERS, "name"),
        expr("user.email", "u.email").join("u").text_index("w.user_id", &search_texts::USERS, "email"),
    ],
)
.global_search(&[
    SearchTarget::new("w.id", &TEXT_INDEX, "account_number")
        .own_columns(&["w.account_number", "w.transaction_id"]),
    SearchTarget::new("w.user_id", &search_texts::USERS, "user"),
    SearchTarget::new("w.payment_method_id", &search_texts::PAYMENT_METHODS, "withdrawal_method"),
])
.count_from("withdrawals", "");

async fn apply_step(ctx: Ctx, id: WithdrawalId, step: WithdrawalStep) -> Result<Data<Withdrawal>> {
    let mut work = ctx.begin().await?;
    let withdrawal = lock_row(&mut work, id).await?;
    let new_status = status_after(&step, withdrawal.status)?;
    if matches!(step, WithdrawalStep::Pay(_)) {
        withdrawals::check_four_eyes(&withdrawal.four_eyes_check(), work.actor())?;
    }
    store_step(&mut work, &withdrawal, &step, new_status).await?;
    let data = load_row(&mut work, id).await?.into_response(&ctx);
    work.finish(Data { data }).await
}

/// Publishes a webhook event, in the transaction of the change.
async fn publish_event(
    work: &mut UnitOfWork,
    id: WithdrawalId,
    kind: EventType,
    previous: Option<WithdrawalStatus>,
) -> Result<()> {
    if !outbox::load_subscriptions(work).await?.include_any(&[kind]) {
        return Ok(());
    }
    let ctx = Scope::system(&work.scope().platform, "webhooks");
    // The payload has all fields, because the owner of the webhook chose the event.
    let row = load_row(work, id).await?.into_response_with(&ctx, true);
    let previous = previous.map(WithdrawalStatus::as_str);
    outbox::publish(work, vec![WebhookEvent::for_record(kind, &row, previous)]).await
}

// Rules

/// The trimmed text; an error if it is empty, too long or has control characters other than allowed line breaks.
fn require_text(
    field: &'static str,
    text: &str,
    max_chars: usize,
    allows_line_breaks: bool,
) -> Result<String, Rejection> {
    let text = text.trim();
    let is_forbidden = |character: char| character.is_control() && !(allows_line_breaks && character == '\n');
    let message = if text.is_empty() {
        format!("The {field} field is required.")
    } else if text.chars().count() > max_chars || text.chars().any(is_forbidden) {
        format!("Enter at most {max_chars} characters, without control characters.")
    } else {
        return Ok(text.to_owned());
    };
    Err(Rejection::invalid(field, "invalid", message))
}

fn build_decision_email(withdrawal: &WithdrawalRow, step: &WithdrawalStep) -> Email {
    let decision = match step {
        WithdrawalStep::Approve => WithdrawalDecision::Approved,
        WithdrawalStep::Reject(note) => WithdrawalDecision::Rejected { note },
        WithdrawalStep::Pay(transaction_id) => WithdrawalDecision::Paid { transaction: transaction_id },
    };
    let recipient = Recipient { name: withdrawal.user_name.clone(), email: withdrawal.user_email.clone() };
    emails::withdrawal_decided(
        recipient,
        withdrawal.id,
        (withdrawal.amount, &withdrawal.method_name),
        decision,
    )
}

// Store

async fn store_step(
    work: &mut UnitOfWork,
    withdrawal: &WithdrawalRow,
    step: &WithdrawalStep,
    new_status: WithdrawalStatus,
) -> Result<()> {
    if let WithdrawalStep::Pay(transaction_id) = step {
        check_transaction_unused(work, withdrawal, transaction_id).await?;
    }
    let now = work.now;
    let transition = match step {
        WithdrawalStep::Approve => store::approve(work, withdrawal.id).await?,
        WithdrawalStep::Reject(note) => store::reject(work, withdrawal.id, note).await?,
        // A concurrent request may have used the same transaction id.
        WithdrawalStep::Pay(transaction_id) => {
            store::mark_paid(work, withdrawal.id, transaction_id).await.map_err(|error| {
                if error.is_unique() {
                    build_transaction_used_error(transaction_id, None)
                } else {
                    error.into()
                }
            })?
        }
    };
    let message = "Another request changed the withdrawal. Reload it and try again.";
    transition.or_conflict("withdrawal_changed_meanwhile", message)?;
    ledger::post(work, build_postings(withdrawal, step)).await?;
    let mut new_values = json!({ "status": new_status });
    match step {
        WithdrawalStep::Approve => {}
        WithdrawalStep::Reject(note) => {
            new_values["admin_note"] = json!(note);
            new_values["refunded"] = json!(withdrawal.amount);
        }
        WithdrawalStep::Pay(transaction_id) => new_values["transaction_id"] = json!(transaction_id),
    }
    let change = AuditChange {
        id: withdrawal.id.as_record_id(),
        old: json!({ "status": withdrawal.status }),
        new: new_values,
    };
    audit::record(work, &format!("withdrawal.{new_status}"), "withdrawal", change).await?;
    publish_event(work, withdrawal.id, EventType::WithdrawalStatusChanged, Some(withdrawal.status)).await?;
    if withdrawal.notify_payments {
        jobs::enqueue(work, &[Job::Mail(build_decision_email(withdrawal, step))], now).await?;
    }
    Ok(())
}

/// The postings of a step. An approval moves no money. A rejection moves the amount on hold back to the balance, and a payout
/// moves it out of the panel.
fn build_postings(withdrawal: &WithdrawalRow, step: &WithdrawalStep) -> Vec<Posting> {
    let (kind, receiving_account) = match step {
        WithdrawalStep::Approve => return Vec::new(),
        WithdrawalStep::Reject(_) => {
            ("withdrawal_release", Account::User(withdrawal.user_id, withdrawal.balance_type))
        }
        WithdrawalStep::Pay(_) => ("withdrawal_payout", Account::Payouts),
    };
    let hold_account = Account::Hold(withdrawal.user_id, withdrawal.balance_type);
    vec![build_posting(
        kind,
        withdrawal.id,
        withdrawal.method_id,
        vec![(hold_account, Money(-withdrawal.amount.0)), (receiving_account, withdrawal.amount)],
    )]
}

fn build_posting(
    kind: &'static str,
    id: WithdrawalId,
    method_id: PaymentMethodId,
    legs: Vec<(Account, Money)>,
) -> Posting {
    Posting {
        cause: PostingCause { kind, ref_type: "withdrawal", ref_id: id.as_record_id(), seq: 0 },
        kind: PaymentType::Withdrawal,
        order_id: None,
        payment_method_id: Some(method_id),
        comment: Some(format!("Withdrawal {id}")),
        legs,
        spent_change: None,
        cap_at_balance: false,
    }
}

/// Rejects a transaction id with which another withdrawal was paid.
async fn check_transaction_unused(
    work: &mut UnitOfWork,
    withdrawal: &WithdrawalRow,
    transaction_id: &str,
) -> Result<()> {
    let sql = Sql::new("SELECT id FROM withdrawals WHERE payment_method_id = ? AND transaction_id = ?")
        .bind(withdrawal.method_id)
        .bind(transaction_id.to_owned());
    match work.fetch_optional::<(WithdrawalId,)>(sql).await? {
        Some((paid_id,)) if paid_id != withdrawal.id => {
            Err(build_transaction_used_error(transaction_id, Some(paid_id)))
        }
        _ => Ok(()),
    }
}

fn build_transaction_used_error(transaction_id: &str, paid_id: Option<WithdrawalId>) -> Error {
    let paid_withdrawal =
        paid_id.map_or_else(|| "another withdrawal".to_owned(), |id| format!("withdrawal {id}"));
    let message =
        format!("Transaction {transaction_id} already paid {paid_withdrawal}. Check the transaction number.");
    Error::invalid("transaction_id", "transaction_id_used", message)
}

async fn lock_row(work: &mut UnitOfWork, id: WithdrawalId) -> Result<WithdrawalRow> {
    work.lock("withdrawals", &[id]).await?;
    load_row(work, id).await
}

async fn load_row(db: &mut impl SqlExecutor, id: WithdrawalId) -> Result<WithdrawalRow> {
    let sql = Sql::new("SELECT ").push(SELECT).push(FROM).bind(id);
    db.fetch_optional(sql).await?.ok_or_else(|| Error::not_found("withdrawal", id))
}

const SELECT: &str = "w.id, w.account_number, w.amount, w.balance_type, w.payment_method_id AS method_id, m.name AS method_name, w.admin_note,
  w.user_comment, w.transaction_id, w.status, w.created_at, w.approved_at, w.paid_at, w.rejected_at, w.updated_at, w.user_id,
  u.name AS user_name, u.email AS user_email, u.notify_payments, w.approved_by, a.name AS approver_name,
  (SELECT value FROM settings WHERE key = 'withdrawals_four_eyes') AS four_eyes,
  (SELECT count(*) FROM users p WHERE p.status <> 'deactivated' AND p.id IN (
    SELECT user_id FROM user_permissions WHERE permission IN ('manage withdrawals', 'mark as paid withdrawal requests')
    UNION SELECT x.user_id FROM user_roles x JOIN role_permissions r ON r.role_id = x.role_id
      WHERE r.permission IN ('manage withdrawals', 'mark as paid withdrawal requests'))) AS payers";
const FROM: &str = " FROM withdrawals w JOIN payment_methods m ON m.id = w.payment_method_id JOIN users u ON u.id = w.user_id
  LEFT JOIN users a ON a.id = w.approved_by WHERE w.id = ?";

#[derive(Debug, sqlx::FromRow)]
pub struct WithdrawalRow {
    id: WithdrawalId,
    account_number: String,
    amount: Money,
    balance_type: BalanceType,
    method_id: PaymentMethodId,
    method_name: String,
    admin_note: Option<String>,
    user_comment: Option<String>,
    transaction_id: Option<String>,
    status: WithdrawalStatus,
    created_at: Time,
    approved_at: Option<Time>,
    paid_at: Option<Time>,
    rejected_at: Option<Time>,
    updated_at: Timestamp,
    user_id: UserId,
    user_name: String,
    user_email: String,
    notify_payments: bool,
    approved_by: Option<UserId>,
    approver_name: Option<String>,
    /// The stored value of the setting `withdrawals_four_eyes`.
    four_eyes: Option<String>,
    /// Number of active staff members who may mark withdrawals as paid.
    payers: i64,
}

impl WithdrawalRow {
    fn four_eyes_check(&self) -> FourEyesCheck {
        let setting = settings::parse_stored(settings::FOUR_EYES_ON_WITHDRAWALS, self.four_eyes.as_deref());
        let is_required = withdrawals::needs_four_eyes(setting.as_str().unwrap_or_default(), self.payers);
        FourEyesCheck { is_required, approved_by: self.approved_by }
    }

    fn into_response(self, scope: &Scope) -> Withdrawal {
        self.into_response_with(scope, scope.has_permission(Permission::ViewPaymentMethods))
    }

    fn into_response_with(self, scope: &Scope, may_view_methods: bool) -> Withdrawal {
        let is_rejected = self.status == WithdrawalStatus::Rejected;
        let caller_id = scope.caller().ok().map(|caller| caller.user_id);
        let is_own_approval = withdrawals::check_four_eyes(&self.four_eyes_check(), caller_id).is_err();
        Withdrawal {
            id: self.id,
            account_number: self.account_number,
            amount: self.amount,
            balance_type: self.balance_type,
            withdrawal_method: may_view_methods
                .then_some(NamedRef { id: self.method_id, name: self.method_name }),
            admin_note: self.admin_note,
            user_comment: self.user_comment,
            transaction_id: self.transaction_id,
            status: self.status,
            refunded: if is_rejected { self.amount } else { Money::ZERO },
            created_at: self.created_at,
            approved_at: self.approved_at,
            approved_by: self.approved_by.zip(self.approver_name).map(|(id, name)| NamedRef { id, name }),
            paid_at: self.paid_at,
            rejected_at: self.rejected_at,
            updated_at: self.updated_at,
            user: UserSummary { id: self.user_id, name: self.user_name, email: self.user_email },
            actions: withdrawals::actions(self.status, is_own_approval, |permission| {
                scope.has_permission(permission)
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_of_payers_includes_every_permission_to_mark_as_paid() {
        for permission in [Permission::ManageWithdrawals, Permission::MarkAsPaidWithdrawalRequests] {
            assert_eq!(SELECT.matches(&format!("'{permission}'")).count(), 2, "{permission}");
        }
    }

    #[test]
    fn texts_are_trimmed_and_limited() {
        assert_eq!(require_text("transaction_id", " T-1 ", 200, false).as_deref(), Ok("T-1"));
        assert_eq!(require_text("admin_note", "a\nb", 1_000, true).as_deref(), Ok("a\nb"));
        for text in ["", "  ", "\n", "a\nb", "a\u{7}", &"x".repeat(201)] {
            assert!(require_text("transaction_id", text, 200, false).is_err(), "{text:?}");
        }
    }

    fn steps() -> [WithdrawalStep; 3] {
        [WithdrawalStep::Approve, WithdrawalStep::Reject("No".into()), WithdrawalStep::Pay("T1".into())]
    }

    #[test]
    fn money_moves_only_out_of_the_hold() {
        let withdrawal = WithdrawalRow {
            id: WithdrawalId::new(7),
            account_number: "DE1".into(),
            amount: Money(5),
            balance_type: BalanceType::Referral,
            method_id: PaymentMethodId::new(1),
            method_name: "Bank".into(),
            admin_note: None,
            user_comment: None,
            transaction_id: None,
            status: WithdrawalStatus::Approved,
            created_at: Time(0),
            approved_at: None,
            paid_at: None,
            rejected_at: None,
            updated_at: Timestamp(0),
            user_id: UserId::new(3),
            user_name: String::new(),
            user_email: String::new(),
            notify_payments: true,
            approved_by: None,
            approver_name: None,
            four_eyes: None,
            payers: 0,
        };
        let legs = steps().map(|step| build_postings(&withdrawal, &step).pop().map(|posting| posting.legs));
        let hold = (Account::Hold(withdrawal.user_id, BalanceType::Referral), Money(-5));
        let refund = (Account::User(withdrawal.user_id, BalanceType::Referral), Money(5));
        assert_eq!(legs, [None, Some(vec![hold, refund]), Some(vec![hold, (Account::Payouts, Money(5))])]);
    }
}
