//! Declares the list of users: columns, filters, sorting and search.

use panel_contract::amount::Money;
use panel_contract::common::NamedRef;
use panel_contract::ids::{GradeId, UserId};
use panel_contract::moment::Time;
use panel_contract::permission::Permission;
use panel_contract::users::{UserActions, UserRow, UserStatus};
use panel_domain::rank::ActingStaff;
use panel_domain::users::{self, UserFacts};

use crate::records::search_texts;
use panel_platform::scope::Scope;
use panel_platform::table::{ColumnSql, CountGroup, Join, RowSource, SearchTarget, Table, base_column, expr};

pub static USERS: Table = Table::new(
    &panel_contract::lists::users::USERS,
    RowSource {
        base: "users",
        alias: "u",
        key: "u.id",
        joins: &[
            Join { alias: "a", sql: "LEFT JOIN users a ON a.id = u.affiliate_id" },
            Join { alias: "m", sql: "LEFT JOIN users m ON m.id = u.seller_id" },
            Join { alias: "g", sql: "LEFT JOIN grades g ON g.id = u.grade_id" },
        ],
        select: SELECT,
        ..RowSource::NONE
    },
    COLUMN_SQL,
)
.global_search(&[SearchTarget::new("u.id", &search_texts::USERS, "name").own_columns(&[
    "u.name",
    "u.email",
    "u.telegram_username",
])])
.count_from("users", "");

/// Columns whose SQL is not a base column of the same name, or that have a count or an index.
const COLUMN_SQL: &[ColumnSql] = &[
    base_column("name").text_index("u.id", &search_texts::USERS, "name"),
    base_column("email").text_index("u.id", &search_texts::USERS, "email"),
    expr("balance", "u.balance_main"),
    base_column("status").count_group(CountGroup::FilterValue),
    base_column("telegram_username").text_index("u.id", &search_texts::USERS, "telegram_username"),
    expr("affiliate", "a.name").join("a").text_index("u.affiliate_id", &search_texts::USERS, ""),
    expr("affiliate.id", "u.affiliate_id"),
    expr("affiliate.name", "a.name").join("a").text_index("u.affiliate_id", &search_texts::USERS, "name"),
    expr("manager", "m.name").join("m").text_index("u.seller_id", &search_texts::USERS, ""),
    expr("manager.id", "u.seller_id"),
    expr("manager.name", "m.name").join("m").text_index("u.seller_id", &search_texts::USERS, "name"),
    expr("grade.id", "u.grade_id"),
    expr("grade.name", "g.name").join("g"),
    expr("user_service_exists", HAS_CUSTOM_PRICE_CONDITION),
];

pub(super) const HAS_CUSTOM_PRICE_CONDITION: &str =
    "EXISTS (SELECT 1 FROM user_services x WHERE x.user_id = u.id)";

pub(super) const SELECT: &str = "u.id, u.name, u.email, u.balance_main AS balance, u.spent, u.status, u.created_at, u.telegram_username,
  u.affiliate_code, a.id AS affiliate_id, a.name AS affiliate_name, m.id AS manager_id, m.name AS manager_name,
  g.id AS grade_id, g.name AS grade_name, EXISTS (SELECT 1 FROM user_services x WHERE x.user_id = u.id) AS user_service_exists,
  u.erasure_requested_at IS NOT NULL AS is_erased,
  (SELECT string_agg(h.permission, ',') FROM (SELECT p.permission FROM user_permissions p WHERE p.user_id = u.id
    UNION SELECT rp.permission FROM user_roles ur JOIN role_permissions rp ON rp.role_id = ur.role_id WHERE ur.user_id = u.id) h) AS held";

#[derive(Debug, sqlx::FromRow)]
pub struct UserListRow {
    id: UserId,
    name: String,
    email: String,
    balance: Money,
    spent: Money,
    status: UserStatus,
    created_at: Time,
    telegram_username: Option<String>,
    affiliate_code: Option<String>,
    affiliate_id: Option<UserId>,
    affiliate_name: Option<String>,
    manager_id: Option<UserId>,
    manager_name: Option<String>,
    grade_id: Option<GradeId>,
    grade_name: Option<String>,
    user_service_exists: bool,
    is_erased: bool,
    /// Permissions of the user, separated by commas.
    held: Option<String>,
}

impl UserListRow {
    #[must_use]
    pub fn into_row(self, scope: &Scope) -> UserRow {
        let can_view_grades = scope.has_permission(Permission::ViewGrades);
        let permissions =
            self.held.as_deref().unwrap_or_default().split(',').filter_map(|name| name.parse().ok());
        let facts = UserFacts {
            id: self.id,
            status: self.status,
            is_erased: self.is_erased,
            permissions: permissions.collect(),
        };
        let acting_staff = scope.caller().map(ActingStaff::from_staff_member);
        let actions =
            acting_staff.map_or_else(|_| UserActions::default(), |staff| users::actions(&facts, staff));
        let manager = named_ref(self.manager_id, self.manager_name);
        let grade = named_ref(self.grade_id, self.grade_name).filter(|_| can_view_grades);
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
            affiliate: named_ref(self.affiliate_id, self.affiliate_name),
            seller: manager.clone(),
            manager,
            current_grade: grade.clone(),
            grade,
            user_service_exists: self.user_service_exists,
            actions,
        }
    }
}

/// Returns id and name of a related record; `None` if there is no such record.
fn named_ref<I>(id: Option<I>, name: Option<String>) -> Option<NamedRef<I>> {
    id.zip(name).map(|(id, name)| NamedRef { id, name })
}
