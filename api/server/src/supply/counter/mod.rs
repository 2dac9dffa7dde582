//! The real counter: a service that the panel's settings name is asked how often the promoted thing was seen, liked or
//! followed. The first count is the start, before the order goes out where that can be; later ones say how much it grew.
//! An order whose service completes by the real counter is handed to the dispatcher when it grew enough. Of completed orders
//! that refill by themselves it says how far the count fell (`operations/orders/losses`).
//!
//! What a counter says, or does not say, never cancels anything, and moves no money. Where no counter is set, nothing is
//! asked and nothing is written. Calls go out between transactions, at a pace that all processes keep together.

mod completed;
mod promoted;
mod rules;
mod store;

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use panel_contract::ids::OrderId;
use panel_contract::moment::Time;
use panel_contract::quarantine::Poller as QuarantineKind;
use panel_kernel::error::{Error, Result};
use serde_json::Value;
use tokio::sync::Notify;

use crate::app::App;
use crate::stores::orders::dispatch::schedule_dispatch;
use panel_platform::lease::Claimed;
use panel_platform::lease::declared::{DueMoves, Lease};
use panel_platform::outbound::{self, Call, Purpose};
use panel_platform::poller::Poller;
use panel_platform::poller::worked::Worked;
use panel_platform::quarantine::ClaimedBatch;
use panel_platform::settings::{self, COUNTER_TOKEN, COUNTER_URL};
use panel_platform::work::Work;
use rules::{Promoted, Trouble};
use store::Watched;

/// The lease of an order that is counted.
pub const COUNTER: Lease = Lease {
    kind: QuarantineKind::Counter,
    record: "order_counters.order_id",
    due: "due_at",
    filter: "",
    moves: DueMoves::ByClaim,
    error: Some("last_error"),
};
/// Between two polls.
const EVERY: Duration = Duration::from_secs(1);
/// Bytes of an answer.
const LARGEST: usize = 64 << 10;
/// How long an order waits for its first count.
const WAIT: Duration = Duration::from_mins(1);

/// Where to ask.
struct Asked {
    template: String,
    token: Option<String>,
}

/// What was heard of an order.
struct Heard {
    of: Watched,
    said: std::result::Result<i64, Trouble>,
    promoted: Promoted,
}

/// Asks about the orders that are due, as many as the rate allows. `found` wakes it.
#[must_use]
pub fn poller(found: &Arc<Notify>) -> Poller<App> {
    let is_enabled = |app: App| async move {
        Ok(settings::get(&mut &app.db, COUNTER_URL).await?.is_some_and(|address| address.is_string()))
    };
    Poller::new("counter", EVERY, claim, ask_each)
        .of(&COUNTER)
        .enabled_when(is_enabled)
        .woken_by(found, Duration::ZERO)
}

/// Finds orders that are to be counted; `found` is notified of them.
#[must_use]
pub fn finder_poller(found: &Arc<Notify>) -> Poller<App> {
    let work = |app: App, mut finder: Finder| async move {
        let found = finder.look(&app).await;
        (finder, found.map(Worked::done))
    };
    Poller::stateful("counter_finder", EVERY, work).wakes(found)
}

/// One poll; how many orders there were.
pub async fn ask_due(app: &App) -> Result<usize> {
    poller(&Arc::default()).poll_once(app).await
}

/// Claimed orders, and where to ask about them.
struct Questions {
    asked: Asked,
    watched: Vec<Watched>,
}

async fn claim(app: App) -> Result<Claimed<Option<Questions>>> {
    let Some(asked) = asked(&app).await? else { return Ok(Claimed::new(None, 0, ClaimedBatch::none())) };
    let (watched, guard) = store::claim(&app).await?;
    let records = watched.len();
    Ok(Claimed::new(Some(Questions { asked, watched }), records, guard))
}

async fn ask_each(app: App, questions: Option<Questions>) -> Result<Worked> {
    let Some(Questions { asked, watched }) = questions else { return Ok(Worked::default()) };
    let heard: Vec<Heard> = join_all(watched.into_iter().map(|of| ask(&app, &asked, of))).await;
    store::note_round(&app, heard.iter().all(|heard| matches!(heard.said, Err(Trouble::Service(_))))).await?;
    store::write(&app, &heard).await?;
    let done = heard.iter().filter(|heard| heard.said.is_ok()).count();
    Ok(Worked { done, failed: heard.len() - done })
}

async fn asked(app: &App) -> Result<Option<Asked>> {
    // Together: a new token must not go to the former address, nor the former token to a new one.
    let [template, token] = settings::pair(&mut &app.db, [COUNTER_URL, COUNTER_TOKEN]).await?;
    let Some(Value::String(template)) = template else { return Ok(None) };
    let token = token.filter(|token| !token.is_null());
    let token = token.map(|token| settings::opened(&app.secrets, COUNTER_TOKEN, &token)).transpose();
    Ok(Some(Asked { template, token: token.map_err(Error::Fault)? }))
}

async fn ask(app: &App, asked: &Asked, of: Watched) -> Heard {
    let places = [("url", of.url.as_str()), ("type", &of.kind), ("network", &of.network)];
    let address = outbound::fill(&asked.template, &places);
    let mut call =
        Call::get(Purpose::Counter, &address).header("accept", "application/json").at_most(LARGEST);
    if let Some(token) = &asked.token {
        call = call.header("authorization", &format!("Bearer {token}"));
    }
    match app.outbound.send(call).await {
        Ok(answer) => {
            let said = rules::read(&answer);
            let promoted = if said.is_ok() { rules::promoted(&answer) } else { Promoted::default() };
            Heard { of, said, promoted }
        }
        Err(error) => {
            let said = Err(Trouble::Service(format!("The counter cannot be asked: {error}.")));
            Heard { of, said, promoted: Promoted::default() }
        }
    }
}

/// Has these orders, of which nothing was sent yet, counted before they go out; those that wait for their first count. Other
/// orders of the same addresses learn that they are no longer alone.
pub async fn hold(work: &mut Work, fresh: &[OrderId]) -> Result<Vec<OrderId>> {
    if fresh.is_empty() || settings::text(work, COUNTER_URL).await?.is_none() {
        return Ok(Vec::new());
    }
    store::mark_shared(work, fresh).await?;
    store::watch(work, fresh).await?;
    let now = work.now;
    let held = store::without_start(work, fresh, now.before(WAIT)).await?;
    if !held.is_empty() {
        schedule_dispatch(work, &held, now.after(WAIT)).await?;
    }
    Ok(held)
}

/// Finds orders that are to be counted and are not: they ran before the counter or their service's switch was set, or they
/// were completed and refill by themselves.
#[derive(Debug, Default)]
pub struct Finder {
    after: Option<OrderId>,
    at: Time,
    completed_after: completed::CompletedPage,
    completed_at: Time,
}

/// How often all of them are looked through.
const ROUND: Duration = Duration::from_mins(1);

impl Finder {
    /// Looks at some more; how many are counted from now on.
    pub async fn look(&mut self, app: &App) -> Result<usize> {
        let now = app.clock.now();
        if now < self.at.min(self.completed_at) || settings::text(&mut &app.db, COUNTER_URL).await?.is_none()
        {
            return Ok(0);
        }
        Ok(self.look_at_running(app, now).await? + self.look_at_completed(app, now).await?)
    }

    async fn look_at_running(&mut self, app: &App, now: Time) -> Result<usize> {
        if now < self.at {
            return Ok(0);
        }
        let (found, last) = store::unwatched(app, self.after).await?;
        self.after = last;
        if last.is_none() {
            self.at = now.after(ROUND);
        }
        store::watch_found(app, &found).await?;
        Ok(found.len())
    }

    async fn look_at_completed(&mut self, app: &App, now: Time) -> Result<usize> {
        if now < self.completed_at {
            return Ok(0);
        }
        let (found, last) = completed::unmeasured(app, self.completed_after).await?;
        self.completed_after = last.unwrap_or_default();
        if last.is_none() {
            self.completed_at = now.after(ROUND);
        }
        store::watch_found(app, &found).await?;
        Ok(found.len())
    }
}
