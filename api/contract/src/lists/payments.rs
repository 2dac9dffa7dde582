//! Lists of movements on the balances of customers: payments and transactions.

use crate::endpoints::payments::{ListPayments, ListTransactions};
use crate::lists::column::{Column, enum_value, id, money, record, text, time};
use crate::lists::{List, RecordKind};
use crate::payments::{BalanceType, PaymentType, TransactionType};
use crate::permission::Permission::ViewPaymentMethods;

/// Movements on the balances of customers, newest first.
pub static PAYMENTS: List = List::for_endpoint::<ListPayments>("payments", COLUMNS)
    .filters(&[id("user_id", ""), id("order_id", "Order")])
    .console_columns(&[
        "id",
        "created_at",
        "user.name",
        "type",
        "transaction_type",
        "balance_type",
        "amount",
        "balance_after",
        "payment_method.name",
        "order_id",
        "admin_id",
    ])
    .terminal_columns(&[
        "id",
        "created_at",
        "type",
        "amount",
        "balance_after",
        "balance_type",
        "user.email",
        "order_id",
        "payment_method.name",
        "comment",
    ])
    .validate();

/// The same movements, returned by the endpoint of the transactions page.
pub static TRANSACTIONS: List = PAYMENTS.served_by::<ListTransactions>("transactions");

const COLUMNS: &[Column] = &[
    id("id", "ID"),
    id("admin_id", "By").nullable(),
    money("amount", "Amount"),
    money("balance_after", "Balance after").short_label("after"),
    enum_value("balance_type", "Balance", BalanceType::VALUES),
    time("created_at", "Created"),
    id("order_id", "Order").nullable(),
    record("payment_method", "", RecordKind::PaymentMethod)
        .nullable()
        .requires(ViewPaymentMethods)
        .filter_only(),
    id("payment_method.id", "").nullable().requires(ViewPaymentMethods),
    text("payment_method.name", "Payment method")
        .short_label("method")
        .nullable()
        .requires(ViewPaymentMethods)
        .filtered_by("payment_method"),
    enum_value("transaction_type", "Direction", TransactionType::VALUES),
    enum_value("type", "Type", PaymentType::VALUES),
    record("user", "", RecordKind::User).filter_only(),
    id("user.id", ""),
    text("user.name", "Customer").filtered_by("user"),
    text("user.email", "").short_label("user"),
    text("comment", "Comment").nullable(),
];
