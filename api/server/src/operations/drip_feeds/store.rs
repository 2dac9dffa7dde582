//! Writes the table `drip_feeds`; no other module writes it. Each update changes only rows in a state in which
//! `panel_domain::states::drip_feeds` allows the event. Books no payment.

use panel_contract::amount::Money;
use panel_contract::drip_feeds::RecurringOrderStatus;
use panel_contract::ids::{DripFeedId, ServiceId, UserId};
use panel_contract::moment::Time;
use panel_domain::states::drip_feeds::{DripFeedEvent, DripFeeds};
use panel_kernel::error::Result;
use panel_platform::db::state::{StoredStates, transition};
use panel_platform::db::{DbResult, Sql, SqlExecutor as _};
use panel_platform::sql;
use panel_platform::status_conditions;
use panel_platform::work::UnitOfWork;

/// SQL conditions of the states of a drip-feed.
pub const STATES: StoredStates<DripFeeds> = StoredStates {
    table: "drip_feeds",
    conditions: status_conditions!(
        "drip_feeds.status",
        RecurringOrderStatus::InProcessing => "in_processing",
        RecurringOrderStatus::Completed => "completed",
        RecurringOrderStatus::Canceled => "canceled",
    ),
};

/// Code and message of the 409 if another transaction changed the drip-feed.
const CONCURRENT_CHANGE: (&str, &str) =
    ("drip_feed_changed_meanwhile", "Another request changed the drip-feed. Reload it and try again.");

/// A drip-feed to insert.
pub(super) struct NewDripFeedRow<'a> {
    pub(super) name: &'a str,
    pub(super) url: &'a str,
    pub(super) user_id: UserId,
    pub(super) service_id: ServiceId,
    pub(super) runs: i64,
    pub(super) price: Money,
    pub(super) pricing_per: i64,
    pub(super) cost: Money,
    pub(super) rounding_precision: u8,
    pub(super) quantity: i64,
    pub(super) minutes_between_runs: i64,
    /// A JSON list of ISO codes.
    pub(super) countries: String,
    /// A JSON list of target values.
    pub(super) answers: String,
}

/// Inserts a drip-feed whose first run is due at once, and returns its id.
pub(super) async fn insert(work: &mut UnitOfWork, new: NewDripFeedRow<'_>) -> DbResult<DripFeedId> {
    let (now, timestamp) = (work.now, work.timestamp());
    let sql = sql!(
        "INSERT INTO drip_feeds (name, url, user_id, service_id, status, runs, price, pricing_per, cost, rounding_precision, \
           quantity,
           minutes_between_runs, countries, answers, next_run_at, created_at, updated_at)
         VALUES (@name, @url, @user_id, @service_id, 'in_processing', @runs, @price, @pricing_per, @cost, @rounding_precision, \
           @quantity, @minutes_between_runs, @countries, @answers, @now, @now, @timestamp) RETURNING id",
        {
            name: new.name,
            url: new.url,
            user_id: new.user_id,
            service_id: new.service_id,
            runs: new.runs,
            price: new.price,
            pricing_per: new.pricing_per,
            cost: new.cost,
            rounding_precision: i64::from(new.rounding_precision),
            quantity: new.quantity,
            minutes_between_runs: new.minutes_between_runs,
            countries: new.countries,
            answers: new.answers,
            now,
            timestamp,
        },
    );
    let (id,): (DripFeedId,) = work.fetch_one(sql).await?;
    Ok(id)
}

/// Records that a run was placed. Changes nothing unless `orders_count` runs were placed before. `next_run_at` is `None` for the
/// last run.
pub async fn record_run(
    work: &mut UnitOfWork,
    id: DripFeedId,
    orders_count: i64,
    next_run_at: Option<Time>,
) -> Result<()> {
    let now = work.now;
    let (event, status, completed_at) = match next_run_at {
        Some(_) => (DripFeedEvent::PlaceRun, RecurringOrderStatus::InProcessing, None),
        None => (DripFeedEvent::PlaceLastRun, RecurringOrderStatus::Completed, Some(now)),
    };
    let sql = sql!(
        "UPDATE drip_feeds SET orders_count = orders_count + 1, next_run_at = @next_run_at, last_error = NULL, \
           status = @status, completed_at = @completed_at, updated_at = @updated_at
         WHERE id = @id AND orders_count = @orders_count",
        { next_run_at, status: status.as_str(), completed_at, updated_at: work.timestamp(), id, orders_count },
    );
    let sql = sql.append(STATES.condition_for(event));
    transition(work, sql).await?.or_conflict(CONCURRENT_CHANGE.0, CONCURRENT_CHANGE.1)
}

/// Stores why a run could not be placed, and when the worker retries. Changes nothing if another worker has placed the run.
pub async fn postpone_run(
    work: &mut UnitOfWork,
    id: DripFeedId,
    error: &str,
    retry_at: Time,
) -> DbResult<()> {
    let sql =
        Sql::new("UPDATE drip_feeds SET last_error = ?, next_run_at = ? WHERE next_run_at <= ? AND id = ?");
    let sql = sql.bind(error).bind(retry_at).bind(work.now).bind(id);
    transition(work, sql.append(STATES.condition_for(DripFeedEvent::PostponeRun))).await?.ignore_superseded();
    Ok(())
}

/// Cancels a drip-feed and records the refund.
pub async fn cancel(work: &mut UnitOfWork, id: DripFeedId, refund: Money) -> Result<()> {
    let sql = Sql::new(
        "UPDATE drip_feeds SET status = 'canceled', canceled_at = ?, next_run_at = NULL, refunded = refunded + ?, updated_at = ?
         WHERE id = ?",
    );
    let sql = sql.bind(work.now).bind(refund).bind(work.timestamp()).bind(id);
    let transition = transition(work, sql.append(STATES.condition_for(DripFeedEvent::Cancel))).await?;
    transition.or_conflict(CONCURRENT_CHANGE.0, CONCURRENT_CHANGE.1)
}
