//! Updates one user or thousands of users: locks them in the order of their ids, writes them in one statement, and writes an audit
//! entry for the fields that changed. Never changes a balance, a role or a permission.

use std::collections::BTreeMap;

use panel_contract::amount::Fraction;
use panel_contract::ids::{GradeId, UserId};
use panel_contract::moment::{Time, Timestamp};
use panel_contract::users::{SellerStatus, UserStatus};
use panel_domain::rank::PermissionsByUser;
use panel_domain::states::users::UserEvent;
use panel_domain::users::{self, UserFacts};
use panel_kernel::error::{Error, Result};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::operations::staff::rank;
use crate::operations::users::{status, undo, webhook_events};
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::audit::restore::Snapshot;
use panel_platform::db::{Sql, SqlExecutor as _, Val};
use panel_platform::work::UnitOfWork;

/// A locked user before the change. Its serialized fields are the old values of the audit entry.
#[derive(Debug, Clone, Serialize, sqlx::FromRow)]
pub struct LockedUser {
    pub id: UserId,
    pub status: UserStatus,
    #[serde(skip)]
    pub updated_at: Timestamp,
    name: String,
    pub email: String,
    telegram_username: Option<String>,
    messengers: String,
    company_name: Option<String>,
    company_address: Option<String>,
    company_site: Option<String>,
    vat: Option<String>,
    additional_info: Option<String>,
    affiliate_code: Option<String>,
    pub affiliate_id: Option<UserId>,
    /// The staff member who manages the customer.
    pub seller_id: Option<UserId>,
    seller_status: Option<SellerStatus>,
    contact_step: Option<String>,
    marketing_subid: Option<String>,
    notify_orders: bool,
    notify_payments: bool,
    #[serde(rename = "referral_program_fraction")]
    referral_program_ppm: Option<Fraction>,
    pub grade_id: Option<GradeId>,
    /// Whether staff set the grade, so that no automatic promotion changes it.
    pub grade_is_manual: bool,
    grades_enabled: bool,
    grade_discounts_enabled: bool,
    /// When staff requested the erasure of the personal data.
    #[serde(skip)]
    pub erasure_requested_at: Option<Time>,
}

const SELECT_LOCKED: &str = "SELECT id, status, updated_at, name, email, telegram_username, messengers, company_name, company_address, company_site, vat,
  additional_info, affiliate_code, affiliate_id, seller_id, seller_status, contact_step, marketing_subid, notify_orders, notify_payments,
  referral_program_ppm, grade_id, grade_is_manual, grades_enabled, grade_discounts_enabled, erasure_requested_at FROM users WHERE id IN ";

/// A new value of one field, which a change writes to all of its users.
#[derive(Debug, Clone)]
pub struct FieldUpdate {
    /// Name of the field in the API and in the audit trail.
    name: &'static str,
    /// The SQL `column = ?`.
    assignment: &'static str,
    value: Val,
    audit_value: Value,
}

impl FieldUpdate {
    /// `assignment` is the SQL `column = ?`; `audit_value` is the value in the audit trail.
    pub fn new(
        name: &'static str,
        assignment: &'static str,
        value: impl Into<Val>,
        audit_value: impl Into<Value>,
    ) -> Self {
        Self { name, assignment, value: value.into(), audit_value: audit_value.into() }
    }
}

/// Locks the users with these ids until the transaction ends. The result omits unknown ids.
pub async fn lock_users(work: &mut UnitOfWork, ids: &[UserId]) -> Result<BTreeMap<UserId, LockedUser>> {
    let sql = Sql::new(SELECT_LOCKED).ids(ids).push(" ORDER BY id").for_update();
    Ok(work.fetch_all::<LockedUser>(sql).await?.into_iter().map(|user| (user.id, user)).collect())
}

pub async fn lock_user(work: &mut UnitOfWork, id: UserId) -> Result<LockedUser> {
    lock_users(work, &[id]).await?.remove(&id).ok_or_else(|| Error::not_found("user", id))
}

/// Builds the input of the rules for a user.
#[must_use]
pub fn user_facts(user: &LockedUser, permissions: &PermissionsByUser) -> UserFacts {
    UserFacts {
        id: user.id,
        status: user.status,
        is_erased: user.erasure_requested_at.is_some(),
        permissions: permissions.get(&user.id).cloned().unwrap_or_default(),
    }
}

/// Locks one user. Returns an error if the user was erased or has permissions that the caller does not have.
pub async fn lock_within_rank(work: &mut UnitOfWork, id: UserId) -> Result<LockedUser> {
    let user = lock_user(work, id).await?;
    users::reject_erased_user(user.erasure_requested_at.is_some())?;
    rank::check_user(work, id).await?;
    Ok(user)
}

/// Applies `updates` to `users`, and writes an audit entry `event` for the changed fields of each user. Users without a change are
/// not written.
pub async fn write_updates(
    work: &mut UnitOfWork,
    event: &str,
    users: &[&LockedUser],
    updates: &[FieldUpdate],
) -> Result<()> {
    write_undoable(work, event, users, updates, &Snapshot::default()).await
}

/// Like [`write_updates`]; `before` holds the previous states of the users for whom staff can undo the change.
pub async fn write_undoable(
    work: &mut UnitOfWork,
    event: &str,
    users: &[&LockedUser],
    updates: &[FieldUpdate],
    before: &Snapshot,
) -> Result<()> {
    let changes: Vec<AuditChange> = users.iter().filter_map(|user| changed_fields(user, updates)).collect();
    let ids: Vec<UserId> = changes.iter().map(|change| change.id.typed_as()).collect();
    if ids.is_empty() {
        return Ok(());
    }
    let now = work.timestamp();
    let mut sql = Sql::new("UPDATE users SET updated_at = ?").bind(now);
    for update in updates {
        sql = sql.push(", ").push(update.assignment).bind(update.value.clone());
    }
    let affected_rows = work.execute(sql.push(" WHERE id IN ").ids(&ids)).await.map_err(to_field_error)?;
    record_changes(work, event, changes, affected_rows, before).await
}

/// Sets the status of `users`, and writes an audit entry `event` for each change. `before` holds the previous states of the users
/// for whom staff can undo the change.
pub async fn write_status(
    work: &mut UnitOfWork,
    event: &str,
    users: &[&LockedUser],
    new_status: UserStatus,
    before: &Snapshot,
) -> Result<()> {
    let updates = [FieldUpdate::new("status", "", new_status.as_str(), new_status.as_str())];
    let changes: Vec<AuditChange> = users.iter().filter_map(|user| changed_fields(user, &updates)).collect();
    let ids: Vec<UserId> = changes.iter().map(|change| change.id.typed_as()).collect();
    if ids.is_empty() {
        return Ok(());
    }
    let affected_rows = status::set_status(work, &ids, UserEvent::to(new_status)).await?;
    record_changes(work, event, changes, affected_rows, before).await
}

async fn record_changes(
    work: &mut UnitOfWork,
    event: &str,
    changes: Vec<AuditChange>,
    affected_rows: u64,
    before: &Snapshot,
) -> Result<()> {
    if usize::try_from(affected_rows).ok() != Some(changes.len()) {
        return Err(Error::conflict(
            "user_changed_meanwhile",
            "Another request changed the user. Reload the user and try again.",
        ));
    }
    audit::record_undoable(work, event, &undo::USERS, before, changes.clone()).await?;
    webhook_events::publish_changes(work, &changes).await
}

/// Returns the fields of a user that `updates` change; `None` if all fields already have the new values.
fn changed_fields(user: &LockedUser, updates: &[FieldUpdate]) -> Option<AuditChange> {
    let current_values = serde_json::to_value(user).unwrap_or_default();
    let (mut old, mut new) = (Map::new(), Map::new());
    for update in updates {
        let current_value = current_values.get(update.name).cloned().unwrap_or(Value::Null);
        if current_value != update.audit_value {
            old.insert(update.name.to_owned(), current_value);
            new.insert(update.name.to_owned(), update.audit_value.clone());
        }
    }
    (!new.is_empty()).then(|| AuditChange { id: user.id.as_record_id(), old: old.into(), new: new.into() })
}

/// Converts a unique violation to an error of the field whose value another user already has.
fn to_field_error(error: panel_platform::db::DbError) -> Error {
    match error.is_unique() {
        true if error.to_string().contains("affiliate_code") => Error::invalid(
            "affiliate_code",
            "affiliate_code_taken",
            "Another user has this affiliate code. Enter a different one.",
        ),
        true => Error::invalid(
            "email",
            "email_taken",
            "Another user has this email address. Enter a different one.",
        ),
        false => error.into(),
    }
}
