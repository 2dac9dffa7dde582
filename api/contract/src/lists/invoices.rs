//! The list of invoices.

use crate::endpoints::invoices::ListInvoices;
use crate::invoices::InvoiceStatus;
use crate::lists::column::{Column, enum_value, id, money, record, text, time};
use crate::lists::{List, RecordKind};
use crate::permission::Permission::ViewPaymentMethods;

/// Invoices, newest first.
pub static INVOICES: List = List::for_endpoint::<ListInvoices>("invoices", COLUMNS)
    .filters(&[id("user_id", "")])
    .console_columns(&[
        "id",
        "created_at",
        "status",
        "short_name",
        "user.name",
        "payment_method.name",
        "amount",
        "paid_amount",
        "bonus_amount",
        "paid_at",
        "coupon.code",
    ])
    .terminal_columns(&[
        "id",
        "status",
        "created_at",
        "short_name",
        "amount",
        "paid_amount",
        "bonus_amount",
        "payment_method.name",
        "user.email",
    ])
    .validate();

const COLUMNS: &[Column] = &[
    id("id", "ID"),
    money("amount", "Amount"),
    money("paid_amount", "Received").nullable(),
    money("bonus_amount", "Bonus"),
    time("created_at", "Created"),
    time("paid_at", "Paid").nullable(),
    record("payment_method", "", RecordKind::PaymentMethod).requires(ViewPaymentMethods).filter_only(),
    id("payment_method.id", "").requires(ViewPaymentMethods),
    text("payment_method.name", "Payment method")
        .short_label("method")
        .requires(ViewPaymentMethods)
        .filtered_by("payment_method"),
    text("short_name", "Name"),
    text("coupon", "").nullable().filter_only(),
    id("coupon.id", "").nullable(),
    text("coupon.code", "Coupon").nullable().filtered_by("coupon"),
    enum_value("status", "Status", InvoiceStatus::VALUES),
    record("user", "", RecordKind::User).filter_only(),
    id("user.id", ""),
    text("user.name", "Customer").filtered_by("user"),
    text("user.email", "").short_label("user"),
];
