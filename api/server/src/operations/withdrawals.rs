//! Withdrawals: the list, approving, rejecting, marking as paid (judged by `panel_domain::withdrawals`);
//! and (in `request`) how a customer's one begins.
//!
//! The amount is held from the first moment: a rejection gives it back once, a payout takes it out of the panel once.

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
use panel_domain::withdrawals::{self, Eyes, Step, judge};
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::Rejection;
use serde_json::json;

use crate::configuration::webhooks::outbox::{self, Event};
use crate::context::Ctx;
use crate::emails::{self, Recipient, WithdrawalDecision};
use crate::http::Req;
use crate::http::api::Api;
use crate::records::search_texts;
use panel_platform::audit;
use panel_platform::audit::change::Change;
use panel_platform::db::{Source, Sql};
use panel_platform::jobs;
use panel_platform::jobs::job::Job;
use panel_platform::ledger::{self, Account, Cause, Posting};
use panel_platform::mail::Email;
use panel_platform::scope::Scope;
use panel_platform::settings;
use panel_platform::table::{Arm, Group, Index, Join, RowSource, Table, base, expr};
use panel_platform::work::Work;

// Routes

/// Adds the endpoints.
pub fn routes(api: Api) -> Api {
    api.table::<ListWithdrawals, _, _>(&WITHDRAWALS, Record::shown)
        .on::<ApproveWithdrawal, _, _, _>(async |ctx, req: Req<ApproveWithdrawal>| {
            change(ctx, req.path, Step::Approve).await
        })
        .on::<RejectWithdrawal, _, _, _>(async |ctx, req: Req<RejectWithdrawal>| {
            let note = fit("admin_note", &req.body.admin_note, 1_000, true)?;
            change(ctx, req.path, Step::Reject(note)).await
        })
        .on::<MarkWithdrawalPaid, _, _, _>(async |ctx, req: Req<MarkWithdrawalPaid>| {
            let transfer = fit("transaction_id", &req.body.transaction_id, 200, false)?;
            change(ctx, req.path, Step::Pay(transfer)).await
        })
}

static TEXTS: Index = Index::trigrams("withdrawals", &["account_number", "transaction_id"]);

/// All withdrawals, newest first.
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
    Arm::new("w.id", &TEXTS, "account_number").here(&["w.account_number", "w.transaction_id"]),
    Arm::new("w.user_id", &search_texts::USERS, "user"),
    Arm::new("w.payment_method_id", &search_texts::PAYMENT_METHODS, "withdrawal_method"),
])
.row_counts("withdrawals", "");

async fn change(ctx: Ctx, id: WithdrawalId, step: Step) -> Result<Data<Withdrawal>> {
    let mut work = ctx.begin().await?;
    let withdrawal = lock(&mut work, id).await?;
    let to = judge(&step, withdrawal.status)?;
    if matches!(step, Step::Pay(_)) {
        withdrawals::judge_eyes(&withdrawal.eyes(), work.actor())?;
    }
    write(&mut work, &withdrawal, &step, to).await?;
    let data = find(&mut work, id).await?.shown(&ctx);
    work.finish(Data { data }).await
}

/// What webhooks hear of a withdrawal, in the transaction of its change.
async fn tell(
    work: &mut Work,
    id: WithdrawalId,
    kind: EventType,
    previous: Option<WithdrawalStatus>,
) -> Result<()> {
    if !outbox::wanted(work).await?.any(&[kind]) {
        return Ok(());
    }
    let ctx = Scope::system(&work.scope().platform, "webhooks");
    // The owner of a webhook chose the event: its payload has what the panel itself may see.
    let row = find(work, id).await?.shown_with(&ctx, true);
    let previous = previous.map(WithdrawalStatus::as_str);
    outbox::tell(work, vec![Event::of(kind, &row, previous)]).await
}

// Rules

/// A text that must be there, trimmed.
fn fit(field: &'static str, text: &str, most: usize, lines: bool) -> Result<String, Rejection> {
    let text = text.trim();
    let odd = |letter: char| letter.is_control() && !(lines && letter == '\n');
    let message = if text.is_empty() {
        format!("The {field} field is required.")
    } else if text.chars().count() > most || text.chars().any(odd) {
        format!("Write at most {most} characters, without control characters.")
    } else {
        return Ok(text.to_owned());
    };
    Err(Rejection::invalid(field, "invalid", message))
}

fn email(of: &Record, step: &Step) -> Email {
    let decision = match step {
        Step::Approve => WithdrawalDecision::Approved,
        Step::Reject(note) => WithdrawalDecision::Rejected { note },
        Step::Pay(transaction) => WithdrawalDecision::Paid { transaction },
    };
    let to = Recipient { name: of.user_name.clone(), email: of.user_email.clone() };
    emails::withdrawal_decided(to, of.id, (of.amount, &of.method_name), decision)
}

// Store

async fn write(work: &mut Work, of: &Record, step: &Step, to: WithdrawalStatus) -> Result<()> {
    if let Step::Pay(transfer) = step {
        unused(work, of, transfer).await?;
    }
    let now = work.now;
    let written = match step {
        Step::Approve => store::approve(work, of.id).await?,
        Step::Reject(note) => store::reject(work, of.id, note).await?,
        // Another withdrawal may have been paid by it at the same moment.
        Step::Pay(transfer) => store::mark_paid(work, of.id, transfer)
            .await
            .map_err(|error| if error.is_unique() { used(transfer, None) } else { error.into() })?,
    };
    let message = "Somebody else was faster; reload to see where the withdrawal stands.";
    written.or_conflict("withdrawal_changed_meanwhile", message)?;
    ledger::post(work, move_money(of, step)).await?;
    let mut new = json!({ "status": to });
    match step {
        Step::Approve => {}
        Step::Reject(note) => {
            new["admin_note"] = json!(note);
            new["returned"] = json!(of.amount);
        }
        Step::Pay(transfer) => new["transaction_id"] = json!(transfer),
    }
    let changed = Change { id: of.id.record(), old: json!({ "status": of.status }), new };
    audit::record(work, &format!("withdrawal.{to}"), "withdrawal", changed).await?;
    tell(work, of.id, EventType::WithdrawalStatusChanged, Some(of.status)).await?;
    if of.notify_payments {
        jobs::enqueue(work, &[Job::Mail(email(of, step))], now).await?;
    }
    Ok(())
}

/// What moves: nothing on approval, back on rejection, out when paid.
fn move_money(of: &Record, step: &Step) -> Vec<Posting> {
    let (kind, to) = match step {
        Step::Approve => return Vec::new(),
        Step::Reject(_) => ("withdrawal_release", Account::User(of.user_id, of.balance_type)),
        Step::Pay(_) => ("withdrawal_payout", Account::Payouts),
    };
    let from = Account::Hold(of.user_id, of.balance_type);
    vec![posting(kind, of.id, of.method_id, vec![(from, Money(-of.amount.0)), (to, of.amount)])]
}

/// A movement of a withdrawal's money.
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

/// A transfer pays one withdrawal.
async fn unused(work: &mut Work, of: &Record, transfer: &str) -> Result<()> {
    let sql = Sql::new("SELECT id FROM withdrawals WHERE payment_method_id = ? AND transaction_id = ?")
        .bind(of.method_id)
        .bind(transfer.to_owned());
    match work.opt::<(WithdrawalId,)>(sql).await? {
        Some((other,)) if other != of.id => Err(used(transfer, Some(other))),
        _ => Ok(()),
    }
}

fn used(transfer: &str, by: Option<WithdrawalId>) -> Error {
    let by = by.map_or_else(|| "another withdrawal".to_owned(), |id| format!("withdrawal {id}"));
    let message = format!("Transaction {transfer} paid {by} already; check the number.");
    Error::invalid("transaction_id", "transaction_id_used", message)
}

async fn lock(work: &mut Work, id: WithdrawalId) -> Result<Record> {
    work.lock("withdrawals", &[id]).await?;
    find(work, id).await
}

async fn find(db: &mut impl Source, id: WithdrawalId) -> Result<Record> {
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

/// A withdrawal as the database has it.
#[derive(Debug, sqlx::FromRow)]
pub struct Record {
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
    /// The setting as it is stored.
    four_eyes: Option<String>,
    /// How many active staff members may mark withdrawals as paid.
    payers: i64,
}

impl Record {
    fn eyes(&self) -> Eyes {
        let setting = settings::stored(settings::FOUR_EYES, self.four_eyes.as_deref());
        let are_four = withdrawals::needs_four_eyes(setting.as_str().unwrap_or_default(), self.payers);
        Eyes { are_four, approved_by: self.approved_by }
    }

    fn shown(self, scope: &Scope) -> Withdrawal {
        self.shown_with(scope, scope.may(Permission::ViewPaymentMethods))
    }

    fn shown_with(self, scope: &Scope, sees_methods: bool) -> Withdrawal {
        let rejected = self.status == WithdrawalStatus::Rejected;
        let caller = scope.caller().ok().map(|caller| caller.user_id);
        let is_own = withdrawals::judge_eyes(&self.eyes(), caller).is_err();
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
    fn the_permissions_that_are_counted_are_those_that_pay() {
        for permission in [Permission::ManageWithdrawals, Permission::MarkAsPaidWithdrawalRequests] {
            assert_eq!(SELECT.matches(&format!("'{permission}'")).count(), 2, "{permission}");
        }
    }

    #[test]
    fn texts_are_trimmed_and_bounded() {
        assert_eq!(fit("transaction_id", " T-1 ", 200, false).as_deref(), Ok("T-1"));
        assert_eq!(fit("admin_note", "a\nb", 1_000, true).as_deref(), Ok("a\nb"));
        for text in ["", "  ", "\n", "a\nb", "a\u{7}", &"x".repeat(201)] {
            assert!(fit("transaction_id", text, 200, false).is_err(), "{text:?}");
        }
    }

    fn steps() -> [Step; 3] {
        [Step::Approve, Step::Reject("No".into()), Step::Pay("T1".into())]
    }

    #[test]
    fn money_moves_only_out_of_the_hold() {
        let of = Record {
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
        let legs = steps().map(|step| move_money(&of, &step).pop().map(|posting| posting.legs));
        let hold = (Account::Hold(of.user_id, BalanceType::Referral), Money(-5));
        let back = (Account::User(of.user_id, BalanceType::Referral), Money(5));
        assert_eq!(legs, [None, Some(vec![hold, back]), Some(vec![hold, (Account::Payouts, Money(5))])]);
    }
}
