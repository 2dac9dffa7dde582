//! The list of coupons.

use crate::coupons::{BonusCalculation, CouponBonusType, CouponPaymentType};
use crate::discounts::PromotionStatus;
use crate::endpoints::coupons::ListCoupons;
use crate::lists::column::{Column, enum_value, flag, fraction, id, money, number, record, text, time};
use crate::lists::{List, RecordKind};

/// Coupons, newest first.
pub static COUPONS: List = List::for_endpoint::<ListCoupons>("coupons", COLUMNS)
    .filters(&[flag("is_all", "Include archived")])
    .console_columns(&[
        "id",
        "name",
        "code",
        "status",
        "payment_type",
        "bonus_fraction",
        "min_amount",
        "usages",
        "received",
        "spent",
        "valid_to",
        "affiliate.email",
        "displayable",
    ])
    .terminal_columns(&[
        "id",
        "name",
        "code",
        "status",
        "payment_type",
        "bonus_fraction",
        "bonus_amount",
        "usages",
        "usage_limit",
        "received",
        "spent",
    ])
    .validate();

const COLUMNS: &[Column] = &[
    id("id", "ID"),
    text("name", "Name").filtered_by("translated_name"),
    text("translated_name", "").filter_only(),
    text("code", "Code"),
    flag("displayable", "Shown"),
    enum_value("payment_type", "Used with", CouponPaymentType::VALUES).short_label("payment type"),
    record("affiliate", "", RecordKind::User).nullable().filter_only(),
    id("affiliate.id", "").nullable(),
    text("affiliate.email", "Affiliate").nullable().filtered_by("affiliate"),
    money("min_amount", "Minimum payment"),
    time("valid_from", "Starts"),
    time("valid_to", "Ends").nullable(),
    enum_value("bonus_type", "Bonus", CouponBonusType::VALUES),
    enum_value("bonus_amount_calculation_type", "Value type", BonusCalculation::VALUES),
    fraction("bonus_fraction", "Value").short_label("share").nullable(),
    money("bonus_amount", "Amount").nullable(),
    number("usage_limit", "Usage limit").short_label("limit").nullable(),
    money("received", "Paid by customers"),
    money("spent", "Benefits given").short_label("spent"),
    number("usages", "Usages"),
    enum_value("status", "Status", PromotionStatus::VALUES),
    time("created_at", "Created"),
];
