//! Drip-feeds in the database: the only writes of the table. Each update applies only to rows in a state that
//! `panel_domain::states::drip_feeds` allows its event to leave. No money moves here.

use panel_contract::amount::Money;
use panel_contract::drip_feeds::BatchStatus;
use panel_contract::ids::{DripFeedId, ServiceId, UserId};
use panel_contract::moment::Time;
use panel_domain::states::drip_feeds::{DripFeedEvent, DripFeeds};
use panel_kernel::error::Result;
use panel_platform::db::state::{StoredStates, transition};
use panel_platform::db::{DbResult, Source as _, Sql};
use panel_platform::sql;
use panel_platform::word_conditions;
use panel_platform::work::UnitOfWork;

/// How the states of a drip-feed are stored.
pub const STATES: StoredStates<DripFeeds> = StoredStates {
    table: "drip_feeds",
    conditions: word_conditions!(
        "drip_feeds.status",
        BatchStatus::InProcessing => "in_processing",
        BatchStatus::Completed => "completed",
        BatchStatus::Canceled => "canceled",
    ),
};

/// Code and message of the 409 if another transaction changed the drip-feed.
const CHANGED: (&str, &str) =
    ("drip_feed_changed_meanwhile", "The drip-feed changed meanwhile; reload and try again.");

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
    let (now, stamp) = (work.now, work.stamp());
    let sql = sql!(
        "INSERT INTO drip_feeds (name, url, user_id, service_id, status, runs, price, pricing_per, cost, rounding_precision, \
           quantity,
           minutes_between_runs, countries, answers, next_run_at, created_at, updated_at)
         VALUES (@name, @url, @user_id, @service_id, 'in_processing', @runs, @price, @pricing_per, @cost, @rounding_precision, \
           @quantity, @minutes_between_runs, @countries, @answers, @now, @now, @stamp) RETURNING id",
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
            stamp,
        },
    );
    let (id,): (DripFeedId,) = work.one(sql).await?;
    Ok(id)
}

/// Records the placed run after `orders_count` others. Without `next_run_at` it was the last one.
pub async fn record_run(
    work: &mut UnitOfWork,
    id: DripFeedId,
    orders_count: i64,
    next_run_at: Option<Time>,
) -> Result<()> {
    let now = work.now;
    let (event, status, completed_at) = match next_run_at {
        Some(_) => (DripFeedEvent::PlaceRun, BatchStatus::InProcessing, None),
        None => (DripFeedEvent::PlaceLastRun, BatchStatus::Completed, Some(now)),
    };
    let sql = sql!(
        "UPDATE drip_feeds SET orders_count = orders_count + 1, next_run_at = @next_run_at, last_error = NULL, \
           status = @status, completed_at = @completed_at, updated_at = @updated_at
         WHERE id = @id AND orders_count = @orders_count",
        { next_run_at, status: status.as_str(), completed_at, updated_at: work.stamp(), id, orders_count },
    );
    let sql = sql.append(STATES.leaving(event));
    transition(work, sql).await?.or_conflict(CHANGED.0, CHANGED.1)
}

/// Stores why a run could not be placed, and when the worker tries again. Changes nothing if the run was placed meanwhile.
pub async fn postpone_run(work: &mut UnitOfWork, id: DripFeedId, error: &str, until: Time) -> DbResult<()> {
    let sql =
        Sql::new("UPDATE drip_feeds SET last_error = ?, next_run_at = ? WHERE next_run_at <= ? AND id = ?");
    let sql = sql.bind(error).bind(until).bind(work.now).bind(id);
    transition(work, sql.append(STATES.leaving(DripFeedEvent::PostponeRun))).await?.ignore_superseded();
    Ok(())
}

/// Ends a drip-feed and records the returned amount.
pub async fn cancel(work: &mut UnitOfWork, id: DripFeedId, returned: Money) -> Result<()> {
    let sql = Sql::new(
        "UPDATE drip_feeds SET status = 'canceled', canceled_at = ?, next_run_at = NULL, returned = returned + ?, updated_at = ?
         WHERE id = ?",
    );
    let sql = sql.bind(work.now).bind(returned).bind(work.stamp()).bind(id);
    let canceled = transition(work, sql.append(STATES.leaving(DripFeedEvent::Cancel))).await?;
    canceled.or_conflict(CHANGED.0, CHANGED.1)
}
