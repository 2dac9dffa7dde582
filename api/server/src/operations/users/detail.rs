//! One user with everything about them.

use std::collections::BTreeMap;

use panel_contract::amount::{Fraction, Money};
use panel_contract::common::Named;
use panel_contract::ids::{PaymentMethodId, RoleId, UserId};
use panel_contract::moment::{Stamp, Time};
use panel_contract::permission::{Permission, PermissionEntry};
use panel_contract::users::{Messenger, SellerStatus, User};
use panel_kernel::error::{Error, Result};

use crate::operations::affiliates;
use crate::operations::users::holds;
use crate::operations::users::list::{Record, USERS};
use panel_platform::db::{Source, Sql, counts};
use panel_platform::scope::Scope;
use panel_platform::settings;

#[derive(sqlx::FromRow)]
pub(super) struct Rest {
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

pub(super) const REST: &str = "SELECT account_type, deactivated_at, frozen_at, updated_at, messengers, company_name, company_address, company_site, vat,
  additional_info, seller_status, contact_step, marketing_subid, notify_orders, notify_payments, referral_program_ppm, balance_referral,
  balance_task, hold_main + hold_task + hold_referral AS held, grade_is_manual, grades_enabled, grade_discounts_enabled,
  erasure_requested_at, erased_at FROM users WHERE id = ?";

/// One user, in few statements.
pub(super) async fn load(scope: &Scope, db: &mut impl Source, id: UserId) -> Result<User> {
    let mut rows = panel_platform::table::rows_from(db, scope, &USERS, &[id], Record::shown).await?;
    let row = rows.pop().ok_or_else(|| Error::not_found("user", id))?;
    let rest: Rest = db.one(Sql::new(REST).bind(id)).await?;
    let orders_count = counts::orders_of_user(db, id).await?;
    let given = given(db, id).await?;
    let affiliates = affiliates::of(db, id, scope.now()).await?;
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
        holds: holds::of(scope, db, id).await?,
        orders_count,
        grade_is_manual: rest.grade_is_manual,
        grades_enabled: rest.grades_enabled,
        grade_discounts_enabled: rest.grade_discounts_enabled,
        roles: given.roles,
        permissions: given.permissions.into_values().collect(),
        payment_methods: if scope.may(Permission::ViewPaymentMethods) {
            given.payment_methods
        } else {
            Vec::new()
        },
        has_api_key: given.api_key.is_some(),
        api_key_last_used_at: given.api_key.as_ref().and_then(|key| key.used_at),
        api_key_last_used_ip: given.api_key.and_then(|key| key.used_from),
    })
}

pub(super) fn messengers(text: &str) -> Vec<Messenger> {
    serde_json::from_str(text).unwrap_or_default()
}

/// The roles and permissions of a user.
#[derive(Default)]
pub(super) struct Given {
    roles: Vec<Named<RoleId>>,
    permissions: BTreeMap<i64, PermissionEntry>,
    payment_methods: Vec<Named<PaymentMethodId>>,
    api_key: Option<Key>,
}

/// The last use of a key to the reseller API.
pub(super) struct Key {
    used_at: Option<Time>,
    used_from: Option<String>,
}

pub(super) async fn given(db: &mut impl Source, id: UserId) -> Result<Given> {
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
    for (kind, number, name, _) in rows {
        match (kind.as_str(), name.parse::<Permission>()) {
            ("role", _) => given.roles.push(Named { id: RoleId::new(number), name }),
            ("permission", Ok(permission)) => {
                given.permissions.insert(permission.id(), permission.into());
            }
            ("method", _) => given.payment_methods.push(Named { id: PaymentMethodId::new(number), name }),
            ("key", _) => {
                let (used_at, used_from) =
                    ((number > 0).then_some(Time(number)), Some(name).filter(|ip| !ip.is_empty()));
                given.api_key = Some(Key { used_at, used_from });
            }
            _ => {}
        }
    }
    Ok(given)
}
