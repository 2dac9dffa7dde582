//! Withdrawals: the list, approving, rejecting and marking as paid (rules in `panel_domain::withdrawals`), and the request of a
//! customer (`request`).
//!
//! The request puts the amount on hold. A rejection returns it once, a payout moves it out of the panel once.

pub mod request;
pub mod store;

use panel_contract::amount::Money;
use panel_contract::common::{Data, Named};
use panel_contract::endpoints::withdrawals::{
    ApproveWithdrawal, ListWithdrawals, MarkWithdrawalPaid, RejectWithdrawal,
};
use panel_contract::ids::{PaymentMethodId, UserId, WithdrawalId};
use panel_contract::moment::{Stamp, Time};
use panel_contract::payments::{BalanceType, PaymentType, PaymentUser};
use panel_contract::permission::Permission;
use panel_contract::webhooks::EventType;
use panel_contract::withdrawals::{Withdrawal, WithdrawalStatus};
use panel_domain::withdrawals::{self, FourEyes, WithdrawalStep, judge};
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
use panel_platform::db::{Source, Sql};
use panel_platform::jobs;
use panel_platform::jobs::job::Job;
use panel_platform::ledger::{self, Account, Cause, Posting};
use panel_platform::mail::Email;
use panel_platform::scope::Scope;
use panel_platform::settings;
use panel_platform::table::{Group, Index, Join, RowSource, SearchTarget, Table, base, expr};
use panel_platform::work::UnitOfWork;

// Routes

pub fn routes(api: Api) -> Api {
    api.table::<ListWithdrawals, _, _>(&WITHDRAWALS, WithdrawalRow::into_response)
        .on::<ApproveWithdrawal, _, _, _>(async |ctx, req: Req<ApproveWithdrawal>| {
            apply_step(ctx, req.path, WithdrawalStep::Approve).await
        })
        .on::<RejectWithdrawal, _, _, _>(async |ctx, req: Req<RejectWithdrawal>| {
            let note = required_text("admin_note", &req.body.admin_note, 1_000, true)?;
            apply_step(ctx, req.path, WithdrawalStep::Reject(note)).await
        })
        .on::<MarkWithdrawalPaid, _, _, _>(async |ctx, req: Req<MarkWithdrawalPaid>| {
            let transfer = required_text("transaction_id", &req.body.transaction_id, 200, false)?;
            apply_step(ctx, req.path, WithdrawalStep::Pay(transfer)).await
        })
}

static TEXTS: Index = Index::trigrams("withdrawals", &["account_number", "transaction_id"]);

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
        base("account_number").text_index("w.id", &TEXTS, "account_number"),
        expr("withdrawal_method", "m.name").join("m").text_index(
            "w.payment_method_id",
            &search_texts::PAYMENT_METHODS,
            "",
        ),
        expr("withdrawal_method.id", "w.payment_method_id"),
        expr("withdrawal_method.name", "m.name").join("m"),
        base("transaction_id").text_index("w.id", &TEXTS, "transaction_id"),
        base("status").count_group(Group::Word),
        expr("user", "u.name").join("u").text_index("w.user_id", &search_texts::USERS, ""),
        expr("user.id", "w.user_id"),
        expr("user.name", "u.name").join("u").text_index("w.user_id", &search_texts::USERS, "name"),
        expr("user.email", "u.email").join("u").text_index("w.user_id", &search_texts::USERS, "email"),
    ],
)
.common_search(&[
    SearchTarget::new("w.id", &TEXTS, "account_number").here(&["w.account_number", "w.transaction_id"]),
    SearchTarget::new("w.user_id", &search_texts::USERS, "user"),
    SearchTarget::new("w.payment_method_id", &search_texts::PAYMENT_METHODS, "withdrawal_method"),
])
.row_counts("withdrawals", "");

async fn apply_step(ctx: Ctx, id: WithdrawalId, step: WithdrawalStep) -> Result<Data<Withdrawal>> {
    let mut work = ctx.begin().await?;
    let withdrawal = lock(&mut work, id).await?;
    let to = judge(&step, withdrawal.status)?;
    if matches!(step, WithdrawalStep::Pay(_)) {
        withdrawals::check_four_eyes(&withdrawal.approval_check(), work.actor())?;
    }
    write(&mut work, &withdrawal, &step, to).await?;
    let data = find(&mut work, id).await?.into_response(&ctx);
    work.finish(Data { data }).await
}

/// Publishes a webhook event, in the transaction of the change.
async fn publish_event(
    work: &mut UnitOfWork,
    id: WithdrawalId,
    kind: EventType,
    previous: Option<WithdrawalStatus>,
) -> Result<()> {
    if !outbox::subscriptions(work).await?.any(&[kind]) {
        return Ok(());
    }
    let ctx = Scope::system(&work.scope().platform, "webhooks");
    // The owner of a webhook chose the event: its payload has all fields.
    let row = find(work, id).await?.into_response_with(&ctx, true);
    let previous = previous.map(WithdrawalStatus::as_str);
    outbox::publish(work, vec![WebhookEvent::of(kind, &row, previous)]).await
}

// Rules

/// The trimmed text; an error if it is empty, too long or has control characters. `lines` allows line ends.
fn required_text(field: &'static str, text: &str, most: usize, lines: bool) -> Result<String, Rejection> {
    let text = text.trim();
    let is_refused = |character: char| character.is_control() && !(lines && character == '\n');
    let message = if text.is_empty() {
        format!("The {field} field is required.")
    } else if text.chars().count() > most || text.chars().any(is_refused) {
        format!("Write at most {most} characters, without control characters.")
    } else {
        return Ok(text.to_owned());
    };
    Err(Rejection::invalid(field, "invalid", message))
}

fn decision_email(of: &WithdrawalRow, step: &WithdrawalStep) -> Email {
    let decision = match step {
        WithdrawalStep::Approve => WithdrawalDecision::Approved,
        WithdrawalStep::Reject(note) => WithdrawalDecision::Rejected { note },
        WithdrawalStep::Pay(transaction) => WithdrawalDecision::Paid { transaction },
    };
    let to = Recipient { name: of.user_name.clone(), email: of.user_email.clone() };
    emails::withdrawal_decided(to, of.id, (of.amount, &of.method_name), decision)
}

// Store

async fn write(
    work: &mut UnitOfWork,
    of: &WithdrawalRow,
    step: &WithdrawalStep,
    to: WithdrawalStatus,
) -> Result<()> {
    if let WithdrawalStep::Pay(transfer) = step {
        require_unused_transfer(work, of, transfer).await?;
    }
    let now = work.now;
    let written = match step {
        WithdrawalStep::Approve => store::approve(work, of.id).await?,
        WithdrawalStep::Reject(note) => store::reject(work, of.id, note).await?,
        // A concurrent request may have used the same transfer.
        WithdrawalStep::Pay(transfer) => store::mark_paid(work, of.id, transfer)
            .await
            .map_err(|error| if error.is_unique() { transfer_used(transfer, None) } else { error.into() })?,
    };
    let message = "The withdrawal was changed meanwhile. Reload it and try again.";
    written.or_conflict("withdrawal_changed_meanwhile", message)?;
    ledger::post(work, postings(of, step)).await?;
    let mut new = json!({ "status": to });
    match step {
        WithdrawalStep::Approve => {}
        WithdrawalStep::Reject(note) => {
            new["admin_note"] = json!(note);
            new["returned"] = json!(of.amount);
        }
        WithdrawalStep::Pay(transfer) => new["transaction_id"] = json!(transfer),
    }
    let changed = AuditChange { id: of.id.record(), old: json!({ "status": of.status }), new };
    audit::record(work, &format!("withdrawal.{to}"), "withdrawal", changed).await?;
    publish_event(work, of.id, EventType::WithdrawalStatusChanged, Some(of.status)).await?;
    if of.notify_payments {
        jobs::enqueue(work, &[Job::Mail(decision_email(of, step))], now).await?;
    }
    Ok(())
}

/// The postings of a step: none on approval, back to the balance on rejection, out of the panel when paid.
fn postings(of: &WithdrawalRow, step: &WithdrawalStep) -> Vec<Posting> {
    let (kind, to) = match step {
        WithdrawalStep::Approve => return Vec::new(),
        WithdrawalStep::Reject(_) => ("withdrawal_release", Account::User(of.user_id, of.balance_type)),
        WithdrawalStep::Pay(_) => ("withdrawal_payout", Account::Payouts),
    };
    let from = Account::Hold(of.user_id, of.balance_type);
    vec![posting(kind, of.id, of.method_id, vec![(from, Money(-of.amount.0)), (to, of.amount)])]
}

/// A posting of a withdrawal.
fn posting(
    kind: &'static str,
    id: WithdrawalId,
    method: PaymentMethodId,
    legs: Vec<(Account, Money)>,
) -> Posting {
    Posting {
        cause: Cause { kind, ref_type: "withdrawal", ref_id: id.record(), seq: 0 },
        kind: PaymentType::Withdrawal,
        order_id: None,
        payment_method_id: Some(method),
        comment: Some(format!("Withdrawal {id}")),
        legs,
        spent: None,
        at_most: false,
    }
}

/// Refuses a transfer that paid another withdrawal.
async fn require_unused_transfer(work: &mut UnitOfWork, of: &WithdrawalRow, transfer: &str) -> Result<()> {
    let sql = Sql::new("SELECT id FROM withdrawals WHERE payment_method_id = ? AND transaction_id = ?")
        .bind(of.method_id)
        .bind(transfer.to_owned());
    match work.opt::<(WithdrawalId,)>(sql).await? {
        Some((other,)) if other != of.id => Err(transfer_used(transfer, Some(other))),
        _ => Ok(()),
    }
}

fn transfer_used(transfer: &str, by: Option<WithdrawalId>) -> Error {
    let by = by.map_or_else(|| "another withdrawal".to_owned(), |id| format!("withdrawal {id}"));
    let message = format!("Transaction {transfer} already paid {by}. Check the transaction number.");
    Error::invalid("transaction_id", "transaction_id_used", message)
}

async fn lock(work: &mut UnitOfWork, id: WithdrawalId) -> Result<WithdrawalRow> {
    work.lock("withdrawals", &[id]).await?;
    find(work, id).await
}

async fn find(db: &mut impl Source, id: WithdrawalId) -> Result<WithdrawalRow> {
    let sql = Sql::new("SELECT ").push(SELECT).push(FROM).bind(id);
    db.opt(sql).await?.ok_or_else(|| Error::not_found("withdrawal", id))
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
    updated_at: Stamp,
    user_id: UserId,
    user_name: String,
    user_email: String,
    notify_payments: bool,
    approved_by: Option<UserId>,
    approver_name: Option<String>,
    /// The stored value of the setting.
    four_eyes: Option<String>,
    /// How many active staff members may mark withdrawals as paid.
    payers: i64,
}

impl WithdrawalRow {
    fn approval_check(&self) -> FourEyes {
        let setting = settings::parse_stored(settings::FOUR_EYES, self.four_eyes.as_deref());
        let is_required = withdrawals::needs_four_eyes(setting.as_str().unwrap_or_default(), self.payers);
        FourEyes { is_required, approved_by: self.approved_by }
    }

    fn into_response(self, scope: &Scope) -> Withdrawal {
        self.into_response_with(scope, scope.may(Permission::ViewPaymentMethods))
    }

    fn into_response_with(self, scope: &Scope, sees_methods: bool) -> Withdrawal {
        let rejected = self.status == WithdrawalStatus::Rejected;
        let caller = scope.caller().ok().map(|caller| caller.user_id);
        let is_own = withdrawals::check_four_eyes(&self.approval_check(), caller).is_err();
        Withdrawal {
            id: self.id,
            account_number: self.account_number,
            amount: self.amount,
            balance_type: self.balance_type,
            withdrawal_method: sees_methods.then_some(Named { id: self.method_id, name: self.method_name }),
            admin_note: self.admin_note,
            user_comment: self.user_comment,
            transaction_id: self.transaction_id,
            status: self.status,
            returned: if rejected { self.amount } else { Money::ZERO },
            created_at: self.created_at,
            approved_at: self.approved_at,
            approved_by: self.approved_by.zip(self.approver_name).map(|(id, name)| Named { id, name }),
            paid_at: self.paid_at,
            rejected_at: self.rejected_at,
            updated_at: self.updated_at,
            user: PaymentUser { id: self.user_id, name: self.user_name, email: self.user_email },
            actions: withdrawals::actions(self.status, is_own, |permission| scope.may(permission)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_the_permissions_that_can_mark_as_paid() {
        for permission in [Permission::ManageWithdrawals, Permission::MarkAsPaidWithdrawalRequests] {
            assert_eq!(SELECT.matches(&format!("'{permission}'")).count(), 2, "{permission}");
        }
    }

    #[test]
    fn texts_are_trimmed_and_limited() {
        assert_eq!(required_text("transaction_id", " T-1 ", 200, false).as_deref(), Ok("T-1"));
        assert_eq!(required_text("admin_note", "a\nb", 1_000, true).as_deref(), Ok("a\nb"));
        for text in ["", "  ", "\n", "a\nb", "a\u{7}", &"x".repeat(201)] {
            assert!(required_text("transaction_id", text, 200, false).is_err(), "{text:?}");
        }
    }

    fn steps() -> [WithdrawalStep; 3] {
        [WithdrawalStep::Approve, WithdrawalStep::Reject("No".into()), WithdrawalStep::Pay("T1".into())]
    }

    #[test]
    fn money_moves_only_out_of_the_hold() {
        let of = WithdrawalRow {
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
            updated_at: Stamp(0),
            user_id: UserId::new(3),
            user_name: String::new(),
            user_email: String::new(),
            notify_payments: true,
            approved_by: None,
            approver_name: None,
            four_eyes: None,
            payers: 0,
        };
        let legs = steps().map(|step| postings(&of, &step).pop().map(|posting| posting.legs));
        let hold = (Account::Hold(of.user_id, BalanceType::Referral), Money(-5));
        let back = (Account::User(of.user_id, BalanceType::Referral), Money(5));
        assert_eq!(legs, [None, Some(vec![hold, back]), Some(vec![hold, (Account::Payouts, Money(5))])]);
    }
}
