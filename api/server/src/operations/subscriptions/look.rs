//! Looks for new contents: reads the feeds of channels and writes down what is new in them. A subscription is claimed
//! before its feed is asked for, and no transaction is open meanwhile; what is placed when is the business of `content`.
//! A feed that fails changes nothing but when it is asked again.

use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::future::join_all;
use panel_contract::moment::Time;
use panel_contract::quarantine::Poller;
use panel_contract::subscriptions::BillingType;
use panel_kernel::error::Result;
use serde_json::json;
use tokio::sync::watch;

use super::choose::{self, Standing};
use super::content::room;
use super::content_store::{self, NewContent};
use super::feed::{self, Item};
use super::{Record, lock, store};
use crate::app::App;
use panel_platform::audit;
use panel_platform::audit::change::Change;
use panel_platform::db::{Source, Sql};
use panel_platform::jobs::rounds::wait_for_next_round;
use panel_platform::outbound::{Call, OutboundError, Purpose};
use panel_platform::quarantine::{self, ClaimedBatch};
use panel_platform::scope::Scope;
use panel_platform::settings;
use panel_platform::work::Work;

/// How long a worker has for a claimed subscription before others may look.
const CLAIM: i64 = 120_000_000;
/// Between two rounds; a round takes as many as may be looked at in that time.
const PAUSE: Duration = Duration::from_secs(1);
/// Largest feed that is read.
const LARGEST: usize = 2 << 20;
/// Seconds that a feed may ask to be left alone: a mistake of theirs must not silence a channel for days.
const LONGEST_REST: i64 = 6 * 3_600;
/// What feeds call themselves.
const ACCEPT: &str = "application/rss+xml, application/atom+xml, application/feed+json, application/xml;q=0.9, application/json;q=0.8";

/// A subscription that this process looks for.
#[derive(Debug, Clone, sqlx::FromRow)]
struct Claimed {
    id: i64,
    url: String,
    kind: String,
}

/// Works until `stop` says so.
pub async fn run(app: &App, mut stop: watch::Receiver<bool>) {
    while !*stop.borrow() {
        if let Err(error) = look_due(app).await {
            tracing::warn!(?error, "looking for contents failed");
        }
        wait_for_next_round(&app.db, PAUSE, &mut stop).await;
    }
}

/// Looks for those whose time it is; how many there were. Subscriptions to one channel share a call.
pub async fn look_due(app: &App) -> Result<usize> {
    let Some(every) = app.config.subscriptions.look_every() else { return Ok(0) };
    let (claimed, until, batch) = claim(app).await?;
    if claimed.is_empty() {
        return Ok(0);
    }
    batch.work(app, look(app, &claimed, (until, every))).await?;
    Ok(claimed.len())
}

async fn look(app: &App, claimed: &[Claimed], when: (Time, i64)) -> Result<()> {
    let template = settings::text(&mut &app.db, settings::CONTENT_FEED).await?;
    let mut channels: BTreeMap<Option<String>, Vec<i64>> = BTreeMap::new();
    for one in claimed {
        let address = feed::address(template.as_deref(), &one.url, &one.kind);
        channels.entry(address).or_default().push(one.id);
    }
    let asked = channels.into_iter().map(|(address, ids)| async move { (ids, ask(app, address).await) });
    for (ids, said) in join_all(asked).await {
        for id in ids {
            // One that cannot be written is looked at again after its claim, and holds up no other.
            if let Err(error) = write(app, id, &said, when).await {
                tracing::warn!(?error, subscription = id, "what a channel says could not be written");
            }
        }
    }
    Ok(())
}

type Said = std::result::Result<Vec<Item>, Silence>;

/// Why a feed brought nothing, in words that hold no address.
struct Silence {
    why: String,
    /// Microseconds that it asked to be left alone.
    rest: i64,
}

impl From<String> for Silence {
    fn from(why: String) -> Self {
        Self { why, rest: 0 }
    }
}

async fn write(app: &App, id: i64, said: &Said, when: (Time, i64)) -> Result<()> {
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
    let rest = answer.rest(app.clock.now()).filter(|_| matches!(answer.status, 429 | 503));
    let rest = rest.unwrap_or(0).min(LONGEST_REST) * 1_000_000;
    let body = answer.success().map_err(|error| Silence { why: told(error), rest })?;
    Ok(feed::read(body, address).await?)
}

/// When the next look is due; spread, so that those that began together do not stay together.
fn next(now: Time, wait: i64, id: i64) -> Time {
    Time(now.0 + wait + wait / 100 * (id % 10))
}

// Store

async fn claim(app: &App) -> Result<(Vec<Claimed>, Time, ClaimedBatch)> {
    let now = app.clock.now();
    let until = Time(now.0 + CLAIM);
    let due = Sql::new("SELECT id FROM subscriptions WHERE look_at IS NOT NULL AND look_at <= ?").bind(now);
    let due = due.append(quarantine::condition(app, Poller::SubscriptionPoll, "subscriptions.id"));
    let part = (app.config.subscriptions.looks_per_second / app.processes.number()).max(1);
    let due = due.push(" ORDER BY look_at LIMIT ?").bind(part).for_update_skipping();
    let mut tx = app.db.begin().await?;
    let lease = store::lease_for_feed(due, until).push(" RETURNING id, url, type AS kind");
    let claimed: Vec<Claimed> = tx.all(lease).await?;
    let ids: Vec<i64> = claimed.iter().map(|one| one.id).collect();
    let batch = quarantine::claimed(&mut tx, app, Poller::SubscriptionPoll, &ids).await?;
    tx.commit().await?;
    Ok((claimed, until, batch))
}

/// The subscription, if it goes on and is still this process's to look for.
async fn mine(work: &mut Work, id: i64, until: Time) -> Result<Option<Record>> {
    let subscription = lock(work, id).await?;
    let is_mine = subscription.look_at == Some(until) && !subscription.is_over(work.now);
    Ok(is_mine.then_some(subscription))
}

/// Writes down what is new.
async fn took(work: &mut Work, id: i64, items: &[Item], (until, every): (Time, i64)) -> Result<()> {
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
    store::record_feed(work, (id, until), chosen.missing, next(now, every, id)).await
}

/// What the subscription does not know yet; what a feed names twice, once.
async fn unknown(work: &mut Work, id: i64, items: &[Item]) -> Result<Vec<Item>> {
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
async fn failed(work: &mut Work, id: i64, silence: &Silence, (until, every): (Time, i64)) -> Result<()> {
    let Some(subscription) = mine(work, id, until).await? else { return Ok(()) };
    let now = work.now;
    let since = subscription.look_failed_at.unwrap_or(now);
    let told = subscription.look_told_at;
    let is_news = choose::is_news(Some(since), told.is_some(), now);
    let wait = choose::wait(every, subscription.look_failures).max(silence.rest);
    let why = silence.why.as_str();
    let failing = (since, if is_news { Some(now) } else { told });
    store::record_feed_failure(work, (id, until), why, failing, next(now, wait, id)).await?;
    if is_news {
        let new = json!({ "last_error": why, "failed_since": since });
        let change = Change { id, old: json!({}), new };
        audit::record(work, "subscription.feed_failing", "subscription", change).await?;
    }
    Ok(())
}
