//! Polls the feeds of channels and stores new contents; `content` places their orders. A poll claims the subscription before the
//! request, and no transaction is open during the request. After a failed poll, the next poll is only postponed.

use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::future::join_all;
use panel_contract::ids::{RecordId, SubscriptionId};
use panel_contract::moment::Time;
use panel_contract::quarantine::Poller as QuarantineKind;
use panel_contract::subscriptions::BillingType;
use panel_kernel::backoff::{Backoff, JitterFraction};
use panel_kernel::error::Result;
use serde_json::json;

use super::choose::{self, PolledSubscription};
use super::content::count_remaining_contents;
use super::content_store::{self, NewContent};
use super::feed::{self, FeedItem};
use super::{SubscriptionListRow, lock_row, store};
use crate::app::App;
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::lease::declared::{DueDateMoves, Lease};
use panel_platform::lease::{ClaimedWork, LeasedRow, LeasedRows};
use panel_platform::outbound::{OutboundError, OutboundRequest, Purpose};
use panel_platform::poller::Poller;
use panel_platform::poller::work::WorkSummary;
use panel_platform::scope::Scope;
use panel_platform::settings;
use panel_platform::work::UnitOfWork;

/// In each interval, a process claims at most its share of `polls_per_second`.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Maximum size of a feed, in bytes.
const MAX_FEED_BYTES: usize = 2 << 20;
/// Longest `Retry-After` of a feed that the server follows: a mistake of the feed's owner must not stop the polls of a channel for
/// days.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(6 * 3_600);
const ACCEPTED_MEDIA_TYPES: &str = "application/rss+xml, application/atom+xml, application/feed+json, application/xml;q=0.9, application/json;q=0.8";

/// The lease of a subscription whose channel is polled.
pub const FEED: Lease = Lease {
    kind: QuarantineKind::SubscriptionPoll,
    id_column: "subscriptions.id",
    due_column: "next_poll_at",
    index_condition: "",
    moves: DueDateMoves::ByClaim,
    error_column: Some("poll_error"),
};

/// A subscription whose channel this process polls.
#[derive(Debug, Clone, sqlx::FromRow)]
struct ChannelClaim {
    id: SubscriptionId,
    url: String,
    kind: String,
}

impl LeasedRow for ChannelClaim {
    fn id(&self) -> RecordId {
        self.id.as_record_id()
    }
}

/// Returns the poller that polls the channels that are due, at most as many as the rate limit allows until its next run.
#[must_use]
pub fn poller() -> Poller<App> {
    let is_enabled = |app: App| async move { Ok(app.config.subscriptions.poll_interval().is_some()) };
    Poller::new("subscription_poll", POLL_INTERVAL, claim, poll_channels)
        .with_lease(&FEED)
        .enabled_when(is_enabled)
}

/// Runs one poll and returns the number of claimed subscriptions. Subscriptions to the same channel share one request.
pub async fn poll_due(app: &App) -> Result<usize> {
    poller().poll_once(app).await
}

async fn poll_channels(app: App, claimed_channels: LeasedRows<ChannelClaim>) -> Result<WorkSummary> {
    let Some(interval) = app.config.subscriptions.poll_interval() else { return Ok(WorkSummary::default()) };
    let template = settings::read_text(&mut &app.db, settings::CONTENT_FEED).await?;
    let mut subscriptions_by_feed: BTreeMap<Option<String>, Vec<SubscriptionId>> = BTreeMap::new();
    for claim in &claimed_channels.rows {
        let url = feed::build_feed_url(template.as_deref(), &claim.url, &claim.kind);
        subscriptions_by_feed.entry(url).or_default().push(claim.id);
    }
    let app = &app;
    let requests =
        subscriptions_by_feed.into_iter().map(|(url, ids)| async move { (ids, fetch_feed(app, url).await) });
    let mut summary = WorkSummary::default();
    for (ids, feed_result) in join_all(requests).await {
        for id in ids {
            // If the result of one subscription cannot be stored, the other results are still stored. The subscription is polled
            // again when its lease ends.
            let store_outcome = store_result(app, id, &feed_result, (claimed_channels.until, interval)).await;
            if let Err(error) = &store_outcome {
                tracing::warn!(subscription_id = id.get(), ?error, "failed to store the contents of a feed");
            }
            let count = if feed_result.is_ok() && store_outcome.is_ok() {
                &mut summary.done
            } else {
                &mut summary.failed
            };
            *count += 1;
        }
    }
    Ok(summary)
}

type FeedResult = std::result::Result<Vec<FeedItem>, FeedFailure>;

/// Why a feed could not be read. Staff and the customer see `message`, so it must not contain addresses of our servers.
struct FeedFailure {
    message: String,
    /// `Retry-After` of the feed, limited to [`MAX_RETRY_AFTER`].
    retry_after: Duration,
}

impl From<String> for FeedFailure {
    fn from(message: String) -> Self {
        Self { message, retry_after: Duration::ZERO }
    }
}

async fn store_result(
    app: &App,
    id: SubscriptionId,
    feed_result: &FeedResult,
    lease: (Time, Duration),
) -> Result<()> {
    let mut work = Scope::system(app, "subscription").begin().await?;
    match feed_result {
        Ok(items) => store_contents(&mut work, id, items, lease).await?,
        Err(failure) => record_failure(&mut work, id, failure, lease).await?,
    }
    work.finish(()).await
}

async fn fetch_feed(app: &App, url: Option<String>) -> FeedResult {
    let Some(url) = url else {
        let message = "The channel is a name instead of a URL. Set content_feed_url, so that the panel can find its feed.";
        return Err(message.to_owned().into());
    };
    let request = OutboundRequest::get(Purpose::ContentFeed, &url)
        .header("accept", ACCEPTED_MEDIA_TYPES)
        .max_bytes(MAX_FEED_BYTES);
    let error_message = |error: OutboundError| error.to_string();
    let response = app.outbound.send(request).await.map_err(error_message)?;
    let retry_after = response.retry_after(app.clock.now()).filter(|_| matches!(response.status, 429 | 503));
    let retry_after = retry_after.unwrap_or_default().min(MAX_RETRY_AFTER);
    let body = response
        .into_success_body()
        .map_err(|error| FeedFailure { message: error_message(error), retry_after })?;
    Ok(feed::parse_feed(body, url).await?)
}

/// Computes the time of the next poll: after `delay` plus up to 10 % of the delay. The additional time depends on the id, so that
/// subscriptions that started together are not polled together.
fn next_poll_at(now: Time, delay: Duration, id: SubscriptionId) -> Time {
    Backoff::constant(delay).add_up_to(100).next_attempt_at(1, JitterFraction::from_id(id), now)
}

// Store

async fn claim(app: App) -> Result<ClaimedWork<LeasedRows<ChannelClaim>>> {
    if app.config.subscriptions.poll_interval().is_none() {
        return Ok(ClaimedWork::empty(app.clock.now()));
    }
    let limit = (app.config.subscriptions.polls_per_second / app.processes.count()).max(1);
    let select_due_sql = FEED.select_claimable(&app).push(" ORDER BY next_poll_at LIMIT ?").bind(limit);
    Ok(FEED.claim(&app, select_due_sql, "id, url, type AS kind").await?)
}

/// Locks the subscription. Returns `None` if it is over, or if another process has claimed it.
async fn lock_if_leased(
    work: &mut UnitOfWork,
    id: SubscriptionId,
    lease_until: Time,
) -> Result<Option<SubscriptionListRow>> {
    let subscription = lock_row(work, id).await?;
    let is_leased = subscription.next_poll_at == Some(lease_until) && !subscription.is_over(work.now);
    Ok(is_leased.then_some(subscription))
}

async fn store_contents(
    work: &mut UnitOfWork,
    id: SubscriptionId,
    items: &[FeedItem],
    (lease_until, interval): (Time, Duration),
) -> Result<()> {
    let Some(subscription) = lock_if_leased(work, id, lease_until).await? else { return Ok(()) };
    let polled_subscription = PolledSubscription {
        started_at: subscription.created_at,
        is_first_poll: subscription.last_polled_at.is_none(),
        old_contents: subscription.old_contents,
        remaining_contents: count_remaining_contents(work, &subscription).await?,
        delay_minutes: subscription.delay_minutes,
        reduces_limit_by_missing: subscription.billing_type == BillingType::PerContent,
    };
    let now = work.now;
    let chosen_contents =
        choose::choose_contents(filter_new(work, id, items).await?, polled_subscription, now);
    let contents = chosen_contents.contents.iter().map(|content| NewContent {
        url: &content.item.url,
        status: content.status,
        published_at: content.item.published_at,
        due_at: content.due_at,
    });
    content_store::insert(work, id, &contents.collect::<Vec<_>>()).await?;
    let next_poll = next_poll_at(now, interval, id);
    store::record_feed(work, (id, lease_until), chosen_contents.missing_old_contents, next_poll).await
}

/// Contents that are not stored yet, without duplicates.
async fn filter_new(work: &mut UnitOfWork, id: SubscriptionId, items: &[FeedItem]) -> Result<Vec<FeedItem>> {
    if items.is_empty() {
        return Ok(Vec::new());
    }
    let rows = items.iter().map(|item| vec![item.url.as_str().into()]).collect();
    let sql = Sql::new("SELECT c.url FROM ").rows("r", &["url"], rows);
    let sql = sql.push(" JOIN subscription_contents c ON c.url = r.url AND c.subscription_id = ?").bind(id);
    let stored: Vec<(String,)> = work.fetch_all(sql).await?;
    let mut urls: std::collections::BTreeSet<String> = stored.into_iter().map(|(url,)| url).collect();
    Ok(items.iter().filter(|item| urls.insert(item.url.clone())).cloned().collect())
}

/// Stores the failure with a longer delay until the next poll, and notifies staff once after a day of failures.
async fn record_failure(
    work: &mut UnitOfWork,
    id: SubscriptionId,
    failure: &FeedFailure,
    (lease_until, interval): (Time, Duration),
) -> Result<()> {
    let Some(subscription) = lock_if_leased(work, id, lease_until).await? else { return Ok(()) };
    let now = work.now;
    let failing_since = subscription.poll_failing_since.unwrap_or(now);
    let notified_at = subscription.poll_alerted_at;
    let is_notification_due = choose::is_notification_due(Some(failing_since), notified_at.is_some(), now);
    let failures = subscription.poll_failures.saturating_add(1);
    let delay =
        choose::retry_backoff(interval).delay(failures, JitterFraction::NONE).max(failure.retry_after);
    let message = failure.message.as_str();
    let failure_times = (failing_since, if is_notification_due { Some(now) } else { notified_at });
    store::record_feed_failure(work, (id, lease_until), message, failure_times, next_poll_at(now, delay, id))
        .await?;
    if is_notification_due {
        let new = json!({ "last_error": message, "failed_since": failing_since });
        let change = AuditChange { id: id.as_record_id(), old: json!({}), new };
        audit::record(work, "subscription.feed_failing", "subscription", change).await?;
    }
    Ok(())
}
