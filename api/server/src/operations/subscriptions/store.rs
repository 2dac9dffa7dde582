//! Writes the table `subscriptions`; no other module writes it. Each update changes only rows in a state in which
//! `panel_domain::states::subscriptions` allows the event; the result of a poll also requires the lease of the worker. Books no
//! payment.

use panel_contract::amount::Money;
use panel_contract::drip_feeds::RecurringOrderStatus;
use panel_contract::ids::{ServiceId, SubscriptionId, UserId};
use panel_contract::moment::Time;
use panel_contract::subscriptions::BillingType;
use panel_domain::states::subscriptions::{SubscriptionEvent, SubscriptionState, Subscriptions};
use panel_kernel::error::Result;
use panel_platform::db::state::{StoredStates, transition};
use panel_platform::db::{DbResult, Sql, SqlExecutor as _};
use panel_platform::sql;
use panel_platform::work::UnitOfWork;

/// SQL conditions of the states of a subscription.
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
pub(super) const CONCURRENT_CHANGE: (&str, &str) =
    ("subscription_changed_meanwhile", "Another request changed the subscription. Reload it and try again.");

async fn apply_event(work: &mut UnitOfWork, update_sql: Sql, event: SubscriptionEvent) -> Result<()> {
    transition(work, update_sql.append(STATES.condition_for(event)))
        .await?
        .or_conflict(CONCURRENT_CHANGE.0, CONCURRENT_CHANGE.1)
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
    /// Number of decimals to which charges and refunds are rounded.
    pub(super) rounding_precision: u8,
    pub(super) expired_at: Option<Time>,
    /// The period of a recurring subscription, whose renewals are paid from the main balance; `None` for other subscriptions.
    pub(super) period: Option<Period>,
}

/// Inserts a subscription and returns its id.
pub(super) async fn insert(work: &mut UnitOfWork, new: &NewSubscriptionRow<'_>) -> DbResult<SubscriptionId> {
    let (now, timestamp) = (work.now, work.timestamp());
    let methods = if new.period.is_some() { "[\"main\"]" } else { "[]" };
    let sql = sql!(
        "INSERT INTO subscriptions (name, url, type, user_id, status, billing_type, contents_limit, old_contents, \
           delay_minutes, cost,
           rounding_precision, expired_at, period_days, period_contents, renews_at, recurring_payment_methods, next_poll_at, \
           created_at, updated_at)
         VALUES (@name, @url, @type, @user_id, 'in_processing', @billing_type, @contents_limit, @old_contents, @delay_minutes, \
           @cost, @rounding_precision, @expired_at, @period_days, @period_contents, @renews_at, @recurring_payment_methods, \
           @now, @now, @timestamp) RETURNING id",
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
            timestamp,
        },
    );
    Ok(work.fetch_one::<(SubscriptionId,)>(sql).await?.0)
}

/// Inserts a service of a subscription: each content gets a quantity from `min` to `max`, and its order costs `cost` until the
/// next renewal.
pub(super) async fn insert_service(
    work: &mut UnitOfWork,
    (id, service_id): (SubscriptionId, ServiceId),
    (min, max): (i64, i64),
    cost: Money,
) -> DbResult<()> {
    let sql = sql!(
        "INSERT INTO subscription_services (subscription_id, service_id, quantity, max_quantity, cost) \
           VALUES (@id, @service_id, @quantity, @max_quantity, @cost)",
        { id, service_id, quantity: min, max_quantity: max, cost },
    );
    work.execute(sql).await.map(drop)
}

/// Records a successful poll. The lease must still end at `lease_until`. The limit of contents is reduced by `missing_contents`,
/// the number of requested old contents that the feed does not have.
pub async fn record_feed(
    work: &mut UnitOfWork,
    (id, lease_until): (SubscriptionId, Time),
    missing_contents: i64,
    next_poll_at: Time,
) -> Result<()> {
    let sql = sql!(
        "UPDATE subscriptions SET last_polled_at = @last_polled_at, next_poll_at = @next_poll_at, contents_limit = contents_limit - @missing_contents, \
           poll_error = NULL, poll_failures = 0,
           poll_failing_since = NULL, poll_alerted_at = NULL WHERE id = @id AND next_poll_at = @lease_until",
        { last_polled_at: work.now, next_poll_at, missing_contents, id, lease_until },
    );
    apply_event(work, sql, SubscriptionEvent::RecordFeed).await
}

/// Records a failed poll. Polls have failed since `failing_since`; staff were notified at `notified_at`.
pub async fn record_feed_failure(
    work: &mut UnitOfWork,
    (id, lease_until): (SubscriptionId, Time),
    error: &str,
    (failing_since, notified_at): (Time, Option<Time>),
    next_poll_at: Time,
) -> Result<()> {
    let sql = sql!(
        "UPDATE subscriptions SET next_poll_at = @next_poll_at, poll_error = @poll_error, poll_failures = poll_failures + 1, \
           poll_failing_since = @poll_failing_since, poll_alerted_at = @poll_alerted_at
         WHERE id = @id AND next_poll_at = @lease_until",
        { next_poll_at, poll_error: error, poll_failing_since: failing_since, poll_alerted_at: notified_at, id, lease_until },
    );
    apply_event(work, sql, SubscriptionEvent::RecordFeedFailure).await
}

/// Counts one content with `new_orders` orders. The last content completes the subscription. Changes nothing unless the stored
/// number of contents is still `current_count`.
pub async fn record_content(
    work: &mut UnitOfWork,
    (id, current_count): (SubscriptionId, i64),
    new_orders: i64,
    next_poll_at: Option<Time>,
    is_last: bool,
) -> Result<()> {
    let (event, status) = match is_last {
        true => (SubscriptionEvent::PlaceLastContent, RecurringOrderStatus::Completed),
        false => (SubscriptionEvent::PlaceContent, RecurringOrderStatus::InProcessing),
    };
    let sql = sql!(
        "UPDATE subscriptions SET subscription_contents_count = subscription_contents_count + 1, \
           orders_count = orders_count + @new_orders, status = @status,
           completed_at = @completed_at, next_poll_at = @next_poll_at,
           wait_reason = CASE WHEN paused_at IS NULL THEN NULL ELSE wait_reason END, updated_at = @updated_at WHERE id = @id \
           AND subscription_contents_count = @current_count",
        {
            new_orders,
            status: status.as_str(),
            completed_at: is_last.then_some(work.now),
            next_poll_at: next_poll_at.filter(|_| !is_last),
            updated_at: work.timestamp(),
            id,
            current_count,
        },
    );
    apply_event(work, sql, event).await
}

/// Stores the reason why the orders of a content wait.
pub async fn set_wait_reason(work: &mut UnitOfWork, id: SubscriptionId, reason: &str) -> DbResult<()> {
    let sql = Sql::new("UPDATE subscriptions SET wait_reason = ? WHERE id = ?").bind(reason).bind(id);
    transition(work, sql.append(STATES.condition_for(SubscriptionEvent::PostponeContent)))
        .await?
        .ignore_superseded();
    Ok(())
}

/// Records the renewal that was due at `renews_at`, after it was paid: the new period adds `contents` for `cost` and ends at
/// `period_end`.
pub async fn renew(
    work: &mut UnitOfWork,
    (id, renews_at): (SubscriptionId, Time),
    (contents, cost): (i64, Money),
    period_end: Time,
) -> Result<()> {
    let sql = sql!(
        "UPDATE subscriptions SET contents_limit = contents_limit + @contents, cost = cost + @cost, periods = periods + 1, \
           renews_at = @period_end, paused_at = NULL,
           wait_reason = NULL, next_poll_at = COALESCE(next_poll_at, CAST(@now AS BIGINT)), updated_at = @updated_at WHERE id = @id \
           AND renews_at = @renews_at",
        {
            contents,
            cost,
            period_end,
            now: work.now,
            updated_at: work.timestamp(),
            id,
            renews_at,
        },
    );
    apply_event(work, sql, SubscriptionEvent::Renew).await
}

/// Pauses the subscription, because the renewal that was due at `renews_at` failed. The worker retries it at `retry_at`.
pub async fn pause(
    work: &mut UnitOfWork,
    (id, renews_at): (SubscriptionId, Option<Time>),
    reason: &str,
    retry_at: Time,
) -> Result<()> {
    let sql = sql!(
        "UPDATE subscriptions SET paused_at = COALESCE(paused_at, CAST(@now AS BIGINT)), next_poll_at = NULL, \
           wait_reason = @wait_reason, renews_at = @retry_at, updated_at = @updated_at
         WHERE id = @id AND renews_at = @renews_at",
        {
            now: work.now,
            wait_reason: reason,
            retry_at,
            updated_at: work.timestamp(),
            id,
            renews_at,
        },
    );
    apply_event(work, sql, SubscriptionEvent::Pause).await
}

/// Ends a subscription before its limit is reached, and records the refund.
pub async fn end(
    work: &mut UnitOfWork,
    id: SubscriptionId,
    status: RecurringOrderStatus,
    refund: Money,
) -> Result<()> {
    let (event, is_canceled) = match status {
        RecurringOrderStatus::Canceled => (SubscriptionEvent::Cancel, true),
        _ => (SubscriptionEvent::Expire, false),
    };
    let now = work.now;
    let sql = sql!(
        "UPDATE subscriptions SET status = @status, canceled_at = @canceled_at, completed_at = @completed_at, \
           refunded = refunded + @refund, next_poll_at = NULL, renews_at = NULL, paused_at = NULL, wait_reason = NULL,
           updated_at = @updated_at WHERE id = @id",
        {
            status: status.as_str(),
            canceled_at: is_canceled.then_some(now),
            completed_at: (!is_canceled).then_some(now),
            refund,
            updated_at: work.timestamp(),
            id,
        },
    );
    apply_event(work, sql, event).await
}
