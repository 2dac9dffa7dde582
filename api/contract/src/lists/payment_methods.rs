//! The list of payment methods.

use crate::endpoints::payment_methods::ListPaymentMethods;
use crate::lists::List;
use crate::lists::column::{Column, exact, flag, fraction, id, money, number, text, time, word};
use crate::payment_methods::{ChargeType, PaymentMethodStatus, PaymentMethodType, PaymentStrategy};

/// Payment methods, in the order set by staff.
pub static PAYMENT_METHODS: List = List::of::<ListPaymentMethods>("payment-methods", COLUMNS)
    .order(&[("sorting", false)])
    .wide(&[
        "sorting",
        "id",
        "name",
        "type",
        "status",
        "fee_percent",
        "min_amount",
        "max_amount",
        "charge_currency",
        "is_allowed_for_new_user",
    ])
    .narrow(&[
        "position",
        "id",
        "name",
        "type",
        "status",
        "fee_percent",
        "min_amount",
        "max_amount",
        "charge_currency",
        "is_allowed_for_new_user",
    ])
    .checked();

const COLUMNS: &[Column] = &[
    id("id", "ID"),
    text("name", "Name"),
    word("type", "Type", PaymentMethodType::VALUES),
    word("status", "Status", PaymentMethodStatus::VALUES),
    flag("is_enabled", ""),
    flag("is_allowed_for_new_user", "New customers").short("new users"),
    fraction("fee_percent", "Fee"),
    money("min_amount", "From").short("min"),
    money("max_amount", "Up to").short("max").nullable(),
    exact("charge_currency", "Currency"),
    word("charge_type", "Fee type", ChargeType::VALUES),
    word("strategy", "Payment confirmation", PaymentStrategy::VALUES),
    number("sorting", "Position"),
    // The same value under the second name of the specification.
    number("position", ""),
    time("created_at", "Created"),
];
