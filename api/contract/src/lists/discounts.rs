//! The list of discounts. `services` is only a filter; `discount_fraction` is the largest fraction of the services in a discount.

use crate::discounts::PromotionStatus;
use crate::endpoints::discounts::ListDiscounts;
use crate::lists::column::{Column, countries, enum_value, flag, fraction, id, number, record, text, time};
use crate::lists::{List, RecordKind};

/// Discounts, newest first.
pub static DISCOUNTS: List = List::for_endpoint::<ListDiscounts>("discounts", COLUMNS)
    .console_columns(&[
        "id",
        "name",
        "status",
        "discount_fraction",
        "services_count",
        "valid_from",
        "valid_to",
        "countries",
        "is_countdown_enabled",
    ])
    .terminal_columns(&[
        "id",
        "name",
        "status",
        "discount_fraction",
        "services_count",
        "valid_from",
        "valid_to",
    ])
    .validate();

const COLUMNS: &[Column] = &[
    id("id", "ID"),
    text("name", "Name"),
    time("created_at", "Created"),
    time("valid_from", "Starts").short_label("from"),
    time("valid_to", "Ends").short_label("to").nullable(),
    flag("is_countdown_enabled", "Countdown"),
    countries("countries", "Countries"),
    number("services_count", "Services"),
    record("services", "Service", RecordKind::Service).nullable().filter_only(),
    fraction("discount_fraction", "Discount").short_label("up to"),
    enum_value("status", "Status", PromotionStatus::VALUES),
];
