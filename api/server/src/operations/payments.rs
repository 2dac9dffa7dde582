//! Payments: movements on customers' balances. A manual payment is the only one that staff make here.

use panel_contract::amount::Money;
use panel_contract::common::{Choice, Data, Named};
use panel_contract::endpoints::payments::{
    CreatePayment, ListPayments, ListTransactions, PaymentCollectionsOp,
};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{LedgerTxnId, OrderId, PaymentId, PaymentMethodId, UserId};
use panel_contract::moment::Time;
use panel_contract::payments::{
    BalanceType, ManualPaymentInput, PaymentCollections, PaymentRow, PaymentType, PaymentUser,
    TransactionType,
};
use panel_contract::permission::Permission;
use panel_contract::webhooks::EventType;
use panel_domain::users::unless_erased;
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::RejectionKind;
use serde_json::json;

use crate::configuration::webhooks::outbox::{self, Event};
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::operations::manual_credits;
use crate::operations::staff::rank;
use crate::records::search_texts;
use panel_contract::dictionary::label;
use panel_contract::lists::List;
use panel_platform::audit;
use panel_platform::audit::change::Change;
use panel_platform::db::{Source, Sql};
use panel_platform::ledger::{self, Account, Cause, Posting};
use panel_platform::scope::Scope;
use panel_platform::settings;
use panel_platform::table::{self, Arm, ColumnSql, Join, RowSource, Table, expr};
use panel_platform::work::Work;

// Routes

/// Adds the endpoints.
pub fn routes(api: Api) -> Api {
    api.table::<ListPayments, _, _>(&PAYMENTS, Record::shown)
        .table::<ListTransactions, _, _>(&TRANSACTIONS, Record::shown)
        .on::<CreatePayment, _, _, _>(create)
        .on::<PaymentCollectionsOp, _, _, _>(collections)
}

/// The payments list: movements on customers' balances.
pub static PAYMENTS: Table =
    table(&panel_contract::lists::payments::PAYMENTS, SOURCE).row_counts("ledger_entries", "");

/// The same rows for the transactions screen.
pub static TRANSACTIONS: Table =
    table(&panel_contract::lists::payments::TRANSACTIONS, SOURCE).row_counts("ledger_entries", "");

const SOURCE: RowSource = RowSource {
    base: "ledger_entries",
    alias: "e",
    key: "e.id",
    scope: Some("e.account IN ('main', 'task', 'referral')"),
    joins: &[
        Join { alias: "t", sql: "JOIN ledger_txns t ON t.id = e.txn_id" },
        Join { alias: "u", sql: "JOIN users u ON u.id = e.user_id" },
        Join { alias: "m", sql: "LEFT JOIN payment_methods m ON m.id = e.payment_method_id" },
    ],
    select: COLUMNS,
    ..RowSource::NONE
};

const fn table(list: &'static List, source: RowSource) -> Table {
    Table::new(list, source, SQL).common_search(COMMON)
}

/// Where the common search looks, beside the id.
const COMMON: &[Arm] = &[Arm::new("e.user_id", &search_texts::USERS, "user")];

/// What is not the column of the base that has the same name, or is counted or found by an index.
const SQL: &[ColumnSql] = &[
    expr("admin_id", "t.actor_id").join("t"),
    expr("balance_type", "e.account"),
    expr("payment_method", "m.name").join("m").text_index(
        "e.payment_method_id",
        &search_texts::PAYMENT_METHODS,
        "",
    ),
    expr("payment_method.id", "e.payment_method_id"),
    expr("payment_method.name", "m.name").join("m"),
    expr("user", "u.name").join("u").text_index("e.user_id", &search_texts::USERS, ""),
    expr("user.id", "e.user_id"),
    expr("user.name", "u.name").join("u").text_index("e.user_id", &search_texts::USERS, "name"),
    expr("user.email", "u.email").join("u").text_index("e.user_id", &search_texts::USERS, "email"),
    expr("comment", "t.comment").join("t"),
];

async fn create(ctx: Ctx, req: Req<CreatePayment>) -> Result<Data<PaymentRow>> {
    check(&req.body)?;
    if ctx.meta.idempotency_key.is_none() && !ctx.meta.dry_run {
        let message =
            "Send an Idempotency-Key header with a new UUID, so that a repeated call does not pay twice.";
        return Err(Error::rejected(RejectionKind::Malformed, "idempotency_key_required", message));
    }
    let mut work = ctx.begin().await?;
    let data = pay(&mut work, &req.body).await?.shown(&ctx);
    work.finish(Data { data }).await
}

async fn collections(_ctx: Ctx, _req: Req<PaymentCollectionsOp>) -> Result<Data<PaymentCollections>> {
    let choice = |word: &str| Choice { kind: word.to_owned(), label: label(word) };
    Ok(Data {
        data: PaymentCollections {
            types: PaymentType::ALL.iter().map(|word| choice(word.as_str())).collect(),
            transaction_types: TransactionType::ALL.iter().map(|word| choice(word.as_str())).collect(),
            balance_types: BalanceType::ALL.iter().map(|word| choice(word.as_str())).collect(),
        },
    })
}

// Rules

fn check(input: &ManualPaymentInput) -> Result<(), FieldErrors> {
    let mut errors = FieldErrors::default();
    if input.amount <= Money::ZERO {
        errors.add("amount", "Give an amount above zero; transaction_type says which way it goes.");
    }
    let adds = input.transaction_type == TransactionType::Income;
    if adds && !manual_credits::says_why(input.comment.as_deref()) {
        errors.add("comment", "Say why the customer gets this money.");
    }
    if input.comment.as_ref().is_some_and(|comment| comment.chars().count() > 1_000) {
        errors.add("comment", "Write at most 1,000 characters.");
    }
    errors.or(())
}

/// The sign is the direction's: an income credits, an outcome debits.
fn signed(input: &ManualPaymentInput) -> Money {
    match input.transaction_type {
        TransactionType::Income => input.amount,
        TransactionType::Outcome => Money(-input.amount.0),
    }
}

/// What webhooks hear of movements of money, in their transaction: each on each balance.
pub async fn tell(work: &mut Work, txns: &[LedgerTxnId]) -> Result<()> {
    if !outbox::wanted(work).await?.any(&[EventType::PaymentCreated]) {
        return Ok(());
    }
    let ids = entries(work, txns).await?;
    let ctx = Scope::system(&work.scope().platform, "webhooks");
    let rows = table::rows_from(work, &ctx, &PAYMENTS, &ids, |row: Record, _| row.shown_with(true)).await?;
    outbox::tell(work, rows.iter().map(|row| Event::of(EventType::PaymentCreated, row, None)).collect()).await
}

// Store

/// The rows of the list that belong to transactions.
async fn entries(work: &mut Work, txns: &[LedgerTxnId]) -> Result<Vec<PaymentId>> {
    let sql = Sql::new(
        "SELECT e.id FROM ledger_entries e WHERE e.account IN ('main', 'task', 'referral') AND e.txn_id IN ",
    )
    .ids(txns)
    .push(" ORDER BY e.id");
    Ok(work.all::<(PaymentId,)>(sql).await?.into_iter().map(|(id,)| id).collect())
}

async fn pay(work: &mut Work, input: &ManualPaymentInput) -> Result<Record> {
    let (user, amount) = (input.user_id, signed(input));
    // What was earned can still be taken back.
    if input.balance_type == BalanceType::Task && amount > Money::ZERO {
        settings::unless_off(work, settings::ENABLE_TASKS, "tasks_off", "Tasks").await?;
    }
    let Some(balances) = ledger::balances(work, &[user]).await?.remove(&user) else {
        return Err(Error::invalid(
            "user_id",
            "user_unknown",
            format!("There is no user {user}; choose one."),
        ));
    };
    unless_erased(balances.is_erased && amount > Money::ZERO)?;
    rank::require(work, user).await?;
    if amount > Money::ZERO {
        manual_credits::count(work, amount).await?;
    }
    let (seq,): (i64,) = work
        .one(Sql::new("SELECT COALESCE(max(seq) + 1, 0) FROM ledger_txns WHERE kind = 'manual' AND ref_type = 'user' AND ref_id = ?").bind(user))
        .await?;
    let posting = Posting {
        cause: Cause { kind: "manual", ref_type: "user", ref_id: user.record(), seq },
        kind: PaymentType::Manual,
        order_id: None,
        payment_method_id: None,
        comment: input
            .comment
            .as_deref()
            .map(str::trim)
            .filter(|comment| !comment.is_empty())
            .map(str::to_owned),
        legs: vec![
            (Account::User(user, input.balance_type), amount),
            (Account::Adjustments, Money(-amount.0)),
        ],
        spent: None,
        at_most: false,
    };
    let txn = ledger::post(work, vec![posting]).await?.first().copied();
    audit::record(
        work,
        "payment.created",
        "user",
        Change { id: user.record(), old: json!({}), new: json!(input) },
    )
    .await?;
    let sql = Sql::new("SELECT ")
        .push(COLUMNS)
        .push(FROM)
        .push(" WHERE e.txn_id = ? AND e.user_id IS NOT NULL")
        .bind(txn);
    Ok(work.one(sql).await?)
}

/// A payment as the database has it.
#[derive(Debug, sqlx::FromRow)]
pub struct Record {
    id: PaymentId,
    admin_id: Option<UserId>,
    amount: Money,
    balance_after: Money,
    balance_type: BalanceType,
    created_at: Time,
    order_id: Option<OrderId>,
    method_id: Option<PaymentMethodId>,
    method_name: Option<String>,
    transaction_type: TransactionType,
    kind: PaymentType,
    user_id: UserId,
    user_name: String,
    user_email: String,
    comment: Option<String>,
}

/// The columns of [`Record`].
pub const COLUMNS: &str = "e.id, t.actor_id AS admin_id, e.amount, e.balance_after, e.account AS balance_type, e.created_at, e.order_id,
  e.payment_method_id AS method_id, m.name AS method_name, e.transaction_type, e.type AS kind, e.user_id, u.name AS user_name,
  u.email AS user_email, t.comment";
/// Where they come from.
pub const FROM: &str =
    " FROM ledger_entries e JOIN ledger_txns t ON t.id = e.txn_id JOIN users u ON u.id = e.user_id
  LEFT JOIN payment_methods m ON m.id = e.payment_method_id";

impl Record {
    /// As the lists show it.
    #[must_use]
    pub fn shown(self, scope: &Scope) -> PaymentRow {
        self.shown_with(scope.may(Permission::ViewPaymentMethods))
    }

    fn shown_with(self, sees_methods: bool) -> PaymentRow {
        let method = self.method_id.zip(self.method_name).map(|(id, name)| Named { id, name });
        PaymentRow {
            id: self.id,
            admin_id: self.admin_id,
            amount: self.amount,
            balance_after: self.balance_after,
            balance_type: self.balance_type,
            created_at: self.created_at,
            order_id: self.order_id,
            payment_method: method.filter(|_| sees_methods),
            transaction_type: self.transaction_type,
            kind: self.kind,
            user: PaymentUser { id: self.user_id, name: self.user_name, email: self.user_email },
            comment: self.comment,
        }
    }
}
