//! Subscriptions in the database: the only writes of the table. Each update applies only to rows in a state that
//! `panel_domain::states::subscriptions` allows its event to leave; the result of a poll also compares its lease. No money moves
//! here.

use panel_contract::amount::Money;
use panel_contract::drip_feeds::BatchStatus;
use panel_contract::ids::{ServiceId, SubscriptionId, UserId};
use panel_contract::moment::Time;
use panel_contract::subscriptions::BillingType;
use panel_domain::states::subscriptions::{SubscriptionEvent, SubscriptionState, Subscriptions};
use panel_kernel::error::Result;
use panel_platform::db::state::{StoredStates, transition};
use panel_platform::db::{DbResult, Source as _, Sql};
use panel_platform::sql;
use panel_platform::work::UnitOfWork;

/// How the states of a subscription are stored.
pub const STATES: StoredStates<Subscriptions> = {
    use SubscriptionState::*;
    StoredStates {
        table: "subscriptions",
        conditions: &[
            (&[Running], "subscriptions.status = 'in_processing' AND subscriptions.paused_at IS NULL"),
            (&[Paused], "subscriptions.status = 'in_processing' AND subscriptions.paused_at IS NOT NULL"),
            (&[Completed], "subscriptions.status = 'completed'"),
            (&[Canceled], "subscriptions.status = 'canceled'"),
            (&[Running, Paused], "subscriptions.status = 'in_processing'"),
        ],
    }
};

/// Code and message of the 409 if another transaction changed the subscription.
pub(super) const CHANGED: (&str, &str) =
    ("subscription_changed_meanwhile", "The subscription changed meanwhile; reload and try again.");

async fn apply(work: &mut UnitOfWork, sql: Sql, event: SubscriptionEvent) -> Result<()> {
    transition(work, sql.append(STATES.leaving(event))).await?.or_conflict(CHANGED.0, CHANGED.1)
}

/// The period of a recurring subscription.
#[derive(Debug, Clone, Copy)]
pub(super) struct Period {
    pub(super) days: i64,
    /// Number of contents that each renewal adds.
    pub(super) contents: i64,
    /// End of the first period.
    pub(super) renews_at: Time,
}

/// A subscription to insert. It is active, and the first poll of its feed is due at once.
#[derive(Debug, Clone, Copy)]
pub(super) struct NewSubscriptionRow<'a> {
    pub(super) name: &'a str,
    pub(super) url: &'a str,
    /// The platform of the channel, such as `youtube`.
    pub(super) kind: &'a str,
    pub(super) user_id: UserId,
    pub(super) billing_type: BillingType,
    pub(super) contents_limit: i64,
    pub(super) old_contents: i64,
    pub(super) delay_minutes: i64,
    /// The prepaid cost of all contents.
    pub(super) cost: Money,
    /// Number of decimals of its charges and refunds.
    pub(super) rounding_precision: u8,
    pub(super) expired_at: Option<Time>,
    /// For a recurring subscription; the main balance pays its renewals.
    pub(super) period: Option<Period>,
}

/// Inserts a subscription and returns its id.
pub(super) async fn insert(work: &mut UnitOfWork, new: &NewSubscriptionRow<'_>) -> DbResult<SubscriptionId> {
    let (now, stamp) = (work.now, work.stamp());
    let methods = if new.period.is_some() { "[\"main\"]" } else { "[]" };
    let sql = sql!(
        "INSERT INTO subscriptions (name, url, type, user_id, status, billing_type, contents_limit, old_contents, \
           delay_minutes, cost,
           rounding_precision, expired_at, period_days, period_contents, renews_at, recurring_payment_methods, look_at, \
           created_at, updated_at)
         VALUES (@name, @url, @type, @user_id, 'in_processing', @billing_type, @contents_limit, @old_contents, @delay_minutes, \
           @cost, @rounding_precision, @expired_at, @period_days, @period_contents, @renews_at, @recurring_payment_methods, \
           @now, @now, @stamp) RETURNING id",
        {
            name: new.name,
            url: new.url,
            type: new.kind,
            user_id: new.user_id,
            billing_type: new.billing_type.as_str(),
            contents_limit: new.contents_limit,
            old_contents: new.old_contents,
            delay_minutes: new.delay_minutes,
            cost: new.cost,
            rounding_precision: i64::from(new.rounding_precision),
            expired_at: new.expired_at,
            period_days: new.period.map(|period| period.days),
            period_contents: new.period.map(|period| period.contents),
            renews_at: new.period.map(|period| period.renews_at),
            recurring_payment_methods: methods,
            now,
            stamp,
        },
    );
    Ok(work.one::<(SubscriptionId,)>(sql).await?.0)
}

/// Inserts a service of a subscription: each content gets a quantity from `least` to `most`, and its order costs `cost` until the
/// next renewal.
pub(super) async fn insert_service(
    work: &mut UnitOfWork,
    (id, service_id): (SubscriptionId, ServiceId),
    (least, most): (i64, i64),
    cost: Money,
) -> DbResult<()> {
    let sql = sql!(
        "INSERT INTO subscription_services (subscription_id, service_id, quantity, max_quantity, cost) \
           VALUES (@id, @service_id, @quantity, @max_quantity, @cost)",
        { id, service_id, quantity: least, max_quantity: most, cost },
    );
    work.exec(sql).await.map(drop)
}

/// Records a successful poll. `missing` is the number of requested old contents that the feed lacks, by which the limit is reduced;
/// `next` is the time of the next poll.
pub async fn record_feed(
    work: &mut UnitOfWork,
    (id, lease): (SubscriptionId, Time),
    missing: i64,
    next: Time,
) -> Result<()> {
    let sql = sql!(
        "UPDATE subscriptions SET looked_at = @looked_at, look_at = @look_at, contents_limit = contents_limit - @missing, \
           look_error = NULL, look_failures = 0,
           look_failed_at = NULL, look_told_at = NULL WHERE id = @id AND look_at = @lease",
        { looked_at: work.now, look_at: next, missing, id, lease },
    );
    apply(work, sql, SubscriptionEvent::RecordFeed).await
}

/// Records a failed poll. Polls fail since `failed_at`; staff were notified at `notified_at`.
pub async fn record_feed_failure(
    work: &mut UnitOfWork,
    (id, lease): (SubscriptionId, Time),
    error: &str,
    (failed_at, notified_at): (Time, Option<Time>),
    next: Time,
) -> Result<()> {
    let sql = sql!(
        "UPDATE subscriptions SET look_at = @look_at, look_error = @look_error, look_failures = look_failures + 1, \
           look_failed_at = @look_failed_at, look_told_at = @look_told_at
         WHERE id = @id AND look_at = @lease",
        { look_at: next, look_error: error, look_failed_at: failed_at, look_told_at: notified_at, id, lease },
    );
    apply(work, sql, SubscriptionEvent::RecordFeedFailure).await
}

/// Adds one content with that number of orders to the counters. The last content completes the subscription. The update applies
/// only while the stored count is `contents`.
pub async fn record_content(
    work: &mut UnitOfWork,
    (id, contents): (SubscriptionId, i64),
    orders: i64,
    look_at: Option<Time>,
    is_last: bool,
) -> Result<()> {
    let (event, status) = match is_last {
        true => (SubscriptionEvent::PlaceLastContent, BatchStatus::Completed),
        false => (SubscriptionEvent::PlaceContent, BatchStatus::InProcessing),
    };
    let sql = sql!(
        "UPDATE subscriptions SET subscription_contents_count = subscription_contents_count + 1, \
           orders_count = orders_count + @orders, status = @status,
           completed_at = @completed_at, look_at = @look_at,
           wait_reason = CASE WHEN paused_at IS NULL THEN NULL ELSE wait_reason END, updated_at = @updated_at WHERE id = @id \
           AND subscription_contents_count = @contents",
        {
            orders,
            status: status.as_str(),
            completed_at: is_last.then_some(work.now),
            look_at: look_at.filter(|_| !is_last),
            updated_at: work.stamp(),
            id,
            contents,
        },
    );
    apply(work, sql, event).await
}

/// Stores why the orders of a content wait.
pub async fn set_wait_reason(work: &mut UnitOfWork, id: SubscriptionId, why: &str) -> DbResult<()> {
    let sql = Sql::new("UPDATE subscriptions SET wait_reason = ? WHERE id = ?").bind(why).bind(id);
    transition(work, sql.append(STATES.leaving(SubscriptionEvent::PostponeContent)))
        .await?
        .ignore_superseded();
    Ok(())
}

/// Records the paid renewal of the period that was due at `renews_at`: it adds `contents` for `cost`, and the next period begins at
/// `next`.
pub async fn renew(
    work: &mut UnitOfWork,
    (id, renews_at): (SubscriptionId, Time),
    (contents, cost): (i64, Money),
    next: Time,
) -> Result<()> {
    let sql = sql!(
        "UPDATE subscriptions SET contents_limit = contents_limit + @contents, cost = cost + @cost, periods = periods + 1, \
           renews_at = @next, paused_at = NULL,
           wait_reason = NULL, look_at = COALESCE(look_at, CAST(@now AS BIGINT)), updated_at = @updated_at WHERE id = @id \
           AND renews_at = @renews_at",
        {
            contents,
            cost,
            next,
            now: work.now,
            updated_at: work.stamp(),
            id,
            renews_at,
        },
    );
    apply(work, sql, SubscriptionEvent::Renew).await
}

/// Pauses the subscription, because the period that was due at `renews_at` could not be paid. The renewal is retried at `next`.
pub async fn pause(
    work: &mut UnitOfWork,
    (id, renews_at): (SubscriptionId, Option<Time>),
    why: &str,
    next: Time,
) -> Result<()> {
    let sql = sql!(
        "UPDATE subscriptions SET paused_at = COALESCE(paused_at, CAST(@now AS BIGINT)), look_at = NULL, \
           wait_reason = @wait_reason, renews_at = @next, updated_at = @updated_at
         WHERE id = @id AND renews_at = @renews_at",
        {
            now: work.now,
            wait_reason: why,
            next,
            updated_at: work.stamp(),
            id,
            renews_at,
        },
    );
    apply(work, sql, SubscriptionEvent::Pause).await
}

/// Ends a subscription early and records the returned amount.
pub async fn end(
    work: &mut UnitOfWork,
    id: SubscriptionId,
    status: BatchStatus,
    returned: Money,
) -> Result<()> {
    let (event, is_canceled) = match status {
        BatchStatus::Canceled => (SubscriptionEvent::Cancel, true),
        _ => (SubscriptionEvent::Expire, false),
    };
    let now = work.now;
    let sql = sql!(
        "UPDATE subscriptions SET status = @status, canceled_at = @canceled_at, completed_at = @completed_at, \
           returned = returned + @returned, look_at = NULL, renews_at = NULL, paused_at = NULL, wait_reason = NULL,
           updated_at = @updated_at WHERE id = @id",
        {
            status: status.as_str(),
            canceled_at: is_canceled.then_some(now),
            completed_at: (!is_canceled).then_some(now),
            returned,
            updated_at: work.stamp(),
            id,
        },
    );
    apply(work, sql, event).await
}
