//! Looks for new contents: reads the feeds of channels and writes down what is new in them. A subscription is claimed
//! before its feed is asked for, and no transaction is open meanwhile; what is placed when is the business of `content`.
//! A feed that fails changes nothing but when it is asked again.

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

use super::choose::{self, Standing};
use super::content::room;
use super::content_store::{self, NewContent};
use super::feed::{self, Item};
use super::{Record, lock, store};
use crate::app::App;
use panel_platform::audit;
use panel_platform::audit::change::Change;
use panel_platform::db::{Source, Sql};
use panel_platform::lease::declared::{DueMoves, Lease};
use panel_platform::lease::{Claimed, Leased, LeasedRow};
use panel_platform::outbound::{Call, OutboundError, Purpose};
use panel_platform::poller::Poller;
use panel_platform::poller::worked::Worked;
use panel_platform::scope::Scope;
use panel_platform::settings;
use panel_platform::work::Work;

/// Between two polls; `looks_per_second` holds for this time.
const EVERY: Duration = Duration::from_secs(1);
/// Largest feed that is read.
const LARGEST: usize = 2 << 20;
/// The longest `Retry-After` of a feed that holds: a mistake of its owner must not silence a channel for days.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(6 * 3_600);
/// What feeds call themselves.
const ACCEPT: &str = "application/rss+xml, application/atom+xml, application/feed+json, application/xml;q=0.9, application/json;q=0.8";

/// The lease of a subscription whose channel is polled.
pub const FEED: Lease = Lease {
    kind: QuarantineKind::SubscriptionPoll,
    record: "subscriptions.id",
    due: "look_at",
    filter: "",
    moves: DueMoves::ByClaim,
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

/// Polls the channels whose time it is. A poll takes as many as may be polled until the next one.
#[must_use]
pub fn poller() -> Poller<App> {
    let is_enabled = |app: App| async move { Ok(app.config.subscriptions.look_every().is_some()) };
    Poller::new("subscription_poll", EVERY, claim, look).of(&FEED).enabled_when(is_enabled)
}

/// One poll; how many subscriptions there were. Subscriptions to one channel share a call.
pub async fn look_due(app: &App) -> Result<usize> {
    poller().poll_once(app).await
}

async fn look(app: App, claimed: Leased<ChannelClaim>) -> Result<Worked> {
    let Some(every) = app.config.subscriptions.look_every() else { return Ok(Worked::default()) };
    let template = settings::text(&mut &app.db, settings::CONTENT_FEED).await?;
    let mut channels: BTreeMap<Option<String>, Vec<SubscriptionId>> = BTreeMap::new();
    for one in &claimed.rows {
        let address = feed::address(template.as_deref(), &one.url, &one.kind);
        channels.entry(address).or_default().push(one.id);
    }
    let app = &app;
    let asked = channels.into_iter().map(|(address, ids)| async move { (ids, ask(app, address).await) });
    let mut worked = Worked::default();
    for (ids, said) in join_all(asked).await {
        for id in ids {
            // One that cannot be written is polled again after its claim, and holds up no other.
            let written = write(app, id, &said, (claimed.until, every)).await;
            if let Err(error) = &written {
                tracing::warn!(?error, subscription = id.get(), "what a channel says could not be written");
            }
            let count = if said.is_ok() && written.is_ok() { &mut worked.done } else { &mut worked.failed };
            *count += 1;
        }
    }
    Ok(worked)
}

type Said = std::result::Result<Vec<Item>, Silence>;

/// Why a feed brought nothing, in words that hold no address.
struct Silence {
    why: String,
    /// How long the feed asked not to be read, within [`MAX_RETRY_AFTER`].
    retry_after: Duration,
}

impl From<String> for Silence {
    fn from(why: String) -> Self {
        Self { why, retry_after: Duration::ZERO }
    }
}

async fn write(app: &App, id: SubscriptionId, said: &Said, when: (Time, Duration)) -> Result<()> {
    let mut work = Scope::system(app, "subscription").begin().await?;
    match said {
        Ok(items) => took(&mut work, id, items, when).await?,
        Err(silence) => failed(&mut work, id, silence, when).await?,
    }
    work.finish(()).await
}

/// Reads a feed.
async fn ask(app: &App, address: Option<String>) -> Said {
    let Some(address) = address else {
        let why = "The channel is a name, and content_feed_url does not say where its feed is.";
        return Err(why.to_owned().into());
    };
    let call = Call::get(Purpose::ContentFeed, &address).header("accept", ACCEPT).at_most(LARGEST);
    let told = |error: OutboundError| error.to_string();
    let answer = app.outbound.send(call).await.map_err(told)?;
    let retry_after = answer.retry_after(app.clock.now()).filter(|_| matches!(answer.status, 429 | 503));
    let retry_after = retry_after.unwrap_or_default().min(MAX_RETRY_AFTER);
    let body = answer.success().map_err(|error| Silence { why: told(error), retry_after })?;
    Ok(feed::read(body, address).await?)
}

/// When a channel is polled next. Up to a tenth later by its id, so that subscriptions that began together do not stay together.
fn next_poll(now: Time, wait: Duration, id: SubscriptionId) -> Time {
    Backoff::constant(wait).add_up_to(100).at(1, Chance::of_id(id), now)
}

// Store

async fn claim(app: App) -> Result<Claimed<Leased<ChannelClaim>>> {
    if app.config.subscriptions.look_every().is_none() {
        return Ok(Claimed::nothing(app.clock.now()));
    }
    let share = (app.config.subscriptions.looks_per_second / app.processes.number()).max(1);
    let due = FEED.due(&app).push(" ORDER BY look_at LIMIT ?").bind(share);
    Ok(FEED.claim(&app, due, "id, url, type AS kind").await?)
}

/// The subscription, if it goes on and is still this process's to look for.
async fn mine(work: &mut Work, id: SubscriptionId, until: Time) -> Result<Option<Record>> {
    let subscription = lock(work, id).await?;
    let is_mine = subscription.look_at == Some(until) && !subscription.is_over(work.now);
    Ok(is_mine.then_some(subscription))
}

/// Writes down what is new.
async fn took(
    work: &mut Work,
    id: SubscriptionId,
    items: &[Item],
    (until, every): (Time, Duration),
) -> Result<()> {
    let Some(subscription) = mine(work, id, until).await? else { return Ok(()) };
    let standing = Standing {
        began: subscription.created_at,
        is_first: subscription.looked_at.is_none(),
        old_contents: subscription.old_contents,
        room: room(work, &subscription).await?,
        delay_minutes: subscription.delay_minutes,
        shrinks: subscription.billing_type == BillingType::PerContent,
    };
    let now = work.now;
    let chosen = choose::choose(unknown(work, id, items).await?, standing, now);
    let finds = chosen.finds.iter().map(|find| NewContent {
        url: &find.item.url,
        status: find.status,
        published_at: find.item.published_at,
        due_at: find.due_at,
    });
    content_store::insert(work, id, &finds.collect::<Vec<_>>()).await?;
    let next = next_poll(now, every, id);
    store::record_feed(work, (id, until), chosen.missing, next).await
}

/// What the subscription does not know yet; what a feed names twice, once.
async fn unknown(work: &mut Work, id: SubscriptionId, items: &[Item]) -> Result<Vec<Item>> {
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

/// Asks again later and later; staff are told once when it has been so for a day.
async fn failed(
    work: &mut Work,
    id: SubscriptionId,
    silence: &Silence,
    (until, every): (Time, Duration),
) -> Result<()> {
    let Some(subscription) = mine(work, id, until).await? else { return Ok(()) };
    let now = work.now;
    let since = subscription.look_failed_at.unwrap_or(now);
    let told = subscription.look_told_at;
    let is_news = choose::is_news(Some(since), told.is_some(), now);
    let failures = subscription.look_failures.saturating_add(1);
    let wait = choose::retry_backoff(every).delay(failures, Chance::NONE).max(silence.retry_after);
    let why = silence.why.as_str();
    let failing = (since, if is_news { Some(now) } else { told });
    store::record_feed_failure(work, (id, until), why, failing, next_poll(now, wait, id)).await?;
    if is_news {
        let new = json!({ "last_error": why, "failed_since": since });
        let change = Change { id: id.record(), old: json!({}), new };
        audit::record(work, "subscription.feed_failing", "subscription", change).await?;
    }
    Ok(())
}
