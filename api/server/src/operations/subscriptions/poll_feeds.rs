//! Polls the feeds of channels and stores new contents. A poll claims the subscription before the request, and no transaction is
//! open meanwhile; `content` places the orders. A feed that fails changes only the time of the next poll.

use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::future::join_all;
use panel_contract::ids::{RecordId, SubscriptionId};
use panel_contract::moment::Time;
use panel_contract::quarantine::Poller as QuarantineKind;
use panel_contract::subscriptions::BillingType;
use panel_kernel::backoff::{Backoff, Chance};
use panel_kernel::error::Result;
use serde_json::json;

use super::choose::{self, PolledSubscription};
use super::content::remaining_contents;
use super::content_store::{self, NewContent};
use super::feed::{self, Item};
use super::{SubscriptionRecord, lock, store};
use crate::app::App;
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::db::{Source, Sql};
use panel_platform::lease::declared::{DueDateMoves, Lease};
use panel_platform::lease::{ClaimedWork, LeasedRow, LeasedRows};
use panel_platform::outbound::{Call, OutboundError, Purpose};
use panel_platform::poller::Poller;
use panel_platform::poller::work::WorkSummary;
use panel_platform::scope::Scope;
use panel_platform::settings;
use panel_platform::work::UnitOfWork;

/// Between two polls. One poll claims at most the share of this process in `looks_per_second`.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Largest feed that is read.
const MAX_FEED_BYTES: usize = 2 << 20;
/// Upper limit for the `Retry-After` of a feed: a mistake of its owner must not stop the polls of a channel for days.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(6 * 3_600);
const ACCEPT: &str = "application/rss+xml, application/atom+xml, application/feed+json, application/xml;q=0.9, application/json;q=0.8";

/// The lease of a subscription whose channel is polled.
pub const FEED: Lease = Lease {
    kind: QuarantineKind::SubscriptionPoll,
    record: "subscriptions.id",
    due: "look_at",
    filter: "",
    moves: DueDateMoves::ByClaim,
    error: Some("look_error"),
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
        self.id.record()
    }
}

/// Polls the channels that are due, at most as many as the rate limit allows until the next poll.
#[must_use]
pub fn poller() -> Poller<App> {
    let is_enabled = |app: App| async move { Ok(app.config.subscriptions.poll_interval().is_some()) };
    Poller::new("subscription_poll", POLL_INTERVAL, claim, poll_channels)
        .with_lease(&FEED)
        .enabled_when(is_enabled)
}

/// Runs one poll and returns the number of claimed subscriptions. Subscriptions to one channel share a call.
pub async fn poll_due(app: &App) -> Result<usize> {
    poller().poll_once(app).await
}

async fn poll_channels(app: App, claimed: LeasedRows<ChannelClaim>) -> Result<WorkSummary> {
    let Some(every) = app.config.subscriptions.poll_interval() else { return Ok(WorkSummary::default()) };
    let template = settings::text(&mut &app.db, settings::CONTENT_FEED).await?;
    let mut channels: BTreeMap<Option<String>, Vec<SubscriptionId>> = BTreeMap::new();
    for claim in &claimed.rows {
        let address = feed::address(template.as_deref(), &claim.url, &claim.kind);
        channels.entry(address).or_default().push(claim.id);
    }
    let app = &app;
    let calls =
        channels.into_iter().map(|(address, ids)| async move { (ids, fetch_feed(app, address).await) });
    let mut worked = WorkSummary::default();
    for (ids, feed_result) in join_all(calls).await {
        for id in ids {
            // A failure to store the result of one subscription does not stop the others. It is polled again when its lease ends.
            let stored = store_result(app, id, &feed_result, (claimed.until, every)).await;
            if let Err(error) = &stored {
                tracing::warn!(subscription_id = id.get(), ?error, "failed to store the contents of a feed");
            }
            let count =
                if feed_result.is_ok() && stored.is_ok() { &mut worked.done } else { &mut worked.failed };
            *count += 1;
        }
    }
    Ok(worked)
}

type FeedResult = std::result::Result<Vec<Item>, FeedFailure>;

/// Why a feed could not be read. Shown to staff and the customer, so `why` names no addresses of the panel's servers.
struct FeedFailure {
    why: String,
    /// `Retry-After` of the feed, limited to [`MAX_RETRY_AFTER`].
    retry_after: Duration,
}

impl From<String> for FeedFailure {
    fn from(why: String) -> Self {
        Self { why, retry_after: Duration::ZERO }
    }
}

async fn store_result(
    app: &App,
    id: SubscriptionId,
    feed_result: &FeedResult,
    when: (Time, Duration),
) -> Result<()> {
    let mut work = Scope::system(app, "subscription").begin().await?;
    match feed_result {
        Ok(items) => store_contents(&mut work, id, items, when).await?,
        Err(failure) => record_failure(&mut work, id, failure, when).await?,
    }
    work.finish(()).await
}

async fn fetch_feed(app: &App, address: Option<String>) -> FeedResult {
    let Some(address) = address else {
        let why = "The channel is a name instead of an address. Set content_feed_url, so that the panel finds its feed.";
        return Err(why.to_owned().into());
    };
    let call = Call::get(Purpose::ContentFeed, &address).header("accept", ACCEPT).max_bytes(MAX_FEED_BYTES);
    let message = |error: OutboundError| error.to_string();
    let answer = app.outbound.send(call).await.map_err(message)?;
    let retry_after = answer.retry_after(app.clock.now()).filter(|_| matches!(answer.status, 429 | 503));
    let retry_after = retry_after.unwrap_or_default().min(MAX_RETRY_AFTER);
    let body = answer.success().map_err(|error| FeedFailure { why: message(error), retry_after })?;
    Ok(feed::read(body, address).await?)
}

/// When a channel is polled next: after `wait` plus up to 10 % of it, by the id, so that polls of subscriptions that started
/// together spread out.
fn next_poll(now: Time, wait: Duration, id: SubscriptionId) -> Time {
    Backoff::constant(wait).add_up_to(100).at(1, Chance::of_id(id), now)
}

// Store

async fn claim(app: App) -> Result<ClaimedWork<LeasedRows<ChannelClaim>>> {
    if app.config.subscriptions.poll_interval().is_none() {
        return Ok(ClaimedWork::empty(app.clock.now()));
    }
    let share = (app.config.subscriptions.looks_per_second / app.processes.count()).max(1);
    let due = FEED.due(&app).push(" ORDER BY look_at LIMIT ?").bind(share);
    Ok(FEED.claim(&app, due, "id, url, type AS kind").await?)
}

/// Locks the subscription; `None` if it is over or another process claimed it.
async fn lock_claimed(
    work: &mut UnitOfWork,
    id: SubscriptionId,
    until: Time,
) -> Result<Option<SubscriptionRecord>> {
    let subscription = lock(work, id).await?;
    let is_mine = subscription.look_at == Some(until) && !subscription.is_over(work.now);
    Ok(is_mine.then_some(subscription))
}

async fn store_contents(
    work: &mut UnitOfWork,
    id: SubscriptionId,
    items: &[Item],
    (until, every): (Time, Duration),
) -> Result<()> {
    let Some(subscription) = lock_claimed(work, id, until).await? else { return Ok(()) };
    let polled = PolledSubscription {
        started_at: subscription.created_at,
        is_first: subscription.looked_at.is_none(),
        old_contents: subscription.old_contents,
        remaining: remaining_contents(work, &subscription).await?,
        delay_minutes: subscription.delay_minutes,
        reduces_limit: subscription.billing_type == BillingType::PerContent,
    };
    let now = work.now;
    let chosen = choose::choose(filter_new(work, id, items).await?, polled, now);
    let contents = chosen.contents.iter().map(|content| NewContent {
        url: &content.item.url,
        status: content.status,
        published_at: content.item.published_at,
        due_at: content.due_at,
    });
    content_store::insert(work, id, &contents.collect::<Vec<_>>()).await?;
    let next = next_poll(now, every, id);
    store::record_feed(work, (id, until), chosen.missing, next).await
}

/// Contents that are not stored yet, without duplicates.
async fn filter_new(work: &mut UnitOfWork, id: SubscriptionId, items: &[Item]) -> Result<Vec<Item>> {
    if items.is_empty() {
        return Ok(Vec::new());
    }
    let rows = items.iter().map(|item| vec![item.url.as_str().into()]).collect();
    let sql = Sql::new("SELECT c.url FROM ").rows("r", &["url"], rows);
    let sql = sql.push(" JOIN subscription_contents c ON c.url = r.url AND c.subscription_id = ?").bind(id);
    let known: Vec<(String,)> = work.all(sql).await?;
    let mut seen: std::collections::BTreeSet<String> = known.into_iter().map(|(url,)| url).collect();
    Ok(items.iter().filter(|item| seen.insert(item.url.clone())).cloned().collect())
}

/// Stores the failure with a longer delay until the next poll, and notifies staff once after a day of failures.
async fn record_failure(
    work: &mut UnitOfWork,
    id: SubscriptionId,
    failure: &FeedFailure,
    (until, every): (Time, Duration),
) -> Result<()> {
    let Some(subscription) = lock_claimed(work, id, until).await? else { return Ok(()) };
    let now = work.now;
    let since = subscription.look_failed_at.unwrap_or(now);
    let notified_at = subscription.look_told_at;
    let is_notification_due = choose::is_notification_due(Some(since), notified_at.is_some(), now);
    let failures = subscription.look_failures.saturating_add(1);
    let wait = choose::retry_backoff(every).delay(failures, Chance::NONE).max(failure.retry_after);
    let why = failure.why.as_str();
    let failing = (since, if is_notification_due { Some(now) } else { notified_at });
    store::record_feed_failure(work, (id, until), why, failing, next_poll(now, wait, id)).await?;
    if is_notification_due {
        let new = json!({ "last_error": why, "failed_since": since });
        let change = AuditChange { id: id.record(), old: json!({}), new };
        audit::record(work, "subscription.feed_failing", "subscription", change).await?;
    }
    Ok(())
}
