//! Loads one user with all details.

use std::collections::BTreeMap;

use panel_contract::amount::{Fraction, Money};
use panel_contract::common::NamedRef;
use panel_contract::ids::{PaymentMethodId, RoleId, UserId};
use panel_contract::moment::{Time, Timestamp};
use panel_contract::permission::{Permission, PermissionInfo};
use panel_contract::users::{Messenger, SellerStatus, User};
use panel_kernel::error::{Error, Result};

use crate::operations::affiliates;
use crate::operations::users::holds;
use crate::operations::users::list::{USERS, UserListRow};
use panel_platform::db::{Sql, SqlExecutor, counts};
use panel_platform::scope::Scope;
use panel_platform::settings;

#[derive(sqlx::FromRow)]
pub(super) struct UserDetailRow {
    account_type: String,
    deactivated_at: Option<Time>,
    frozen_at: Option<Time>,
    updated_at: Timestamp,
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
    held_amount: Money,
    grade_is_manual: bool,
    grades_enabled: bool,
    grade_discounts_enabled: bool,
    erasure_requested_at: Option<Time>,
    erased_at: Option<Time>,
}

pub(super) const SELECT_DETAIL: &str = "SELECT account_type, deactivated_at, frozen_at, updated_at, messengers, company_name, company_address, company_site, vat,
  additional_info, seller_status, contact_step, marketing_subid, notify_orders, notify_payments, referral_program_ppm, balance_referral,
  balance_task, hold_main + hold_task + hold_referral AS held_amount, grade_is_manual, grades_enabled, grade_discounts_enabled,
  erasure_requested_at, erased_at FROM users WHERE id = ?";

pub(super) async fn load(scope: &Scope, db: &mut impl SqlExecutor, id: UserId) -> Result<User> {
    let mut rows =
        panel_platform::table::load_rows_from(db, scope, &USERS, &[id], UserListRow::into_row).await?;
    let row = rows.pop().ok_or_else(|| Error::not_found("user", id))?;
    let detail: UserDetailRow = db.fetch_one(Sql::new(SELECT_DETAIL).bind(id)).await?;
    let orders_count = counts::count_orders_of_user(db, id).await?;
    let access = load_access(db, id).await?;
    let affiliates = affiliates::load_affiliates(db, id, scope.now()).await?;
    let referral_fraction = match detail.referral_program_ppm {
        Some(custom_fraction) => custom_fraction,
        None => settings::read_fraction(db, settings::DEFAULT_REFERRAL_FRACTION).await?,
    };
    Ok(User {
        seller_id: row.manager.as_ref().map(|manager| manager.id),
        row,
        account_type: detail.account_type,
        deactivated_at: detail.deactivated_at,
        frozen_at: detail.frozen_at,
        erasure_requested_at: detail.erasure_requested_at,
        erased_at: detail.erased_at,
        updated_at: detail.updated_at,
        affiliates,
        messengers: parse_messengers(&detail.messengers),
        company_name: detail.company_name,
        company_address: detail.company_address,
        company_site: detail.company_site,
        vat: detail.vat,
        additional_info: detail.additional_info,
        seller_status: detail.seller_status,
        contact_step: detail.contact_step,
        marketing_subid: detail.marketing_subid,
        notify_orders: detail.notify_orders,
        notify_payments: detail.notify_payments,
        referral_program_fraction: detail.referral_program_ppm,
        effective_referral_program_fraction: referral_fraction,
        referral_user_balance: detail.balance_referral,
        task_user_balance: detail.balance_task,
        held_amount: detail.held_amount,
        holds: holds::load_holds(scope, db, id).await?,
        orders_count,
        grade_is_manual: detail.grade_is_manual,
        grades_enabled: detail.grades_enabled,
        grade_discounts_enabled: detail.grade_discounts_enabled,
        roles: access.roles,
        permissions: access.permissions.into_values().collect(),
        payment_methods: if scope.has_permission(Permission::ViewPaymentMethods) {
            access.payment_methods
        } else {
            Vec::new()
        },
        has_api_key: access.api_key.is_some(),
        api_key_last_used_at: access.api_key.as_ref().and_then(|key| key.last_used_at),
        api_key_last_used_ip: access.api_key.and_then(|key| key.last_used_ip),
    })
}

pub(super) fn parse_messengers(text: &str) -> Vec<Messenger> {
    serde_json::from_str(text).unwrap_or_default()
}

/// Roles, permissions, payment methods and API key of a user.
#[derive(Default)]
pub(super) struct UserAccess {
    roles: Vec<NamedRef<RoleId>>,
    permissions: BTreeMap<i64, PermissionInfo>,
    payment_methods: Vec<NamedRef<PaymentMethodId>>,
    api_key: Option<ApiKeyUse>,
}

/// The last use of the reseller API key.
pub(super) struct ApiKeyUse {
    last_used_at: Option<Time>,
    last_used_ip: Option<String>,
}

pub(super) async fn load_access(db: &mut impl SqlExecutor, id: UserId) -> Result<UserAccess> {
    let sql = Sql::new(
        "SELECT 'role', r.id, r.name, CAST(0 AS BIGINT) FROM user_roles x JOIN roles r ON r.id = x.role_id WHERE x.user_id = ?
         UNION ALL SELECT 'permission', CAST(0 AS BIGINT), p.permission, CAST(0 AS BIGINT) FROM user_permissions p WHERE p.user_id = ?
         UNION ALL SELECT 'method', m.id, m.name, m.position FROM user_payment_methods x JOIN payment_methods m ON m.id = x.payment_method_id
           WHERE x.user_id = ?
         UNION ALL SELECT 'key', COALESCE(k.last_used_at, 0), COALESCE(k.last_used_ip, ''), CAST(0 AS BIGINT) FROM api_keys k WHERE k.user_id = ?
         ORDER BY 4, 3, 2",
    );
    let rows: Vec<(String, i64, String, i64)> = db.fetch_all(sql.bind(id).bind(id).bind(id).bind(id)).await?;
    let mut access = UserAccess::default();
    for (kind, number, name, _) in rows {
        match (kind.as_str(), name.parse::<Permission>()) {
            ("role", _) => access.roles.push(NamedRef { id: RoleId::new(number), name }),
            ("permission", Ok(permission)) => {
                access.permissions.insert(permission.id(), permission.into());
            }
            ("method", _) => access.payment_methods.push(NamedRef { id: PaymentMethodId::new(number), name }),
            ("key", _) => {
                let (last_used_at, last_used_ip) =
                    ((number > 0).then_some(Time(number)), Some(name).filter(|ip| !ip.is_empty()));
                access.api_key = Some(ApiKeyUse { last_used_at, last_used_ip });
            }
            _ => {}
        }
    }
    Ok(access)
}
