//! Endpoints for payments, which are the ledger entries of customers' balances. Staff can create only manual payments.

use panel_contract::amount::Money;
use panel_contract::common::{Choice, Data, NamedRef};
use panel_contract::endpoints::payments::{
    CreatePayment, GetPaymentCollections, ListPayments, ListTransactions,
};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{LedgerTxnId, OrderId, PaymentId, PaymentMethodId, UserId};
use panel_contract::moment::Time;
use panel_contract::payments::{
    BalanceType, ManualPaymentInput, PaymentCollections, PaymentRow, PaymentType, TransactionType,
    UserSummary,
};
use panel_contract::permission::Permission;
use panel_contract::webhooks::EventType;
use panel_domain::users::reject_erased_user;
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::RejectionKind;
use serde_json::json;

use crate::configuration::webhooks::outbox::{self, WebhookEvent};
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::operations::manual_credits;
use crate::operations::staff::rank;
use crate::records::search_texts;
use panel_contract::dictionary::enum_label;
use panel_contract::lists::List;
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::ledger::{self, Account, Posting, PostingCause};
use panel_platform::scope::Scope;
use panel_platform::settings;
use panel_platform::table::{self, ColumnSql, Join, RowSource, SearchTarget, Table, expr};
use panel_platform::work::UnitOfWork;

// Routes

pub fn routes(api: Api) -> Api {
    api.list_route::<ListPayments, _, _>(&PAYMENTS, LedgerEntryRow::into_response)
        .list_route::<ListTransactions, _, _>(&TRANSACTIONS, LedgerEntryRow::into_response)
        .route::<CreatePayment, _, _, _>(create)
        .route::<GetPaymentCollections, _, _, _>(list_collections)
}

/// The list of payments.
pub static PAYMENTS: Table =
    table(&panel_contract::lists::payments::PAYMENTS, SOURCE).count_from("ledger_entries", "");

/// The list of transactions, which has the same rows with other columns.
pub static TRANSACTIONS: Table =
    table(&panel_contract::lists::payments::TRANSACTIONS, SOURCE).count_from("ledger_entries", "");

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
    Table::new(list, source, COLUMN_SQL).global_search(GLOBAL_SEARCH_TARGETS)
}

/// Columns that the global search covers, besides the id.
const GLOBAL_SEARCH_TARGETS: &[SearchTarget] =
    &[SearchTarget::new("e.user_id", &search_texts::USERS, "user")];

/// List columns whose SQL is not a base column of the same name, or that have an index.
const COLUMN_SQL: &[ColumnSql] = &[
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
    validate(&req.body)?;
    if ctx.meta.idempotency_key.is_none() && !ctx.meta.dry_run {
        let message =
            "Send an Idempotency-Key header with a new UUID, so that a repeated request does not pay twice.";
        return Err(Error::rejected(RejectionKind::Malformed, "idempotency_key_required", message));
    }
    let mut work = ctx.begin().await?;
    let data = create_manual_payment(&mut work, &req.body).await?.into_response(&ctx);
    work.finish(Data { data }).await
}

async fn list_collections(_ctx: Ctx, _req: Req<GetPaymentCollections>) -> Result<Data<PaymentCollections>> {
    let choice = |value: &str| Choice { kind: value.to_owned(), label: enum_label(value) };
    Ok(Data {
        data: PaymentCollections {
            types: PaymentType::ALL.iter().map(|value| choice(value.as_str())).collect(),
            transaction_types: TransactionType::ALL.iter().map(|value| choice(value.as_str())).collect(),
            balance_types: BalanceType::ALL.iter().map(|value| choice(value.as_str())).collect(),
        },
    })
}

// Rules

fn validate(input: &ManualPaymentInput) -> Result<(), FieldErrors> {
    let mut errors = FieldErrors::default();
    if input.amount <= Money::ZERO {
        errors.add(
            "amount",
            "Enter an amount above zero. To debit the balance, set transaction_type to outcome.",
        );
    }
    let is_credit = input.transaction_type == TransactionType::Income;
    if is_credit && !manual_credits::has_reason(input.comment.as_deref()) {
        errors.add("comment", "Enter the reason why the customer gets this money.");
    }
    if input.comment.as_ref().is_some_and(|comment| comment.chars().count() > 1_000) {
        errors.add("comment", "Enter at most 1,000 characters.");
    }
    errors.into_result(())
}

/// Returns the change of the balance: positive for an income, negative for an outcome.
fn signed_amount(input: &ManualPaymentInput) -> Money {
    match input.transaction_type {
        TransactionType::Income => input.amount,
        TransactionType::Outcome => Money(-input.amount.0),
    }
}

/// Publishes a webhook event for each entry of these transactions, in the transaction of the posting.
pub async fn publish_payments(work: &mut UnitOfWork, txn_ids: &[LedgerTxnId]) -> Result<()> {
    if !outbox::load_subscriptions(work).await?.include_any(&[EventType::PaymentCreated]) {
        return Ok(());
    }
    let ids = load_entry_ids(work, txn_ids).await?;
    let ctx = Scope::system(&work.scope().platform, "webhooks");
    let rows = table::load_rows_from(work, &ctx, &PAYMENTS, &ids, |row: LedgerEntryRow, _| {
        row.into_response_with(true)
    })
    .await?;
    outbox::publish(
        work,
        rows.iter().map(|row| WebhookEvent::for_record(EventType::PaymentCreated, row, None)).collect(),
    )
    .await
}

// Store

/// Loads the ids of the entries of these transactions that the list of payments contains.
async fn load_entry_ids(work: &mut UnitOfWork, txn_ids: &[LedgerTxnId]) -> Result<Vec<PaymentId>> {
    let sql = Sql::new(
        "SELECT e.id FROM ledger_entries e WHERE e.account IN ('main', 'task', 'referral') AND e.txn_id IN ",
    )
    .ids(txn_ids)
    .push(" ORDER BY e.id");
    Ok(work.fetch_all::<(PaymentId,)>(sql).await?.into_iter().map(|(id,)| id).collect())
}

async fn create_manual_payment(work: &mut UnitOfWork, input: &ManualPaymentInput) -> Result<LedgerEntryRow> {
    let (user_id, amount) = (input.user_id, signed_amount(input));
    // A debit is still possible while tasks are disabled.
    if input.balance_type == BalanceType::Task && amount > Money::ZERO {
        settings::require_enabled(work, settings::TASKS_ENABLED, "tasks_off", "Tasks").await?;
    }
    let Some(user_balances) = ledger::lock_balances(work, &[user_id]).await?.remove(&user_id) else {
        return Err(Error::invalid(
            "user_id",
            "user_unknown",
            format!("There is no user {user_id}. Choose another user."),
        ));
    };
    reject_erased_user(user_balances.erasure_is_requested && amount > Money::ZERO)?;
    rank::check_user(work, user_id).await?;
    if amount > Money::ZERO {
        manual_credits::count_credit(work, amount).await?;
    }
    let (seq,): (i64,) = work
        .fetch_one(Sql::new("SELECT COALESCE(max(seq) + 1, 0) FROM ledger_txns WHERE kind = 'manual' AND ref_type = 'user' AND ref_id = ?").bind(user_id))
        .await?;
    let posting = Posting {
        cause: PostingCause { kind: "manual", ref_type: "user", ref_id: user_id.as_record_id(), seq },
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
            (Account::User(user_id, input.balance_type), amount),
            (Account::Adjustments, Money(-amount.0)),
        ],
        spent_change: None,
        cap_at_balance: false,
    };
    let txn_id = ledger::post(work, vec![posting]).await?.first().copied();
    audit::record(
        work,
        "payment.created",
        "user",
        AuditChange { id: user_id.as_record_id(), old: json!({}), new: json!(input) },
    )
    .await?;
    let sql = Sql::new("SELECT ")
        .push(COLUMNS)
        .push(FROM)
        .push(" WHERE e.txn_id = ? AND e.user_id IS NOT NULL")
        .bind(txn_id);
    Ok(work.fetch_one(sql).await?)
}

#[derive(Debug, sqlx::FromRow)]
pub struct LedgerEntryRow {
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

/// The columns of [`LedgerEntryRow`].
pub const COLUMNS: &str = "e.id, t.actor_id AS admin_id, e.amount, e.balance_after, e.account AS balance_type, e.created_at, e.order_id,
  e.payment_method_id AS method_id, m.name AS method_name, e.transaction_type, e.type AS kind, e.user_id, u.name AS user_name,
  u.email AS user_email, t.comment";
pub const FROM: &str =
    " FROM ledger_entries e JOIN ledger_txns t ON t.id = e.txn_id JOIN users u ON u.id = e.user_id
  LEFT JOIN payment_methods m ON m.id = e.payment_method_id";

impl LedgerEntryRow {
    #[must_use]
    pub fn into_response(self, scope: &Scope) -> PaymentRow {
        self.into_response_with(scope.has_permission(Permission::ViewPaymentMethods))
    }

    fn into_response_with(self, may_view_methods: bool) -> PaymentRow {
        let method = self.method_id.zip(self.method_name).map(|(id, name)| NamedRef { id, name });
        PaymentRow {
            id: self.id,
            admin_id: self.admin_id,
            amount: self.amount,
            balance_after: self.balance_after,
            balance_type: self.balance_type,
            created_at: self.created_at,
            order_id: self.order_id,
            payment_method: method.filter(|_| may_view_methods),
            transaction_type: self.transaction_type,
            kind: self.kind,
            user: UserSummary { id: self.user_id, name: self.user_name, email: self.user_email },
            comment: self.comment,
        }
    }
}
