//! The list of discounts.

use crate::discounts::PromotionStatus;
use crate::endpoints::discounts::ListDiscounts;
use crate::lists::column::{Column, countries, flag, fraction, id, number, record, text, time, word};
use crate::lists::{List, Record};

/// All discounts, newest first.
pub static DISCOUNTS: List = List::of::<ListDiscounts>("discounts", COLUMNS)
    .wide(&[
        "id",
        "name",
        "status",
        "discount_percent",
        "services_count",
        "valid_from",
        "valid_to",
        "countries",
        "is_countdown_enabled",
    ])
    .narrow(&["id", "name", "status", "discount_percent", "services_count", "valid_from", "valid_to"])
    .checked();

const COLUMNS: &[Column] = &[
    id("id", "ID"),
    text("name", "Name"),
    time("created_at", "Created"),
    time("valid_from", "Starts").short("from"),
    time("valid_to", "Ends").short("to").nullable(),
    flag("is_countdown_enabled", "Countdown"),
    countries("countries", "Countries"),
    number("services_count", "Services"),
    record("services", "Service", Record::Service).nullable().filter_only(),
    fraction("discount_percent", "Discount").short("up to"),
    word("status", "Status", PromotionStatus::VALUES),
];
