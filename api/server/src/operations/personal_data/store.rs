//! The records of one customer in every declared table: counted, read in pages, overwritten and removed in batches. A
//! table's statements are made of its declaration, so there is no table of which one of the four is missing.

use panel_contract::amount::Money;
use panel_contract::moment::Time;
use serde_json::{Map, Value};

use crate::auth::throttle;
use crate::db::{DbResult, Source, Sql};
use crate::http::error::{ApiError, Result};
use crate::operations::personal_data::declared::{Blank, MARK, Owner, PersonalTable, Treatment};
use crate::operations::personal_data::exported::{Field, Kind};
use crate::operations::personal_data::rules::Standing;
use crate::operations::staff;
use crate::operations::users::status;
use crate::work::Work;
use panel_contract::users::UserStatus;

/// Records of one page or batch.
const PAGE: i64 = 500;
/// Parents of one page or batch: each may have many parts.
const PARENTS: i64 = 100;
/// What addresses are overwritten with, before the id of the record.
const ADDRESS: &str = "https://erased.invalid/";

/// How far the erasure of a user is.
#[derive(Debug, Clone, Copy, sqlx::FromRow)]
pub(super) struct State {
    pub(super) requested_at: Option<Time>,
    pub(super) erased_at: Option<Time>,
}

/// None where there is no such user.
pub(super) async fn state(db: &mut impl Source, user: i64) -> DbResult<Option<State>> {
    let sql = Sql::new("SELECT erasure_requested_at AS requested_at, erased_at FROM users WHERE id = ?");
    db.opt(sql.bind(user)).await
}

/// What a user still has.
pub(super) async fn standing(db: &mut impl Source, user: i64) -> DbResult<Standing> {
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
pub(super) async fn close_account(work: &mut Work, user: i64) -> Result<String> {
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
        return Err(ApiError::conflict(
            "user_changed_meanwhile",
            "A user changed meanwhile; reload and try again.",
        ));
    }
    status::write(work, &[user], UserStatus::Deactivated).await?;
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
fn owned(of: &PersonalTable, user: i64) -> Option<Sql> {
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
pub(super) async fn count(db: &mut impl Source, of: &PersonalTable, user: i64) -> DbResult<Option<i64>> {
    let Some(owned) = owned(of, user) else { return Ok(None) };
    let sql = Sql::new("SELECT count(*) FROM ").push(of.table).append(owned);
    Ok(Some(db.one::<(i64,)>(sql).await?.0))
}

/// Up to a page of ids behind `after`: of the records, or of the parents whose parts a page has.
async fn ids(db: &mut impl Source, of: &PersonalTable, user: i64, after: i64) -> DbResult<Vec<i64>> {
    let (table, column, most) = match of.owner {
        Owner::Column(column) => (of.table, column, PAGE),
        Owner::Parent(parent, _) => (parent, "user_id", PARENTS),
        Owner::Through(records, _) => (records, "user_id", PAGE),
        Owner::Few(_) | Owner::Contents | Owner::Address => return Ok(Vec::new()),
    };
    let sql = Sql::new("SELECT id FROM ").push(table).push(" WHERE ").push(column).push(" = ").bind(user);
    let sql = sql.push(" AND id > ").bind(after).push(" ORDER BY id LIMIT ").bind(most);
    Ok(db.all::<(i64,)>(sql).await?.into_iter().map(|(id,)| id).collect())
}

/// A part of a table's records, and behind which id the next part begins; none at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    /// The column that its ids are of.
    by: &'static str,
    /// Whose ids they are where they are of other records: their table and the column that names these.
    through: Option<(&'static str, &'static str)>,
    ids: Vec<i64>,
    /// Where the next part begins.
    pub(super) next: Option<i64>,
}

impl Part {
    /// The part of a user's records behind `after`.
    pub(super) async fn of(
        db: &mut impl Source,
        of: &PersonalTable,
        user: i64,
        after: i64,
    ) -> DbResult<Self> {
        let by = match of.owner {
            Owner::Column(_) => "id",
            Owner::Few(column) | Owner::Parent(_, column) => column,
            Owner::Through(..) => "id",
            Owner::Contents | Owner::Address => return Ok(Self::found(Vec::new(), None)),
        };
        let through = match of.owner {
            Owner::Through(records, column) => Some((records, column)),
            _ => None,
        };
        if matches!(of.owner, Owner::Few(_)) {
            return Ok(Self { by, through, ids: vec![user], next: None });
        }
        let ids = ids(db, of, user, after).await?;
        Ok(Self { by, through, next: ids.last().copied(), ids })
    }

    /// Records with these ids, which were found by their contents; the next part begins behind `next`.
    pub(super) const fn found(ids: Vec<i64>, next: Option<i64>) -> Self {
        Self { by: "id", through: None, ids, next }
    }

    /// Whether there is nothing to do.
    pub(super) const fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    fn sql(&self) -> Sql {
        let sql = Sql::new(" WHERE ").push(self.by).push(" IN ");
        match self.through {
            None => sql.ids(&self.ids),
            Some((records, column)) => {
                let sql =
                    sql.push("(SELECT ").push(column).push(" FROM ").push(records).push(" WHERE id IN ");
                sql.ids(&self.ids).push(")")
            }
        }
    }

    /// Its records as an export shows them.
    pub(super) async fn read(&self, db: &mut impl Source, of: &PersonalTable) -> Result<Vec<Value>> {
        let columns = of.fields.iter().map(|field| (field.name, field.name)).collect();
        let sql = Sql::new("SELECT ").object(columns).push(" FROM ").push(of.table).append(self.sql());
        let rows: Vec<(String,)> = db.all(sql.push(" ORDER BY ").push(order(of))).await?;
        rows.into_iter().map(|(row,)| shown(of.fields, &row)).collect()
    }

    /// Overwrites or removes its records, as declared; how many there were.
    pub(super) async fn erase(&self, work: &mut Work, of: &PersonalTable) -> DbResult<u64> {
        if self.is_empty() {
            return Ok(0);
        }
        match of.erasure {
            Treatment::Removed => {
                if of.table == "webhook_events" {
                    work.exec(Sql::new("DELETE FROM webhook_deliveries WHERE event_id IN ").ids(&self.ids))
                        .await?;
                }
                work.exec(Sql::new("DELETE FROM ").push(of.table).append(self.sql())).await
            }
            Treatment::Overwritten(columns) => {
                let mut sql = Sql::new("UPDATE ").push(of.table).push(" SET ");
                for (at, (column, blank)) in columns.iter().enumerate() {
                    sql = sql.push(if at == 0 { "" } else { ", " }).push(column).push(" = ");
                    sql = overwrite(sql, column, *blank);
                }
                work.exec(sql.append(self.sql())).await
            }
            Treatment::WithRequest(_) | Treatment::Kept(_) => Ok(0),
        }
    }

    /// The files of its verification documents.
    pub(super) async fn files(&self, db: &mut impl Source) -> DbResult<Vec<(i64, String)>> {
        db.all(
            Sql::new("SELECT id, file FROM verification_documents").append(self.sql()).push(" ORDER BY id"),
        )
        .await
    }
}

const fn order(of: &PersonalTable) -> &'static str {
    match of.owner {
        Owner::Column(_) | Owner::Through(..) => "id",
        Owner::Few(column) | Owner::Parent(_, column) => column,
        Owner::Contents | Owner::Address => "1",
    }
}

fn overwrite(sql: Sql, column: &'static str, blank: Blank) -> Sql {
    match blank {
        Blank::Null => sql.push("NULL"),
        Blank::Mark => sql.bind(MARK),
        Blank::MarkWhereSet => {
            sql.push("CASE WHEN ").push(column).push(" IS NULL THEN NULL ELSE ").bind(MARK).push(" END")
        }
        Blank::EmptyList => sql.push("'[]'"),
        Blank::Address => sql.bind(ADDRESS).push(" || id"),
        Blank::AddressWhereSet => sql
            .push("CASE WHEN ")
            .push(column)
            .push(" IS NULL THEN NULL ELSE ")
            .bind(ADDRESS)
            .push(" || id END"),
    }
}

/// One row as the export writes it.
fn shown(fields: &[Field], row: &str) -> Result<Value> {
    let fault = |error: serde_json::Error| ApiError::Fault(error.to_string());
    let mut row: Map<String, Value> = serde_json::from_str(row).map_err(fault)?;
    let mut out = Map::with_capacity(fields.len());
    for field in fields {
        let value = row.remove(field.name).unwrap_or_default();
        let value = match (field.kind, value.as_i64()) {
            (Kind::Money, Some(amount)) => serde_json::to_value(Money(amount)).map_err(fault)?,
            (Kind::Time, Some(moment)) => serde_json::to_value(Time(moment)).map_err(fault)?,
            (Kind::Flag, Some(flag)) => Value::Bool(flag != 0),
            (Kind::Json, None) => match value.as_str().and_then(|text| serde_json::from_str(text).ok()) {
                Some(parsed) => parsed,
                None => value,
            },
            _ => value,
        };
        out.insert(field.name.to_owned(), value);
    }
    Ok(Value::Object(out))
}

/// An erasure that is not done.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub(super) struct Pending {
    pub(super) user_id: i64,
    pub(super) email: String,
    pub(super) step: String,
    pub(super) last_id: i64,
}

/// Those that go on, the oldest first.
pub(super) async fn pending(db: &mut impl Source) -> DbResult<Vec<Pending>> {
    let sql = Sql::new(
        "SELECT user_id, email, step, last_id FROM erasures ORDER BY requested_at, user_id LIMIT 50",
    );
    db.all(sql).await
}

/// Moves an erasure ahead; false where another process did so since it was read.
pub(super) async fn advance(work: &mut Work, from: &Pending, step: &str, last_id: i64) -> DbResult<bool> {
    let sql =
        Sql::new("UPDATE erasures SET step = ?, last_id = ? WHERE user_id = ? AND step = ? AND last_id = ?");
    let sql = sql.bind(step).bind(last_id).bind(from.user_id).bind(from.step.as_str()).bind(from.last_id);
    Ok(work.exec(sql).await? == 1)
}

/// Ends an erasure; false where another process did so.
pub(super) async fn end(work: &mut Work, from: &Pending) -> DbResult<bool> {
    let sql = Sql::new("DELETE FROM erasures WHERE user_id = ? AND step = ? AND last_id = ?");
    if work.exec(sql.bind(from.user_id).bind(from.step.as_str()).bind(from.last_id)).await? != 1 {
        return Ok(false);
    }
    let now = work.now;
    let sql = Sql::new("UPDATE users SET erased_at = ? WHERE id = ? AND erased_at IS NULL");
    Ok(work.exec(sql.bind(now).bind(from.user_id)).await? == 1)
}

/// A page of the outbox's mails, or of webhooks' events: id and content.
pub(super) async fn contents(db: &mut impl Source, table: &str, after: i64) -> DbResult<Vec<(i64, String)>> {
    let sql = match table {
        "jobs" => "SELECT id, payload FROM jobs WHERE id > ? ORDER BY id LIMIT ?",
        _ => "SELECT id, body FROM webhook_events WHERE id > ? ORDER BY id LIMIT ?",
    };
    db.all(Sql::new(sql).bind(after).bind(PAGE)).await
}
