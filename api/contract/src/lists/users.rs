//! The list of users.

use crate::endpoints::users::ListUsers;
use crate::lists::column::{Column, flag, id, money, record, text, time, word};
use crate::lists::{List, Record};
use crate::permission::Permission::ViewGrades;
use crate::users::UserStatus;

/// Customers and staff, newest first.
pub static USERS: List = List::of::<ListUsers>("users", COLUMNS)
    .wide(&[
        "id",
        "name",
        "email",
        "status",
        "balance",
        "spent",
        "manager.name",
        "affiliate.name",
        "grade.name",
        "user_service_exists",
        "created_at",
    ])
    .narrow(&["id", "status", "name", "email", "balance", "spent", "created_at"])
    .checked();

const COLUMNS: &[Column] = &[
    id("id", "ID"),
    text("name", "Name"),
    text("email", "Email"),
    money("balance", "Balance"),
    money("spent", "Spent"),
    word("status", "Status", UserStatus::VALUES),
    time("created_at", "Created"),
    text("telegram_username", "Telegram").nullable(),
    text("affiliate_code", "Affiliate code").nullable(),
    record("affiliate", "", Record::User).nullable().filter_only(),
    id("affiliate.id", "").nullable(),
    text("affiliate.name", "Affiliate").nullable().filtered_by("affiliate"),
    record("manager", "", Record::User).nullable().filter_only(),
    id("manager.id", "").nullable(),
    text("manager.name", "Manager").nullable().filtered_by("manager"),
    record("seller", "", Record::User).nullable().alias_of("manager").filter_only(),
    id("seller.id", "").nullable().alias_of("manager.id").filter_only(),
    text("seller.name", "").nullable().alias_of("manager.name").filter_only(),
    text("current_grade", "").nullable().needs(ViewGrades).alias_of("grade.name").filter_only(),
    id("current_grade.id", "").nullable().needs(ViewGrades).alias_of("grade.id").filter_only(),
    text("current_grade.name", "").nullable().needs(ViewGrades).alias_of("grade.name").filter_only(),
    id("grade.id", "Grade ID").nullable().needs(ViewGrades),
    text("grade.name", "Grade").nullable().needs(ViewGrades),
    flag("user_service_exists", "Custom prices"),
];
