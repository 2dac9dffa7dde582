//! The list of withdrawals.

use crate::endpoints::withdrawals::ListWithdrawals;
use crate::lists::column::{Column, enum_value, id, money, record, text, time};
use crate::lists::{List, RecordKind};
use crate::payments::BalanceType;
use crate::permission::Permission::ViewPaymentMethods;
use crate::withdrawals::WithdrawalStatus;

/// Withdrawals, newest first.
pub static WITHDRAWALS: List = List::for_endpoint::<ListWithdrawals>("withdrawals", COLUMNS)
    .filters(&[id("user_id", "")])
    .console_columns(&[
        "id",
        "created_at",
        "status",
        "amount",
        "withdrawal_method.name",
        "account_number",
        "user.name",
        "user_comment",
        "transaction_id",
    ])
    .terminal_columns(&[
        "id",
        "status",
        "created_at",
        "amount",
        "withdrawal_method.name",
        "account_number",
        "user.email",
        "transaction_id",
        "user_comment",
    ])
    .validate();

const COLUMNS: &[Column] = &[
    id("id", "ID"),
    text("account_number", "Account"),
    money("amount", "Amount"),
    enum_value("balance_type", "Balance", BalanceType::VALUES),
    record("withdrawal_method", "", RecordKind::PaymentMethod).requires(ViewPaymentMethods).filter_only(),
    id("withdrawal_method.id", "").requires(ViewPaymentMethods),
    text("withdrawal_method.name", "Method").requires(ViewPaymentMethods).filtered_by("withdrawal_method"),
    text("admin_note", "Reason").nullable(),
    text("user_comment", "Comment").nullable(),
    text("transaction_id", "Transaction").nullable(),
    enum_value("status", "Status", WithdrawalStatus::VALUES),
    time("created_at", "Requested").short_label("created"),
    time("approved_at", "Approved").nullable(),
    time("paid_at", "Paid").nullable(),
    time("rejected_at", "Rejected").nullable(),
    record("user", "", RecordKind::User).filter_only(),
    id("user.id", ""),
    text("user.name", "Customer").filtered_by("user"),
    text("user.email", "").short_label("user"),
];
