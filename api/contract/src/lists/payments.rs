//! Lists of movements on balances, under two endpoints.

use crate::endpoints::payments::{ListPayments, ListTransactions};
use crate::lists::column::{Column, id, money, record, text, time, word};
use crate::lists::{List, Record};
use crate::payments::{BalanceType, PaymentType, TransactionType};
use crate::permission::Permission::ViewPaymentMethods;

/// Movements on the balances of customers, newest first.
pub static PAYMENTS: List = List::of::<ListPayments>("payments", COLUMNS)
    .filters(&[id("user_id", ""), id("order_id", "Order")])
    .wide(&[
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
    .narrow(&[
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
    .checked();

/// The same movements for the transactions page.
pub static TRANSACTIONS: List = PAYMENTS.answered_by::<ListTransactions>("transactions");

const COLUMNS: &[Column] = &[
    id("id", "ID"),
    id("admin_id", "By").nullable(),
    money("amount", "Amount"),
    money("balance_after", "Balance after").short("after"),
    word("balance_type", "Balance", BalanceType::VALUES),
    time("created_at", "Created"),
    id("order_id", "Order").nullable(),
    record("payment_method", "", Record::PaymentMethod).nullable().needs(ViewPaymentMethods).filter_only(),
    id("payment_method.id", "").nullable().needs(ViewPaymentMethods),
    text("payment_method.name", "Payment method")
        .short("method")
        .nullable()
        .needs(ViewPaymentMethods)
        .filtered_by("payment_method"),
    word("transaction_type", "Direction", TransactionType::VALUES),
    word("type", "Type", PaymentType::VALUES),
    record("user", "", Record::User).filter_only(),
    id("user.id", ""),
    text("user.name", "Customer").filtered_by("user"),
    text("user.email", "").short("user"),
    text("comment", "Comment").nullable(),
];
