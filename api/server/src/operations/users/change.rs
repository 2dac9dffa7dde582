//! Changing users, one or ten thousand: locked by id, judged alone, written set-wise, audited with what really
//! changed. Never a balance, a role or a permission.

use std::collections::BTreeMap;

use panel_contract::amount::Fraction;
use panel_contract::ids::{GradeId, UserId};
use panel_contract::moment::{Stamp, Time};
use panel_contract::users::{SellerStatus, UserStatus};
use panel_domain::rank::PermissionsByUser;
use panel_domain::states::users::UserEvent;
use panel_domain::users::{self, Facts};
use panel_kernel::error::{Error, Result};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::operations::staff::rank;
use crate::operations::users::{status, tell, undo};
use panel_platform::audit;
use panel_platform::audit::change::Change;
use panel_platform::audit::restore::Snapshot;
use panel_platform::db::{Source as _, Sql, Val};
use panel_platform::work::Work;

/// A user as they are before the change, locked.
#[derive(Debug, Clone, Serialize, sqlx::FromRow)]
pub struct Before {
    /// The user's id.
    pub id: UserId,
    /// Where they stand.
    pub status: UserStatus,
    /// When the record last changed.
    #[serde(skip)]
    pub updated_at: Stamp,
    name: String,
    /// Their address.
    pub email: String,
    telegram_username: Option<String>,
    messengers: String,
    company_name: Option<String>,
    company_address: Option<String>,
    company_site: Option<String>,
    vat: Option<String>,
    additional_info: Option<String>,
    affiliate_code: Option<String>,
    /// Who brought them.
    pub affiliate_id: Option<UserId>,
    /// Who looks after them.
    pub seller_id: Option<UserId>,
    seller_status: Option<SellerStatus>,
    contact_step: Option<String>,
    marketing_subid: Option<String>,
    notify_orders: bool,
    notify_payments: bool,
    #[serde(rename = "referral_program_percent")]
    referral_program_ppm: Option<Fraction>,
    /// Their grade.
    pub grade_id: Option<GradeId>,
    /// Whether staff set it by hand.
    pub grade_is_manual: bool,
    grades_enabled: bool,
    grade_discounts_enabled: bool,
    /// When the erasure of their personal data was requested.
    #[serde(skip)]
    pub erasure_requested_at: Option<Time>,
}

const BEFORE: &str = "SELECT id, status, updated_at, name, email, telegram_username, messengers, company_name, company_address, company_site, vat,
  additional_info, affiliate_code, affiliate_id, seller_id, seller_status, contact_step, marketing_subid, notify_orders, notify_payments,
  referral_program_ppm, grade_id, grade_is_manual, grades_enabled, grade_discounts_enabled, erasure_requested_at FROM users WHERE id IN ";

/// One field to be set on all users of a change.
#[derive(Debug, Clone)]
pub struct Set {
    /// As on the wire and in the audit trail.
    name: &'static str,
    /// `column = ?`.
    write: &'static str,
    value: Val,
    shown: Value,
}

impl Set {
    /// `write` is `column = ?`; `shown` is what the audit trail says.
    pub fn new(
        name: &'static str,
        write: &'static str,
        value: impl Into<Val>,
        shown: impl Into<Value>,
    ) -> Self {
        Self { name, write, value: value.into(), shown: shown.into() }
    }
}

/// Users of `ids`, by id, locked until the work ends.
pub async fn lock(work: &mut Work, ids: &[UserId]) -> Result<BTreeMap<UserId, Before>> {
    let sql = Sql::new(BEFORE).ids(ids).push(" ORDER BY id").for_update();
    Ok(work.all::<Before>(sql).await?.into_iter().map(|user| (user.id, user)).collect())
}

/// One user, locked.
pub async fn lock_one(work: &mut Work, id: UserId) -> Result<Before> {
    lock(work, &[id]).await?.remove(&id).ok_or_else(|| Error::not_found("user", id))
}

/// What the rules ask of a user.
#[must_use]
pub fn facts(user: &Before, held: &PermissionsByUser) -> Facts {
    Facts {
        id: user.id,
        status: user.status,
        is_erased: user.erasure_requested_at.is_some(),
        held: held.get(&user.id).cloned().unwrap_or_default(),
    }
}

/// One user on whom the caller may act, locked.
pub async fn lock_within_rank(work: &mut Work, id: UserId) -> Result<Before> {
    let user = lock_one(work, id).await?;
    users::unless_erased(user.erasure_requested_at.is_some())?;
    rank::require(work, id).await?;
    Ok(user)
}

/// Sets `sets` on `users`, and notes under `event` what changed on each. Users on whom nothing changes are left alone.
pub async fn write(work: &mut Work, event: &str, users: &[&Before], sets: &[Set]) -> Result<()> {
    write_undoable(work, event, users, sets, &Snapshot::default()).await
}

/// As [`write()`], for those users whose state `before` has undoable.
pub async fn write_undoable(
    work: &mut Work,
    event: &str,
    users: &[&Before],
    sets: &[Set],
    before: &Snapshot,
) -> Result<()> {
    let changes: Vec<Change> = users.iter().filter_map(|user| difference(user, sets)).collect();
    let ids: Vec<UserId> = changes.iter().map(|change| change.id.known_as()).collect();
    if ids.is_empty() {
        return Ok(());
    }
    let now = work.stamp();
    let mut sql = Sql::new("UPDATE users SET updated_at = ?").bind(now);
    for set in sets {
        sql = sql.push(", ").push(set.write).bind(set.value.clone());
    }
    let written = work.exec(sql.push(" WHERE id IN ").ids(&ids)).await.map_err(taken)?;
    note(work, event, changes, written, before).await
}

/// Moves `users` to a status, and notes under `event` on whom it changed; those whose state `before` has are undoable.
pub async fn write_status(
    work: &mut Work,
    event: &str,
    users: &[&Before],
    to: UserStatus,
    before: &Snapshot,
) -> Result<()> {
    let set = [Set::new("status", "", to.as_str(), to.as_str())];
    let changes: Vec<Change> = users.iter().filter_map(|user| difference(user, &set)).collect();
    let ids: Vec<UserId> = changes.iter().map(|change| change.id.known_as()).collect();
    if ids.is_empty() {
        return Ok(());
    }
    let written = status::write(work, &ids, UserEvent::to(to)).await?;
    note(work, event, changes, written, before).await
}

async fn note(
    work: &mut Work,
    event: &str,
    changes: Vec<Change>,
    written: u64,
    before: &Snapshot,
) -> Result<()> {
    if usize::try_from(written).ok() != Some(changes.len()) {
        return Err(Error::conflict(
            "user_changed_meanwhile",
            "A user changed meanwhile; reload and try again.",
        ));
    }
    audit::record_undoable(work, event, &undo::USERS, before, changes.clone()).await?;
    tell::changed(work, &changes).await
}

/// What `sets` change on a user; nothing, when everything is so already.
fn difference(user: &Before, sets: &[Set]) -> Option<Change> {
    let all = serde_json::to_value(user).unwrap_or_default();
    let (mut old, mut new) = (Map::new(), Map::new());
    for set in sets {
        let before = all.get(set.name).cloned().unwrap_or(Value::Null);
        if before != set.shown {
            old.insert(set.name.to_owned(), before);
            new.insert(set.name.to_owned(), set.shown.clone());
        }
    }
    (!new.is_empty()).then(|| Change { id: user.id.record(), old: old.into(), new: new.into() })
}

/// Names the field whose value somebody else has.
fn taken(error: panel_platform::db::DbError) -> Error {
    match error.is_unique() {
        true if error.to_string().contains("affiliate_code") => Error::invalid(
            "affiliate_code",
            "affiliate_code_taken",
            "Somebody has this affiliate code already; take another.",
        ),
        true => Error::invalid("email", "email_taken", "Another user has this email address; take another."),
        false => error.into(),
    }
}
