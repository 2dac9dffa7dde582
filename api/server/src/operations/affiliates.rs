//! Manages the affiliates of a user: who referred the user, and for which period. Periods never overlap, so that each order
//! earns at most one commission. The user record also contains the affiliate that is active now.

use panel_contract::affiliates::{Affiliate, AffiliateInput};
use panel_contract::common::Data;
use panel_contract::endpoint::EmptyBody;
use panel_contract::endpoints::affiliates::{AddAffiliate, ListAffiliates, RemoveAffiliate, UpdateAffiliate};
use panel_contract::ids::{AffiliateId, UserId};
use panel_contract::moment::Time;
use panel_contract::webhooks::EventType;
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::Rejection;
use serde_json::{Value, json};

use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::operations::staff::rank;
use crate::operations::user_services::user_exists;
use crate::operations::users::webhook_events;
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::db::{Db, DbResult, Sql, SqlExecutor};
use panel_platform::sql;
use panel_platform::work::UnitOfWork;

// Routes

pub fn routes(api: Api) -> Api {
    api.route::<ListAffiliates, _, _, _>(list_affiliates)
        .route::<AddAffiliate, _, _, _>(add_affiliate)
        .route::<UpdateAffiliate, _, _, _>(update_affiliate)
        .route::<RemoveAffiliate, _, _, _>(remove_affiliate)
}

async fn list_affiliates(ctx: Ctx, req: Req<ListAffiliates>) -> Result<Data<Vec<Affiliate>>> {
    let db = &mut ctx.db();
    if !user_exists(db, req.path).await? {
        return Err(Error::not_found("user", req.path));
    }
    Ok(Data { data: load_affiliates(db, req.path, ctx.now()).await? })
}

/// The affiliates of a user, the latest first.
pub(super) async fn load_affiliates(
    db: &mut impl SqlExecutor,
    user: UserId,
    now: Time,
) -> DbResult<Vec<Affiliate>> {
    Ok(load_affiliations(db, user).await?.into_iter().map(|row| row.into_response(now)).collect())
}

async fn add_affiliate(ctx: Ctx, req: Req<AddAffiliate>) -> Result<Data<Affiliate>> {
    let (user, mut work) = (req.path, ctx.begin().await?);
    rank::lock_user(&mut work, user).await?;
    let period = requested_period(&req.body, work.now);
    validate(&mut work, user, None, &req.body, period).await?;
    let id = insert(&mut work, user, req.body.affiliate_id, period).await?;
    record_audit(&mut work, "user.affiliate_added", user, json!({}), input_values(&req.body, period)).await?;
    commit_and_respond(work, user, id).await
}

async fn update_affiliate(ctx: Ctx, req: Req<UpdateAffiliate>) -> Result<Data<Affiliate>> {
    let ((user, id), mut work) = (req.path, ctx.begin().await?);
    rank::lock_user(&mut work, user).await?;
    let affiliation = load_row(&mut work, user, id).await?;
    let period = requested_period(&req.body, affiliation.started_at);
    validate(&mut work, user, Some(id), &req.body, period).await?;
    update_row(&mut work, id, req.body.affiliate_id, period).await?;
    record_audit(
        &mut work,
        "user.affiliate_updated",
        user,
        affiliation.audit_values(),
        input_values(&req.body, period),
    )
    .await?;
    commit_and_respond(work, user, id).await
}

async fn remove_affiliate(ctx: Ctx, req: Req<RemoveAffiliate>) -> Result<EmptyBody> {
    let ((user, id), mut work) = (req.path, ctx.begin().await?);
    rank::lock_user(&mut work, user).await?;
    let affiliation = load_row(&mut work, user, id).await?;
    delete_row(&mut work, id).await?;
    update_active_affiliate(&mut work, user).await?;
    record_audit(&mut work, "user.affiliate_removed", user, affiliation.audit_values(), json!({})).await?;
    webhook_events::publish(&mut work, &[(user, EventType::UserUpdated, None)]).await?;
    work.finish(EmptyBody {}).await
}

async fn commit_and_respond(mut work: UnitOfWork, user: UserId, id: AffiliateId) -> Result<Data<Affiliate>> {
    update_active_affiliate(&mut work, user).await?;
    webhook_events::publish(&mut work, &[(user, EventType::UserUpdated, None)]).await?;
    let now = work.now;
    let data = load_row(&mut work, user, id).await?.into_response(now);
    work.finish(Data { data }).await
}

async fn record_audit(
    work: &mut UnitOfWork,
    event: &str,
    user: UserId,
    old: Value,
    new: Value,
) -> Result<()> {
    audit::record(work, event, "user", AuditChange { id: user.as_record_id(), old, new }).await
}

fn input_values(input: &AffiliateInput, period: Period) -> Value {
    json!({ "affiliate_id": input.affiliate_id, "started_at": period.from, "ended_at": period.to })
}

async fn validate(
    work: &mut UnitOfWork,
    user: UserId,
    ignored_id: Option<AffiliateId>,
    input: &AffiliateInput,
    period: Period,
) -> Result<()> {
    let other_affiliations =
        load_affiliations(work, user).await?.into_iter().filter(|row| Some(row.id) != ignored_id);
    let other_periods: Vec<Period> =
        other_affiliations.map(|row| Period { from: row.started_at, to: row.ended_at }).collect();
    check_period(user, input.affiliate_id, period, &other_periods)?;
    let chain = load_affiliate_chain(work, input.affiliate_id).await?;
    if chain.is_empty() {
        let message = format!("There is no user {}. Choose another user.", input.affiliate_id);
        return Err(Error::invalid("affiliate_id", "affiliate_unknown", message));
    }
    if chain.contains(&user) {
        let message = "This user referred the affiliate, directly or through others, so the affiliate cannot be the affiliate of this user.";
        return Err(Error::invalid("affiliate_id", "affiliate_in_circle", message));
    }
    Ok(())
}

// Rules

/// A period: the start is included, the end is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Period {
    from: Time,
    to: Option<Time>,
}

impl Period {
    fn overlaps(self, other: Self) -> bool {
        let ends_before = |end: Option<Time>, start: Time| end.is_some_and(|end| end <= start);
        !ends_before(self.to, other.from) && !ends_before(other.to, self.from)
    }

    /// Whether the period is empty, so that it was never active.
    fn is_empty(self) -> bool {
        self.to.is_some_and(|end| end <= self.from)
    }

    fn contains(self, time: Time) -> bool {
        self.from <= time && self.to.is_none_or(|end| time < end)
    }
}

/// The requested period; it begins at `start` if the input has no start.
fn requested_period(input: &AffiliateInput, start: Time) -> Period {
    Period { from: input.started_at.unwrap_or(start), to: input.ended_at }
}

fn check_period(
    user: UserId,
    affiliate: UserId,
    period: Period,
    other_periods: &[Period],
) -> Result<(), Rejection> {
    if user == affiliate {
        let message = "A user cannot be their own affiliate. Choose another user.";
        return Err(Rejection::invalid("affiliate_id", "affiliate_is_self", message));
    }
    if period.to.is_some_and(|end| end <= period.from) {
        return Err(Rejection::invalid("ended_at", "ends_before_start", "The end must be after the start."));
    }
    match other_periods.iter().find(|other| !other.is_empty() && other.overlaps(period)) {
        None => Ok(()),
        Some(other) => {
            let end_text = other.to.map_or_else(|| "an open end".to_owned(), |end| end.to_string());
            let message = format!(
                "Another affiliate is active from {} to {end_text}. End that affiliation first.",
                other.from
            );
            Err(Rejection::invalid("started_at", "affiliates_overlap", message))
        }
    }
}

#[derive(sqlx::FromRow)]
struct AffiliationRow {
    id: AffiliateId,
    user_id: UserId,
    referral_id: UserId,
    name: String,
    email: String,
    started_at: Time,
    ended_at: Option<Time>,
}

impl AffiliationRow {
    fn audit_values(&self) -> Value {
        json!({ "affiliate_id": self.user_id, "started_at": self.started_at, "ended_at": self.ended_at })
    }

    fn into_response(self, now: Time) -> Affiliate {
        let is_current = Period { from: self.started_at, to: self.ended_at }.contains(now);
        Affiliate {
            id: self.id,
            user_id: self.user_id,
            referral_id: self.referral_id,
            name: self.name,
            email: self.email,
            started_at: self.started_at,
            ended_at: self.ended_at,
            is_current,
        }
    }
}

// Store

const SELECT: &str = "SELECT a.id, a.user_id, a.referral_id, u.name, u.email, a.started_at, a.ended_at
  FROM user_affiliates a JOIN users u ON u.id = a.user_id WHERE a.referral_id = ?";

async fn load_affiliations(db: &mut impl SqlExecutor, user: UserId) -> DbResult<Vec<AffiliationRow>> {
    db.fetch_all(Sql::new(SELECT).bind(user).push(" ORDER BY a.started_at DESC, a.id DESC")).await
}

async fn load_row(work: &mut UnitOfWork, user: UserId, id: AffiliateId) -> Result<AffiliationRow> {
    let sql = Sql::new(SELECT).bind(user).push(" AND a.id = ?").bind(id);
    work.fetch_optional(sql).await?.ok_or_else(|| Error::not_found("affiliate", id))
}

/// The ids of the user, of the user's affiliate, of that affiliate's affiliate, and so on; empty if the user does not exist.
async fn load_affiliate_chain(work: &mut UnitOfWork, id: UserId) -> DbResult<Vec<UserId>> {
    let sql = Sql::new(
        "WITH RECURSIVE line (id) AS (SELECT id FROM users WHERE id = ?
           UNION SELECT u.affiliate_id FROM users u JOIN line ON line.id = u.id WHERE u.affiliate_id IS NOT NULL)
         SELECT id FROM line",
    );
    Ok(work.fetch_all::<(UserId,)>(sql.bind(id)).await?.into_iter().map(|(id,)| id).collect())
}

/// The INSERT and the UPDATE of an affiliate and the period.
fn insert_and_update_sql(user: UserId, period: Period, now: Time) -> [Sql; 2] {
    sql!(
        [
            "INSERT INTO user_affiliates (referral_id, user_id, started_at, ended_at, created_at, updated_at) \
               VALUES (@referral_id, @user_id, @started_at, @ended_at, @now, @now) RETURNING id",
            "UPDATE user_affiliates SET user_id = @user_id, started_at = @started_at, ended_at = @ended_at, updated_at = @now \
               WHERE id = @id",
        ],
        { user_id: user, started_at: period.from, ended_at: period.to, now },
        bound_later: [referral_id, id],
    )
}

async fn insert(
    work: &mut UnitOfWork,
    referral: UserId,
    user: UserId,
    period: Period,
) -> DbResult<AffiliateId> {
    let [insert_sql, _] = insert_and_update_sql(user, period, work.now);
    Ok(work.fetch_one::<(AffiliateId,)>(insert_sql.bind_named("referral_id", referral)).await?.0)
}

async fn update_row(work: &mut UnitOfWork, id: AffiliateId, user: UserId, period: Period) -> DbResult<u64> {
    let [_, update_sql] = insert_and_update_sql(user, period, work.now);
    work.execute(update_sql.bind_named("id", id)).await
}

async fn delete_row(work: &mut UnitOfWork, id: AffiliateId) -> DbResult<u64> {
    work.execute(Sql::new("DELETE FROM user_affiliates WHERE id = ?").bind(id)).await
}

/// Makes `affiliate` the active affiliate of many users from now on, or ends the active affiliation if it is `None`. Past
/// periods stay, future ones are deleted.
pub async fn replace_affiliate(
    work: &mut UnitOfWork,
    users: &[UserId],
    affiliate: Option<UserId>,
) -> DbResult<()> {
    let now = work.now;
    let sql = Sql::new("DELETE FROM user_affiliates WHERE started_at >= ? AND referral_id IN ");
    work.execute(sql.bind(now).ids(users)).await?;
    let sql = Sql::new(
        "UPDATE user_affiliates SET ended_at = ?, updated_at = ? WHERE (ended_at IS NULL OR ended_at > ?) AND referral_id IN ",
    );
    work.execute(sql.bind(now).bind(now).bind(now).ids(users)).await?;
    if let Some(affiliate) = affiliate {
        let sql = Sql::new(
            "INSERT INTO user_affiliates (referral_id, user_id, started_at, created_at, updated_at) SELECT id, ?, ?, ?, ? FROM users WHERE id IN ",
        );
        let sql = sql.bind(affiliate).bind(now).bind(now).bind(now);
        work.execute(sql.ids(users)).await?;
    }
    Ok(())
}

/// Maximum number of users whose active affiliate one run of [`ActiveAffiliateUpdater`] updates.
const BATCH_SIZE: usize = 1_000;

/// The active affiliate of a user at a time, which is bound twice.
const ACTIVE_AFFILIATE_SQL: &str =
    "(SELECT a.user_id FROM user_affiliates a WHERE a.referral_id = users.id AND a.started_at <= ?
  AND (a.ended_at IS NULL OR a.ended_at > ?) ORDER BY a.started_at DESC LIMIT 1)";

/// Copies the active affiliate to the user record, which lists and commissions read.
async fn update_active_affiliate(work: &mut UnitOfWork, user: UserId) -> DbResult<u64> {
    let (now, timestamp) = (work.now, work.timestamp());
    let sql = Sql::new("UPDATE users SET updated_at = ?, affiliate_id = ").bind(timestamp);
    let sql = sql.push(ACTIVE_AFFILIATE_SQL).bind(now).bind(now).push(" WHERE id = ?").bind(user);
    work.execute(sql).await
}

/// Keeps `users.affiliate_id` up to date when affiliations begin or end by time. The first run checks all affiliations.
#[derive(Debug, Default)]
pub struct ActiveAffiliateUpdater {
    checked_until: Time,
}

impl ActiveAffiliateUpdater {
    /// Updates the users whose affiliation began or ended since the last run, and returns their number. Reads without a
    /// transaction first, because most runs have nothing to update.
    pub async fn update_users(&mut self, db: &Db, now: Time) -> DbResult<u64> {
        let sql = Sql::new(
            "SELECT users.id FROM users WHERE users.id IN (SELECT t.referral_id FROM user_affiliates t WHERE (t.started_at > ? AND t.started_at <= ?) OR (t.ended_at > ? AND t.ended_at <= ?)) AND users.affiliate_id IS DISTINCT FROM ",
        );
        let sql = sql.bind(self.checked_until).bind(now).bind(self.checked_until).bind(now);
        let sql = sql
            .push(ACTIVE_AFFILIATE_SQL)
            .bind(now)
            .bind(now)
            .push(" ORDER BY users.id LIMIT ?")
            .bind(i64::try_from(BATCH_SIZE).unwrap_or(i64::MAX));
        let ids: Vec<UserId> =
            (&mut &*db).fetch_all::<(UserId,)>(sql).await?.into_iter().map(|(id,)| id).collect();
        // After a full batch, the next run updates the remaining users.
        if ids.len() < BATCH_SIZE {
            self.checked_until = now;
        }
        if ids.is_empty() {
            return Ok(0);
        }
        let sql = Sql::new("UPDATE users SET affiliate_id = ").push(ACTIVE_AFFILIATE_SQL).bind(now).bind(now);
        (&mut &*db).execute(sql.push(" WHERE id IN ").ids(&ids)).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn period(from: i64, to: Option<i64>) -> Period {
        Period { from: Time(from), to: to.map(Time) }
    }

    #[test]
    fn rejects_overlapping_periods() {
        let [user, other] = [1, 2].map(UserId::new);
        let code = |period, others: &[Period]| {
            check_period(user, other, period, others).map_err(|rejection| rejection.code)
        };
        assert_eq!(code(period(10, None), &[]), Ok(()));
        assert_eq!(
            code(period(10, None), &[period(5, Some(10))]),
            Ok(()),
            "a period may begin when the other ends"
        );
        assert_eq!(code(period(10, Some(20)), &[period(20, None)]), Ok(()));
        assert_eq!(
            code(period(10, None), &[period(20, Some(20))]),
            Ok(()),
            "an empty period must not overlap"
        );
        assert_eq!(code(period(10, None), &[period(20, Some(30))]), Err("affiliates_overlap"));
        assert_eq!(code(period(10, Some(20)), &[period(5, None)]), Err("affiliates_overlap"));
        assert_eq!(code(period(10, Some(10)), &[]), Err("ends_before_start"));
        assert_eq!(check_period(user, user, period(1, None), &[]).unwrap_err().code, "affiliate_is_self");
    }

    #[test]
    fn a_period_excludes_its_end() {
        assert!(period(1, Some(3)).contains(Time(1)) && period(1, Some(3)).contains(Time(2)));
        assert!(!period(1, Some(3)).contains(Time(3)) && !period(1, None).contains(Time(0)));
    }
}
