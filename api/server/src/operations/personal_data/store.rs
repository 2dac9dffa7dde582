//! Loads the open obligations of a customer, closes the account, and stores the progress of erasures. Only [`super::table_batch`]
//! reads and writes the records of the declared tables.

use panel_contract::amount::Money;
use panel_contract::ids::{RecordId, UserId};
use panel_contract::moment::Time;
use panel_domain::states::users::UserEvent;
use panel_kernel::error::{Error, Result};

use crate::auth::store::throttle;
use crate::operations::personal_data::table_batch::{Cursor, stored_id};
use crate::operations::personal_data::tables::{PersonalTable, RowOwner};
use crate::operations::staff;
use crate::operations::users::status;
use panel_domain::personal_data::OpenObligations;
use panel_platform::db::{DbResult, Sql, SqlExecutor};
use panel_platform::work::UnitOfWork;

/// Maximum number of records in a page or batch.
pub(super) const PAGE_SIZE: i64 = 500;

/// When the erasure of a user was requested and completed.
#[derive(Debug, Clone, Copy, sqlx::FromRow)]
pub(super) struct ErasureState {
    pub(super) requested_at: Option<Time>,
    pub(super) erased_at: Option<Time>,
}

/// Loads the state of an erasure; `None` if the user does not exist.
pub(super) async fn load_erasure_state(
    db: &mut impl SqlExecutor,
    user_id: UserId,
) -> DbResult<Option<ErasureState>> {
    let sql = Sql::new("SELECT erasure_requested_at AS requested_at, erased_at FROM users WHERE id = ?");
    db.fetch_optional(sql.bind(user_id)).await
}

/// Loads the open obligations of a user, which prevent an erasure.
pub(super) async fn load_open_obligations(
    db: &mut impl SqlExecutor,
    user_id: UserId,
) -> DbResult<OpenObligations> {
    let sql = Sql::new(
        "SELECT u.is_staff, u.balance_main + u.balance_task + u.balance_referral AS balance,
           u.hold_main + u.hold_task + u.hold_referral AS held,
           (SELECT count(*) FROM orders o WHERE o.user_id = u.id AND o.status NOT IN ('completed', 'canceled')) AS orders,
           (SELECT count(*) FROM drip_feeds d WHERE d.user_id = u.id AND d.status = 'in_processing')
             + (SELECT count(*) FROM subscriptions s WHERE s.user_id = u.id AND s.status = 'in_processing') AS recurring,
           (SELECT count(*) FROM withdrawals w WHERE w.user_id = u.id AND w.status IN ('pending', 'approved')) AS withdrawals,
           (SELECT count(*) FROM invoices i WHERE i.user_id = u.id AND i.status = 'pending') AS invoices,
           (SELECT count(*) FROM free_trials f WHERE f.user_id = u.id AND f.status = 'pending') AS free_trials
         FROM users u WHERE u.id = ?",
    );
    let row: (bool, Money, Money, i64, i64, i64, i64, i64) = db.fetch_one(sql.bind(user_id)).await?;
    let (is_staff, balance, held, orders, recurring, withdrawals, invoices, free_trials) = row;
    Ok(OpenObligations { is_staff, balance, held, orders, recurring, withdrawals, invoices, free_trials })
}

/// Overwrites the personal fields, revokes all access, and enqueues the remaining erasure for the worker. The caller must have
/// locked and checked the user. Returns the previous status.
pub(super) async fn close_account(work: &mut UnitOfWork, user_id: UserId) -> Result<String> {
    staff::store::lock_access_version(work).await?;
    let sql = Sql::new("SELECT email, status FROM users WHERE id = ?").bind(user_id);
    let (email, previous_status): (String, String) = work.fetch_one(sql).await?;
    let now = work.now;
    let sql = Sql::new(
        "UPDATE users SET name = ?, email = ?, password_hash = NULL, telegram_username = NULL, messengers = '[]',
           company_name = NULL, company_address = NULL, company_site = NULL, vat = NULL, additional_info = NULL,
           affiliate_code = NULL, contact_step = NULL, marketing_subid = NULL, notify_orders = FALSE,
           notify_payments = FALSE, totp_secret = NULL, totp_last_step = NULL,
           erasure_requested_at = ? WHERE id = ? AND erasure_requested_at IS NULL",
    );
    let sql = sql
        .bind(format!("erased-{user_id}"))
        .bind(format!("erased-{user_id}@invalid"))
        .bind(now)
        .bind(user_id);
    if work.execute(sql).await? != 1 {
        return Err(Error::conflict(
            "user_changed_meanwhile",
            "Another request changed the user. Reload the user and try again.",
        ));
    }
    status::set_status(work, &[user_id], UserEvent::Erase).await?;
    for sql in [
        "DELETE FROM sessions WHERE user_id = ?",
        "DELETE FROM api_keys WHERE user_id = ?",
        "DELETE FROM recovery_codes WHERE user_id = ?",
        "DELETE FROM handoff_codes WHERE user_id = ?",
        "DELETE FROM account_links WHERE user_id = ?",
        "DELETE FROM passkeys WHERE user_id = ?",
        "DELETE FROM authenticator_enrolments WHERE user_id = ?",
        "DELETE FROM passkey_ceremonies WHERE user_id = ?",
    ] {
        work.execute(Sql::new(sql).bind(user_id)).await?;
    }
    throttle::delete_counters_of_account(work, user_id, &email).await?;
    let sql =
        Sql::new("INSERT INTO erasures (user_id, email, step, last_id, requested_at) VALUES (?, ?, ?, 0, ?)");
    let first_step = super::worker::erasure_steps().next().map_or("", |table| table.table);
    work.execute(sql.bind(user_id).bind(email).bind(first_step).bind(now)).await?;
    Ok(previous_status)
}

/// Returns the SQL ` WHERE …` that selects the records of a user; `None` if the erasure searches for them in the contents of
/// records.
fn owner_condition(personal_table: &PersonalTable, user_id: UserId) -> Option<Sql> {
    match personal_table.owner {
        RowOwner::Column(column) | RowOwner::ColumnWithoutId(column) => {
            Some(Sql::new(" WHERE ").push(column).push(" = ").bind(user_id))
        }
        RowOwner::Parent(parent, column) => {
            let sql = Sql::new(" WHERE ").push(column).push(" IN (SELECT id FROM ").push(parent);
            Some(sql.push(" WHERE user_id = ").bind(user_id).push(")"))
        }
        RowOwner::Through(records, column) => {
            let sql = Sql::new(" WHERE id IN (SELECT ").push(column).push(" FROM ").push(records);
            Some(sql.push(" WHERE user_id = ").bind(user_id).push(")"))
        }
        RowOwner::Contents | RowOwner::Address => None,
    }
}

/// Counts the records of a user in a table; `None` if the erasure searches for them in the contents of records.
pub(super) async fn count_records(
    db: &mut impl SqlExecutor,
    personal_table: &PersonalTable,
    user_id: UserId,
) -> DbResult<Option<i64>> {
    let Some(condition) = owner_condition(personal_table, user_id) else { return Ok(None) };
    let sql = Sql::new("SELECT count(*) FROM ").push(personal_table.table).append(condition);
    Ok(Some(db.fetch_one::<(i64,)>(sql).await?.0))
}

/// An erasure that is not complete. The worker continues with the records after `last_id` (and `last_record_id`) of the table
/// `step`.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub(super) struct PendingErasure {
    pub(super) user_id: UserId,
    pub(super) email: String,
    pub(super) step: String,
    pub(super) last_id: RecordId,
    pub(super) last_record_id: RecordId,
}

impl PendingErasure {
    /// Returns the progress in the table `step`.
    pub(super) fn cursor(&self) -> Cursor {
        let non_zero = |id: RecordId| Some(id).filter(|id| id.get() > 0);
        Cursor { id: non_zero(self.last_id), record: non_zero(self.last_record_id) }
    }
}

/// Loads the erasures that are not complete, the oldest first.
pub(super) async fn load_pending_erasures(db: &mut impl SqlExecutor) -> DbResult<Vec<PendingErasure>> {
    let sql = Sql::new(
        "SELECT user_id, email, step, last_id, last_record_id FROM erasures ORDER BY requested_at, user_id LIMIT 50",
    );
    db.fetch_all(sql).await
}

/// Stores the progress of an erasure. Returns false if another process has stored progress since the erasure was loaded.
pub(super) async fn advance(
    work: &mut UnitOfWork,
    erasure: &PendingErasure,
    step: &str,
    next: Cursor,
) -> DbResult<bool> {
    let sql = Sql::new("UPDATE erasures SET step = ?, last_id = ?, last_record_id = ?");
    let sql = sql.bind(step).bind(stored_id(next.id)).bind(stored_id(next.record));
    Ok(work.execute(sql.append(unchanged_condition(erasure))).await? == 1)
}

/// Returns the SQL ` WHERE …` that selects an erasure if its progress has not changed since it was loaded.
fn unchanged_condition(erasure: &PendingErasure) -> Sql {
    let sql = Sql::new(" WHERE user_id = ? AND step = ? AND last_id = ? AND last_record_id = ?");
    sql.bind(erasure.user_id).bind(erasure.step.as_str()).bind(erasure.last_id).bind(erasure.last_record_id)
}

/// Completes an erasure. Returns false if another process has completed it.
pub(super) async fn complete(work: &mut UnitOfWork, erasure: &PendingErasure) -> DbResult<bool> {
    if work.execute(Sql::new("DELETE FROM erasures").append(unchanged_condition(erasure))).await? != 1 {
        return Ok(false);
    }
    let now = work.now;
    let sql = Sql::new("UPDATE users SET erased_at = ? WHERE id = ? AND erased_at IS NULL");
    Ok(work.execute(sql.bind(now).bind(erasure.user_id)).await? == 1)
}

/// Loads id and content of a page of jobs or of webhook events.
pub(super) async fn load_contents_page(
    db: &mut impl SqlExecutor,
    table: &str,
    after: Option<RecordId>,
) -> DbResult<Vec<(RecordId, String)>> {
    let sql = match table {
        "jobs" => "SELECT id, payload FROM jobs WHERE id > ? ORDER BY id LIMIT ?",
        _ => "SELECT id, body FROM webhook_events WHERE id > ? ORDER BY id LIMIT ?",
    };
    db.fetch_all(Sql::new(sql).bind(stored_id(after)).bind(PAGE_SIZE)).await
}
