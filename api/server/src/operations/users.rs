//! Users: the list, the picker's search, and one user with everything about them; changes to them beside.

pub mod actions;
pub mod bulk;
pub mod change;
pub mod discount;
pub mod edit;
pub mod holds;
pub mod rules;
pub mod status;
pub mod tell;
pub mod undo;

use std::collections::BTreeMap;

use panel_contract::amount::{Fraction, Money};
use panel_contract::common::{Data, Named};
use panel_contract::endpoints::users::{GetUser, ListUsers, SearchUsers};
use panel_contract::moment::{Stamp, Time};
use panel_contract::permission::{Permission, PermissionEntry};
use panel_contract::users::{Messenger, SellerStatus, User, UserActions, UserHit, UserRow, UserStatus};

use crate::configuration::settings;
use crate::db::{Source, Sql, counts};
use crate::http::api::Api;
use crate::http::error::{ApiError, Result};
use crate::http::{Ctx, Req};
use crate::operations::affiliates;
use crate::operations::orders::list::USER_TEXTS;
use crate::operations::staff::rank::Actor;
use crate::operations::users::rules::Facts;
use crate::table::{Arm, Column, Group, Join, Kind, Table, search_ids};
use crate::words_of;

/// The kind of account that another panel gets to resell with; its orders are child-panel orders.
pub const CHILD_PANEL: &str = "child_panel";
/// Most rows of a picker.
const PICKED: i64 = 20;

// Routes

/// Adds the endpoints.
pub fn routes(api: Api) -> Api {
    api.table::<ListUsers, _, _>(&USERS, Record::shown)
        .on::<SearchUsers, _, _, _>(search)
        .on::<GetUser, _, _, _>(get)
        .with(actions::routes)
        .with(bulk::routes)
        .with(discount::routes)
}

async fn search(ctx: Ctx, req: Req<SearchUsers>) -> Result<Data<Vec<UserHit>>> {
    Ok(Data { data: hits(&ctx, req.query.query.trim()).await? })
}

async fn get(ctx: Ctx, req: Req<GetUser>) -> Result<Data<User>> {
    Ok(Data { data: load(&ctx, &mut ctx.db(), req.path).await? })
}

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
    common: &[Arm::new("u.id", &USER_TEXTS, "name").here(&["u.name", "u.email", "u.telegram_username"])],
    order: &[],
    kept: Some(("users", "")),
};

const HAS_PRICE: &str = "EXISTS (SELECT 1 FROM user_services x WHERE x.user_id = u.id)";

const COLUMNS: &[Column] = &[
    Column::new("id", "u.id", Kind::Id),
    Column::new("name", "u.name", Kind::Text).found("u.id", &USER_TEXTS, "name"),
    Column::new("email", "u.email", Kind::Text).found("u.id", &USER_TEXTS, "email"),
    Column::new("balance", "u.balance_main", Kind::Money),
    Column::new("spent", "u.spent", Kind::Money),
    Column::new("status", "u.status", words_of!(UserStatus)).counted(Group::Word),
    Column::new("created_at", "u.created_at", Kind::Time),
    Column::new("telegram_username", "u.telegram_username", Kind::Text).nullable().found(
        "u.id",
        &USER_TEXTS,
        "telegram_username",
    ),
    Column::new("affiliate_code", "u.affiliate_code", Kind::Text).nullable(),
    Column::new("affiliate", "a.name", Kind::Ref)
        .of("a")
        .nullable()
        .found("u.affiliate_id", &USER_TEXTS, "")
        .hidden(),
    Column::new("affiliate.id", "u.affiliate_id", Kind::Id).nullable(),
    Column::new("affiliate.name", "a.name", Kind::Text).of("a").nullable().found(
        "u.affiliate_id",
        &USER_TEXTS,
        "name",
    ),
    Column::new("manager", "m.name", Kind::Ref)
        .of("m")
        .nullable()
        .found("u.seller_id", &USER_TEXTS, "")
        .hidden(),
    Column::new("manager.id", "u.seller_id", Kind::Id).nullable(),
    Column::new("manager.name", "m.name", Kind::Text).of("m").nullable().found(
        "u.seller_id",
        &USER_TEXTS,
        "name",
    ),
    Column::new("seller", "m.name", Kind::Ref)
        .of("m")
        .nullable()
        .found("u.seller_id", &USER_TEXTS, "")
        .hidden(),
    Column::new("seller.id", "u.seller_id", Kind::Id).nullable().hidden(),
    Column::new("seller.name", "m.name", Kind::Text)
        .of("m")
        .nullable()
        .found("u.seller_id", &USER_TEXTS, "name")
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

const SELECT: &str = "u.id, u.name, u.email, u.balance_main AS balance, u.spent, u.status, u.created_at, u.telegram_username,
  u.affiliate_code, a.id AS affiliate_id, a.name AS affiliate_name, m.id AS manager_id, m.name AS manager_name,
  g.id AS grade_id, g.name AS grade_name, EXISTS (SELECT 1 FROM user_services x WHERE x.user_id = u.id) AS user_service_exists,
  u.erasure_requested_at IS NOT NULL AS is_erased,
  (SELECT string_agg(h.permission, ',') FROM (SELECT p.permission FROM user_permissions p WHERE p.user_id = u.id
    UNION SELECT rp.permission FROM user_roles ur JOIN role_permissions rp ON rp.role_id = ur.role_id WHERE ur.user_id = u.id) h) AS held";

// Store

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
    pub fn shown(self, ctx: &Ctx) -> UserRow {
        let named = |id: Option<i64>, name: Option<String>| id.zip(name).map(|(id, name)| Named { id, name });
        let sees_grades = ctx.may(Permission::ViewGrades);
        let held = self.held.as_deref().unwrap_or_default().split(',').filter_map(|name| name.parse().ok());
        let facts =
            Facts { id: self.id, status: self.status, is_erased: self.is_erased, held: held.collect() };
        let actions = Actor::of(ctx).map_or_else(|_| UserActions::default(), |by| rules::actions(&facts, by));
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

async fn hits(ctx: &Ctx, text: &str) -> Result<Vec<UserHit>> {
    let mut sql = Sql::new("SELECT u.id, u.name, u.email FROM users u WHERE ");
    sql = match text.parse::<i64>() {
        Ok(id) => sql.push("u.id = ? OR u.id IN (").bind(id),
        Err(_) => sql.push("u.id IN ("),
    };
    sql = match text {
        "" => sql.push("SELECT id FROM users ORDER BY id DESC LIMIT ?").bind(PICKED),
        _ => sql.append(search_ids(&USER_TEXTS, text, ctx)),
    };
    let sql = sql.push(") ORDER BY u.name, u.id LIMIT ?").bind(PICKED);
    let rows: Vec<(i64, String, String)> = (&mut ctx.db()).all(sql).await?;
    Ok(rows.into_iter().map(|(id, name, email)| UserHit { id, name, email }).collect())
}

#[derive(sqlx::FromRow)]
struct Rest {
    account_type: String,
    deactivated_at: Option<Time>,
    frozen_at: Option<Time>,
    updated_at: Stamp,
    messengers: String,
    company_name: Option<String>,
    company_address: Option<String>,
    company_site: Option<String>,
    vat: Option<String>,
    additional_info: Option<String>,
    seller_status: Option<SellerStatus>,
    contact_step: Option<String>,
    marketing_subid: Option<String>,
    notify_orders: bool,
    notify_payments: bool,
    referral_program_ppm: Option<Fraction>,
    balance_referral: Money,
    balance_task: Money,
    held: Money,
    grade_is_manual: bool,
    grades_enabled: bool,
    grade_discounts_enabled: bool,
    erasure_requested_at: Option<Time>,
    erased_at: Option<Time>,
}

const REST: &str = "SELECT account_type, deactivated_at, frozen_at, updated_at, messengers, company_name, company_address, company_site, vat,
  additional_info, seller_status, contact_step, marketing_subid, notify_orders, notify_payments, referral_program_ppm, balance_referral,
  balance_task, hold_main + hold_task + hold_referral AS held, grade_is_manual, grades_enabled, grade_discounts_enabled,
  erasure_requested_at, erased_at FROM users WHERE id = ?";

/// One user, in few statements.
async fn load(ctx: &Ctx, db: &mut impl Source, id: i64) -> Result<User> {
    let mut rows = crate::table::rows_from(db, ctx, &USERS, &[id], Record::shown).await?;
    let row = rows.pop().ok_or_else(|| ApiError::not_found("user", id))?;
    let rest: Rest = db.one(Sql::new(REST).bind(id)).await?;
    let orders_count = counts::orders_of_user(db, id).await?;
    let given = given(db, id).await?;
    let affiliates = affiliates::of(db, id, ctx.now()).await?;
    let share = match rest.referral_program_ppm {
        Some(own) => own,
        None => settings::share(db, settings::DEFAULT_REFERRAL).await?,
    };
    Ok(User {
        seller_id: row.manager.as_ref().map(|manager| manager.id),
        row,
        account_type: rest.account_type,
        deactivated_at: rest.deactivated_at,
        frozen_at: rest.frozen_at,
        erasure_requested_at: rest.erasure_requested_at,
        erased_at: rest.erased_at,
        updated_at: rest.updated_at,
        affiliates,
        messengers: messengers(&rest.messengers),
        company_name: rest.company_name,
        company_address: rest.company_address,
        company_site: rest.company_site,
        vat: rest.vat,
        additional_info: rest.additional_info,
        seller_status: rest.seller_status,
        contact_step: rest.contact_step,
        marketing_subid: rest.marketing_subid,
        notify_orders: rest.notify_orders,
        notify_payments: rest.notify_payments,
        referral_program_percent: rest.referral_program_ppm,
        effective_referral_program_percent: share,
        referral_user_balance: rest.balance_referral,
        task_user_balance: rest.balance_task,
        held: rest.held,
        holds: holds::of(ctx, db, id).await?,
        orders_count,
        grade_is_manual: rest.grade_is_manual,
        grades_enabled: rest.grades_enabled,
        grade_discounts_enabled: rest.grade_discounts_enabled,
        roles: given.roles,
        permissions: given.permissions.into_values().collect(),
        payment_methods: if ctx.may(Permission::ViewPaymentMethods) {
            given.payment_methods
        } else {
            Vec::new()
        },
        has_api_key: given.api_key.is_some(),
        api_key_last_used_at: given.api_key.as_ref().and_then(|key| key.used_at),
        api_key_last_used_ip: given.api_key.and_then(|key| key.used_from),
    })
}

fn messengers(text: &str) -> Vec<Messenger> {
    serde_json::from_str(text).unwrap_or_default()
}

/// What somebody was given.
#[derive(Default)]
struct Given {
    roles: Vec<Named>,
    permissions: BTreeMap<i64, PermissionEntry>,
    payment_methods: Vec<Named>,
    api_key: Option<Key>,
}

/// The last use of a key to the reseller API.
struct Key {
    used_at: Option<Time>,
    used_from: Option<String>,
}

async fn given(db: &mut impl Source, id: i64) -> Result<Given> {
    let sql = Sql::new(
        "SELECT 'role', r.id, r.name, CAST(0 AS BIGINT) FROM user_roles x JOIN roles r ON r.id = x.role_id WHERE x.user_id = ?
         UNION ALL SELECT 'permission', CAST(0 AS BIGINT), p.permission, CAST(0 AS BIGINT) FROM user_permissions p WHERE p.user_id = ?
         UNION ALL SELECT 'method', m.id, m.name, m.position FROM user_payment_methods x JOIN payment_methods m ON m.id = x.payment_method_id
           WHERE x.user_id = ?
         UNION ALL SELECT 'key', COALESCE(k.last_used_at, 0), COALESCE(k.last_used_ip, ''), CAST(0 AS BIGINT) FROM api_keys k WHERE k.user_id = ?
         ORDER BY 4, 3, 2",
    );
    let rows: Vec<(String, i64, String, i64)> = db.all(sql.bind(id).bind(id).bind(id).bind(id)).await?;
    let mut given = Given::default();
    for (kind, id, name, _) in rows {
        match (kind.as_str(), name.parse::<Permission>()) {
            ("role", _) => given.roles.push(Named { id, name }),
            ("permission", Ok(permission)) => {
                given.permissions.insert(permission.id(), permission.into());
            }
            ("method", _) => given.payment_methods.push(Named { id, name }),
            ("key", _) => {
                let (used_at, used_from) =
                    ((id > 0).then_some(Time(id)), Some(name).filter(|ip| !ip.is_empty()));
                given.api_key = Some(Key { used_at, used_from });
            }
            _ => {}
        }
    }
    Ok(given)
}
