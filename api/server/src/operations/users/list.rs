//! The list of users.

use panel_contract::amount::Money;
use panel_contract::common::Named;
use panel_contract::moment::Time;
use panel_contract::permission::Permission;
use panel_contract::users::{UserActions, UserRow, UserStatus};

use crate::operations::staff::rank::ActingStaff;
use crate::operations::users::rules;
use crate::operations::users::rules::Facts;
use crate::records::search_texts;
use panel_platform::scope::Scope;
use panel_platform::table::{Arm, Column, Group, Join, Kind, Table};
use panel_platform::words_of;

/// The users list.
pub static USERS: Table = Table {
    name: "users",
    base: "users",
    alias: "u",
    key: "u.id",
    scope: None,
    joins: &[
        Join { alias: "a", sql: "LEFT JOIN users a ON a.id = u.affiliate_id" },
        Join { alias: "m", sql: "LEFT JOIN users m ON m.id = u.seller_id" },
        Join { alias: "g", sql: "LEFT JOIN grades g ON g.id = u.grade_id" },
    ],
    select: SELECT,
    columns: COLUMNS,
    plain: &[],
    common: &[Arm::new("u.id", &search_texts::USERS, "name").here(&[
        "u.name",
        "u.email",
        "u.telegram_username",
    ])],
    order: &[],
    kept: Some(("users", "")),
};

pub(super) const HAS_PRICE: &str = "EXISTS (SELECT 1 FROM user_services x WHERE x.user_id = u.id)";

pub(super) const COLUMNS: &[Column] = &[
    Column::new("id", "u.id", Kind::Id),
    Column::new("name", "u.name", Kind::Text).found("u.id", &search_texts::USERS, "name"),
    Column::new("email", "u.email", Kind::Text).found("u.id", &search_texts::USERS, "email"),
    Column::new("balance", "u.balance_main", Kind::Money),
    Column::new("spent", "u.spent", Kind::Money),
    Column::new("status", "u.status", words_of!(UserStatus)).counted(Group::Word),
    Column::new("created_at", "u.created_at", Kind::Time),
    Column::new("telegram_username", "u.telegram_username", Kind::Text).nullable().found(
        "u.id",
        &search_texts::USERS,
        "telegram_username",
    ),
    Column::new("affiliate_code", "u.affiliate_code", Kind::Text).nullable(),
    Column::new("affiliate", "a.name", Kind::Ref)
        .of("a")
        .nullable()
        .found("u.affiliate_id", &search_texts::USERS, "")
        .hidden(),
    Column::new("affiliate.id", "u.affiliate_id", Kind::Id).nullable(),
    Column::new("affiliate.name", "a.name", Kind::Text).of("a").nullable().found(
        "u.affiliate_id",
        &search_texts::USERS,
        "name",
    ),
    Column::new("manager", "m.name", Kind::Ref)
        .of("m")
        .nullable()
        .found("u.seller_id", &search_texts::USERS, "")
        .hidden(),
    Column::new("manager.id", "u.seller_id", Kind::Id).nullable(),
    Column::new("manager.name", "m.name", Kind::Text).of("m").nullable().found(
        "u.seller_id",
        &search_texts::USERS,
        "name",
    ),
    Column::new("seller", "m.name", Kind::Ref)
        .of("m")
        .nullable()
        .found("u.seller_id", &search_texts::USERS, "")
        .hidden(),
    Column::new("seller.id", "u.seller_id", Kind::Id).nullable().hidden(),
    Column::new("seller.name", "m.name", Kind::Text)
        .of("m")
        .nullable()
        .found("u.seller_id", &search_texts::USERS, "name")
        .hidden(),
    Column::new("current_grade", "g.name", Kind::Text)
        .of("g")
        .nullable()
        .only(Permission::ViewGrades)
        .hidden(),
    Column::new("current_grade.id", "u.grade_id", Kind::Id).nullable().only(Permission::ViewGrades).hidden(),
    Column::new("current_grade.name", "g.name", Kind::Text)
        .of("g")
        .nullable()
        .only(Permission::ViewGrades)
        .hidden(),
    Column::new("grade.id", "u.grade_id", Kind::Id).nullable().only(Permission::ViewGrades),
    Column::new("grade.name", "g.name", Kind::Text).of("g").nullable().only(Permission::ViewGrades),
    Column::new("user_service_exists", HAS_PRICE, Kind::Flag),
];

pub(super) const SELECT: &str = "u.id, u.name, u.email, u.balance_main AS balance, u.spent, u.status, u.created_at, u.telegram_username,
  u.affiliate_code, a.id AS affiliate_id, a.name AS affiliate_name, m.id AS manager_id, m.name AS manager_name,
  g.id AS grade_id, g.name AS grade_name, EXISTS (SELECT 1 FROM user_services x WHERE x.user_id = u.id) AS user_service_exists,
  u.erasure_requested_at IS NOT NULL AS is_erased,
  (SELECT string_agg(h.permission, ',') FROM (SELECT p.permission FROM user_permissions p WHERE p.user_id = u.id
    UNION SELECT rp.permission FROM user_roles ur JOIN role_permissions rp ON rp.role_id = ur.role_id WHERE ur.user_id = u.id) h) AS held";

/// A user as the database has them.
#[derive(Debug, sqlx::FromRow)]
pub struct Record {
    id: i64,
    name: String,
    email: String,
    balance: Money,
    spent: Money,
    status: UserStatus,
    created_at: Time,
    telegram_username: Option<String>,
    affiliate_code: Option<String>,
    affiliate_id: Option<i64>,
    affiliate_name: Option<String>,
    manager_id: Option<i64>,
    manager_name: Option<String>,
    grade_id: Option<i64>,
    grade_name: Option<String>,
    user_service_exists: bool,
    is_erased: bool,
    held: Option<String>,
}

impl Record {
    /// As lists show it.
    #[must_use]
    pub fn shown(self, scope: &Scope) -> UserRow {
        let named = |id: Option<i64>, name: Option<String>| id.zip(name).map(|(id, name)| Named { id, name });
        let sees_grades = scope.may(Permission::ViewGrades);
        let held = self.held.as_deref().unwrap_or_default().split(',').filter_map(|name| name.parse().ok());
        let facts =
            Facts { id: self.id, status: self.status, is_erased: self.is_erased, held: held.collect() };
        let actions =
            ActingStaff::of(scope).map_or_else(|_| UserActions::default(), |by| rules::actions(&facts, by));
        let manager = named(self.manager_id, self.manager_name);
        let grade = named(self.grade_id, self.grade_name).filter(|_| sees_grades);
        UserRow {
            id: self.id,
            name: self.name,
            email: self.email,
            balance: self.balance,
            spent: self.spent,
            status: self.status,
            created_at: self.created_at,
            telegram_username: self.telegram_username,
            affiliate_code: self.affiliate_code,
            affiliate: named(self.affiliate_id, self.affiliate_name),
            seller: manager.clone(),
            manager,
            current_grade: grade.clone(),
            grade,
            user_service_exists: self.user_service_exists,
            actions,
        }
    }
}
