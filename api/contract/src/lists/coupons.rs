//! The list of coupons.

use crate::coupons::{BonusCalculation, CouponBonusType, CouponPaymentType};
use crate::discounts::PromotionStatus;
use crate::endpoints::coupons::ListCoupons;
use crate::lists::column::{Column, flag, fraction, id, money, number, record, text, time, word};
use crate::lists::{List, Record};

/// All coupons, newest first.
pub static COUPONS: List = List::of::<ListCoupons>("coupons", COLUMNS)
    .filters(&[flag("is_all", "Include archived")])
    .wide(&[
        "id",
        "name",
        "code",
        "status",
        "payment_type",
        "bonus_percentage",
        "min_amount",
        "usages",
        "received",
        "spent",
        "valid_to",
        "affiliate.email",
        "displayable",
    ])
    .narrow(&[
        "id",
        "name",
        "code",
        "status",
        "payment_type",
        "bonus_percentage",
        "bonus_amount",
        "usages",
        "usage_limit",
        "received",
        "spent",
    ])
    .checked();

const COLUMNS: &[Column] = &[
    id("id", "ID"),
    text("name", "Name").filtered_by("translated_name"),
    text("translated_name", "").filter_only(),
    text("code", "Code"),
    flag("displayable", "Shown"),
    word("payment_type", "Used with", CouponPaymentType::VALUES).short("with"),
    record("affiliate", "", Record::User).nullable().filter_only(),
    id("affiliate.id", "").nullable(),
    text("affiliate.email", "Referral manager").nullable().filtered_by("affiliate"),
    money("min_amount", "Minimum payment"),
    time("valid_from", "Starts"),
    time("valid_to", "Ends").nullable(),
    word("bonus_type", "Bonus", CouponBonusType::VALUES),
    word("bonus_amount_calculation_type", "Value type", BonusCalculation::VALUES),
    fraction("bonus_percentage", "Value").short("share").nullable(),
    money("bonus_amount", "Amount").nullable(),
    number("usage_limit", "Usage limit").short("limit").nullable(),
    money("received", "Received"),
    money("spent", "Benefits given").short("spent"),
    number("usages", "Usages"),
    word("status", "Status", PromotionStatus::VALUES),
    time("created_at", "Created"),
];
