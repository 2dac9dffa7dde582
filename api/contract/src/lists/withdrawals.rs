//! The list of withdrawals.

use crate::endpoints::withdrawals::ListWithdrawals;
use crate::lists::column::{Column, id, money, record, text, time, word};
use crate::lists::{List, Record};
use crate::payments::BalanceType;
use crate::permission::Permission::ViewPaymentMethods;
use crate::withdrawals::WithdrawalStatus;

/// All withdrawals, newest first.
pub static WITHDRAWALS: List = List::of::<ListWithdrawals>("withdrawals", COLUMNS)
    .filters(&[id("user_id", "")])
    .wide(&[
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
    .narrow(&[
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
    .checked();

const COLUMNS: &[Column] = &[
    id("id", "ID"),
    text("account_number", "Account"),
    money("amount", "Amount"),
    word("balance_type", "Balance", BalanceType::VALUES),
    record("withdrawal_method", "", Record::PaymentMethod).needs(ViewPaymentMethods).filter_only(),
    id("withdrawal_method.id", "").needs(ViewPaymentMethods),
    text("withdrawal_method.name", "Method").needs(ViewPaymentMethods).filtered_by("withdrawal_method"),
    text("admin_note", "Reason").nullable(),
    text("user_comment", "Comment").nullable(),
    text("transaction_id", "Transaction").nullable(),
    word("status", "Status", WithdrawalStatus::VALUES),
    time("created_at", "Requested").short("created"),
    time("approved_at", "Approved").nullable(),
    time("paid_at", "Paid").nullable(),
    time("rejected_at", "Rejected").nullable(),
    record("user", "", Record::User).filter_only(),
    id("user.id", ""),
    text("user.name", "Customer").filtered_by("user"),
    text("user.email", "").short("user"),
];
