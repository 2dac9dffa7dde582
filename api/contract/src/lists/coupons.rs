//! The list of coupons.

use crate::coupons::{BonusCalculation, CouponBonusType, CouponPaymentType};
use crate::discounts::PromotionStatus;
use crate::endpoints::coupons::ListCoupons;
use crate::lists::column::{Column, flag, fraction, id, money, number, record, text, time, word};
use crate::lists::{List, Record};

/// All coupons, newest first.
pub static COUPONS: List = List::of::<ListCoupons>("coupons", COLUMNS)
    .filters(&[flag("is_all", "Archived ones too")])
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
    word("payment_type", "Given with", CouponPaymentType::WORDS).short("with"),
    record("affiliate", "", Record::User).nullable().filter_only(),
    id("affiliate.id", "").nullable(),
    text("affiliate.email", "Referral manager").nullable().filtered_by("affiliate"),
    money("min_amount", "Smallest payment"),
    time("valid_from", "Begins"),
    time("valid_to", "Ends").nullable(),
    word("bonus_type", "Bonus", CouponBonusType::WORDS),
    word("bonus_amount_calculation_type", "Defined as", BonusCalculation::WORDS),
    fraction("bonus_percentage", "Gives").short("share").nullable(),
    money("bonus_amount", "Amount").nullable(),
    number("usage_limit", "Usage limit").short("limit").nullable(),
    money("received", "Received"),
    money("spent", "Given").short("spent"),
    number("usages", "Usages"),
    word("status", "Status", PromotionStatus::WORDS),
    time("created_at", "Created"),
];
