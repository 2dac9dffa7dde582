//! The list of payment methods.

use crate::endpoints::payment_methods::ListPaymentMethods;
use crate::lists::column::{Column, enum_value, exact_text, flag, fraction, id, money, number, text, time};
use crate::lists::{ASCENDING, List};
use crate::payment_methods::{ChargeType, PaymentMethodStatus, PaymentMethodType, PaymentStrategy};

/// Payment methods, in the order that staff set.
pub static PAYMENT_METHODS: List = List::for_endpoint::<ListPaymentMethods>("payment-methods", COLUMNS)
    .order(&[("sorting", ASCENDING)])
    .console_columns(&[
        "sorting",
        "id",
        "name",
        "type",
        "status",
        "fee_fraction",
        "min_amount",
        "max_amount",
        "charge_currency",
        "is_allowed_for_new_user",
    ])
    .terminal_columns(&[
        "position",
        "id",
        "name",
        "type",
        "status",
        "fee_fraction",
        "min_amount",
        "max_amount",
        "charge_currency",
        "is_allowed_for_new_user",
    ])
    .validate();

const COLUMNS: &[Column] = &[
    id("id", "ID"),
    text("name", "Name"),
    enum_value("type", "Type", PaymentMethodType::VALUES),
    enum_value("status", "Status", PaymentMethodStatus::VALUES),
    flag("is_enabled", ""),
    flag("is_allowed_for_new_user", "New customers").short_label("new users"),
    fraction("fee_fraction", "Fee"),
    money("min_amount", "From").short_label("min"),
    money("max_amount", "Up to").short_label("max").nullable(),
    exact_text("charge_currency", "Currency"),
    enum_value("charge_type", "Fee type", ChargeType::VALUES),
    enum_value("strategy", "Payment confirmation", PaymentStrategy::VALUES),
    number("sorting", "Position"),
    // The same value as `sorting`; the specification has both names.
    number("position", ""),
    time("created_at", "Created"),
];
