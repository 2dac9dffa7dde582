//! The list of users.

use crate::endpoints::users::ListUsers;
use crate::lists::column::{Column, enum_value, flag, id, money, record, text, time};
use crate::lists::{List, RecordKind};
use crate::permission::Permission::ViewGrades;
use crate::users::UserStatus;

/// Customers and staff, newest first.
pub static USERS: List = List::for_endpoint::<ListUsers>("users", COLUMNS)
    .console_columns(&[
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
    .terminal_columns(&["id", "status", "name", "email", "balance", "spent", "created_at"])
    .validate();

const COLUMNS: &[Column] = &[
    id("id", "ID"),
    text("name", "Name"),
    text("email", "Email"),
    money("balance", "Balance"),
    money("spent", "Spent"),
    enum_value("status", "Status", UserStatus::VALUES),
    time("created_at", "Created"),
    text("telegram_username", "Telegram").nullable(),
    text("affiliate_code", "Affiliate code").nullable(),
    record("affiliate", "", RecordKind::User).nullable().filter_only(),
    id("affiliate.id", "").nullable(),
    text("affiliate.name", "Affiliate").nullable().filtered_by("affiliate"),
    record("manager", "", RecordKind::User).nullable().filter_only(),
    id("manager.id", "").nullable(),
    text("manager.name", "Manager").nullable().filtered_by("manager"),
    record("seller", "", RecordKind::User).nullable().alias_of("manager").filter_only(),
    id("seller.id", "").nullable().alias_of("manager.id").filter_only(),
    text("seller.name", "").nullable().alias_of("manager.name").filter_only(),
    text("current_grade", "").nullable().requires(ViewGrades).alias_of("grade.name").filter_only(),
    id("current_grade.id", "").nullable().requires(ViewGrades).alias_of("grade.id").filter_only(),
    text("current_grade.name", "").nullable().requires(ViewGrades).alias_of("grade.name").filter_only(),
    id("grade.id", "Grade ID").nullable().requires(ViewGrades),
    text("grade.name", "Grade").nullable().requires(ViewGrades),
    flag("user_service_exists", "Custom prices"),
];
