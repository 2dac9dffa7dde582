//! A customer's standing, the end of the account, and how far erasures are. The records of declared tables are read and written
//! by [`super::part`] alone.

use panel_contract::amount::Money;
use panel_contract::ids::{RecordId, UserId};
use panel_contract::moment::Time;
use panel_domain::states::users::UserEvent;
use panel_kernel::error::{Error, Result};

use crate::auth::store::throttle;
use crate::operations::personal_data::declared::{Owner, PersonalTable};
use crate::operations::personal_data::part::{Cursor, stored};
use crate::operations::staff;
use crate::operations::users::status;
use panel_domain::personal_data::Standing;
use panel_platform::db::{DbResult, Source, Sql};
use panel_platform::work::Work;

/// Records of one page or batch.
pub(super) const PAGE: i64 = 500;

/// How far the erasure of a user is.
#[derive(Debug, Clone, Copy, sqlx::FromRow)]
pub(super) struct State {
    pub(super) requested_at: Option<Time>,
    pub(super) erased_at: Option<Time>,
}

/// None where there is no such user.
pub(super) async fn state(db: &mut impl Source, user: UserId) -> DbResult<Option<State>> {
    let sql = Sql::new("SELECT erasure_requested_at AS requested_at, erased_at FROM users WHERE id = ?");
    db.opt(sql.bind(user)).await
}

/// What a user still has.
pub(super) async fn standing(db: &mut impl Source, user: UserId) -> DbResult<Standing> {
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
    let row: (bool, Money, Money, i64, i64, i64, i64, i64) = db.one(sql.bind(user)).await?;
    let (is_staff, balance, held, orders, recurring, withdrawals, invoices, free_trials) = row;
    Ok(Standing { is_staff, balance, held, orders, recurring, withdrawals, invoices, free_trials })
}

/// Overwrites the person, ends every way in, and puts the rest of the erasure in line for the worker. The user is locked and
/// judged; answers the status before.
pub(super) async fn close_account(work: &mut Work, user: UserId) -> Result<String> {
    staff::store::hold_access(work).await?;
    let sql = Sql::new("SELECT email, status FROM users WHERE id = ?").bind(user);
    let (email, previous): (String, String) = work.one(sql).await?;
    let now = work.now;
    let sql = Sql::new(
        "UPDATE users SET name = ?, email = ?, password_hash = NULL, telegram_username = NULL, messengers = '[]',
           company_name = NULL, company_address = NULL, company_site = NULL, vat = NULL, additional_info = NULL,
           affiliate_code = NULL, contact_step = NULL, marketing_subid = NULL, notify_orders = FALSE,
           notify_payments = FALSE, totp_secret = NULL, totp_last_step = NULL,
           erasure_requested_at = ? WHERE id = ? AND erasure_requested_at IS NULL",
    );
    let sql = sql.bind(format!("erased-{user}")).bind(format!("erased-{user}@invalid")).bind(now).bind(user);
    if work.exec(sql).await? != 1 {
        return Err(Error::conflict(
            "user_changed_meanwhile",
            "A user changed meanwhile; reload and try again.",
        ));
    }
    status::write(work, &[user], UserEvent::Erase).await?;
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
        work.exec(Sql::new(sql).bind(user)).await?;
    }
    throttle::forget_account(work, user, &email).await?;
    let sql =
        Sql::new("INSERT INTO erasures (user_id, email, step, last_id, requested_at) VALUES (?, ?, ?, 0, ?)");
    let first = super::worker::steps().next().map_or("", |of| of.table);
    work.exec(sql.bind(user).bind(email).bind(first).bind(now)).await?;
    Ok(previous)
}

/// ` WHERE …` of a user's records; none where they are found by their contents.
fn owned(of: &PersonalTable, user: UserId) -> Option<Sql> {
    match of.owner {
        Owner::Column(column) | Owner::Few(column) => {
            Some(Sql::new(" WHERE ").push(column).push(" = ").bind(user))
        }
        Owner::Parent(parent, column) => {
            let sql = Sql::new(" WHERE ").push(column).push(" IN (SELECT id FROM ").push(parent);
            Some(sql.push(" WHERE user_id = ").bind(user).push(")"))
        }
        Owner::Through(records, column) => {
            let sql = Sql::new(" WHERE id IN (SELECT ").push(column).push(" FROM ").push(records);
            Some(sql.push(" WHERE user_id = ").bind(user).push(")"))
        }
        Owner::Contents | Owner::Address => None,
    }
}

/// How many records of a table are the user's; none where only their contents say so.
pub(super) async fn count(db: &mut impl Source, of: &PersonalTable, user: UserId) -> DbResult<Option<i64>> {
    let Some(owned) = owned(of, user) else { return Ok(None) };
    let sql = Sql::new("SELECT count(*) FROM ").push(of.table).append(owned);
    Ok(Some(db.one::<(i64,)>(sql).await?.0))
}

/// An erasure that is not done.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub(super) struct Pending {
    pub(super) user_id: UserId,
    pub(super) email: String,
    pub(super) step: String,
    pub(super) last_id: RecordId,
    pub(super) last_record_id: RecordId,
}

impl Pending {
    /// How far it came in the table of its step.
    pub(super) fn cursor(&self) -> Cursor {
        let after = |id: RecordId| Some(id).filter(|id| id.get() > 0);
        Cursor { id: after(self.last_id), record: after(self.last_record_id) }
    }
}

/// Those that go on, the oldest first.
pub(super) async fn pending(db: &mut impl Source) -> DbResult<Vec<Pending>> {
    let sql = Sql::new(
        "SELECT user_id, email, step, last_id, last_record_id FROM erasures ORDER BY requested_at, user_id LIMIT 50",
    );
    db.all(sql).await
}

/// Moves an erasure ahead; false where another process did so since it was read.
pub(super) async fn advance(work: &mut Work, from: &Pending, step: &str, to: Cursor) -> DbResult<bool> {
    let sql = Sql::new("UPDATE erasures SET step = ?, last_id = ?, last_record_id = ?");
    let sql = sql.bind(step).bind(stored(to.id)).bind(stored(to.record));
    Ok(work.exec(sql.append(as_read(from))).await? == 1)
}

/// ` WHERE …` of an erasure that is still where it was read.
fn as_read(from: &Pending) -> Sql {
    let sql = Sql::new(" WHERE user_id = ? AND step = ? AND last_id = ? AND last_record_id = ?");
    sql.bind(from.user_id).bind(from.step.as_str()).bind(from.last_id).bind(from.last_record_id)
}

/// Ends an erasure; false where another process did so.
pub(super) async fn end(work: &mut Work, from: &Pending) -> DbResult<bool> {
    if work.exec(Sql::new("DELETE FROM erasures").append(as_read(from))).await? != 1 {
        return Ok(false);
    }
    let now = work.now;
    let sql = Sql::new("UPDATE users SET erased_at = ? WHERE id = ? AND erased_at IS NULL");
    Ok(work.exec(sql.bind(now).bind(from.user_id)).await? == 1)
}

/// A page of the outbox's mails, or of webhooks' events: id and content.
pub(super) async fn contents(
    db: &mut impl Source,
    table: &str,
    after: Option<RecordId>,
) -> DbResult<Vec<(RecordId, String)>> {
    let sql = match table {
        "jobs" => "SELECT id, payload FROM jobs WHERE id > ? ORDER BY id LIMIT ?",
        _ => "SELECT id, body FROM webhook_events WHERE id > ? ORDER BY id LIMIT ?",
    };
    db.all(Sql::new(sql).bind(stored(after)).bind(PAGE)).await
}
