//! The list of invoices.

use crate::endpoints::invoices::ListInvoices;
use crate::invoices::InvoiceStatus;
use crate::lists::column::{Column, id, money, record, text, time, word};
use crate::lists::{List, Record};
use crate::permission::Permission::ViewPaymentMethods;

/// All invoices, newest first.
pub static INVOICES: List = List::of::<ListInvoices>("invoices", COLUMNS)
    .filters(&[id("user_id", "")])
    .wide(&[
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
    .narrow(&[
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
    .checked();

const COLUMNS: &[Column] = &[
    id("id", "ID"),
    money("amount", "Amount"),
    money("paid_amount", "Received").nullable(),
    money("bonus_amount", "Bonus"),
    time("created_at", "Created"),
    time("paid_at", "Paid").nullable(),
    record("payment_method", "", Record::PaymentMethod).needs(ViewPaymentMethods).filter_only(),
    id("payment_method.id", "").needs(ViewPaymentMethods),
    text("payment_method.name", "Payment method")
        .short("method")
        .needs(ViewPaymentMethods)
        .filtered_by("payment_method"),
    text("short_name", "Name"),
    text("coupon", "").nullable().filter_only(),
    id("coupon.id", "").nullable(),
    text("coupon.code", "Coupon").nullable().filtered_by("coupon"),
    word("status", "Status", InvoiceStatus::VALUES),
    record("user", "", Record::User).filter_only(),
    id("user.id", ""),
    text("user.name", "Customer").filtered_by("user"),
    text("user.email", "").short("user"),
];
