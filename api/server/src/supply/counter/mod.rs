//! The real counter: an external service, configured in the settings, that returns the current count of views, likes or followers
//! of an order's address. The first count is the start, if possible before the order is sent; later counts measure the growth. An
//! order whose service completes by the real counter is dispatched again when the growth reaches its quantity. For completed orders
//! with automatic refills, the counts measure losses (`operations/orders/losses`).
//!
//! Counts never cancel an order and move no money. Without a configured counter nothing is called or written. Calls are made
//! outside of transactions, within a rate limit that all processes share.

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
use panel_platform::lease::ClaimedWork;
use panel_platform::lease::declared::{DueDateMoves, Lease};
use panel_platform::outbound::{self, Call, Purpose};
use panel_platform::poller::Poller;
use panel_platform::poller::work::WorkSummary;
use panel_platform::quarantine::ClaimedBatch;
use panel_platform::settings::{self, COUNTER_TOKEN, COUNTER_URL};
use panel_platform::work::UnitOfWork;
use rules::{CountError, PromotedInfo};
use store::CountedOrder;

/// The lease of an order that is counted.
pub const COUNTER: Lease = Lease {
    kind: QuarantineKind::Counter,
    record: "order_counters.order_id",
    due: "due_at",
    filter: "",
    moves: DueDateMoves::ByClaim,
    error: Some("last_error"),
};
/// Time between two polls.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Bytes of an answer at most.
const MAX_BYTES: usize = 64 << 10;
/// An order waits this long for its first count before it is sent.
const FIRST_COUNT_TIMEOUT: Duration = Duration::from_mins(1);

/// Address template and token of the counter service.
struct CounterEndpoint {
    template: String,
    token: Option<String>,
}

/// The counter's answer for one order.
struct CountResult {
    order: CountedOrder,
    count: std::result::Result<i64, CountError>,
    promoted: PromotedInfo,
}

/// Requests the counts of due orders, as many as the rate limit allows. `found` wakes it.
#[must_use]
pub fn poller(found: &Arc<Notify>) -> Poller<App> {
    let is_enabled = |app: App| async move {
        Ok(settings::get(&mut &app.db, COUNTER_URL).await?.is_some_and(|address| address.is_string()))
    };
    Poller::new("counter", POLL_INTERVAL, claim, count_batch)
        .with_lease(&COUNTER)
        .enabled_when(is_enabled)
        .woken_by(found, Duration::ZERO)
}

/// Finds orders that need counting, and notifies `found`.
#[must_use]
pub fn finder_poller(found: &Arc<Notify>) -> Poller<App> {
    let work = |app: App, mut finder: Finder| async move {
        let found = finder.find_next(&app).await;
        (finder, found.map(WorkSummary::done))
    };
    Poller::stateful("counter_finder", POLL_INTERVAL, work).wakes(found)
}

/// Runs one poll and returns the number of orders.
pub async fn count_due(app: &App) -> Result<usize> {
    poller(&Arc::default()).poll_once(app).await
}

/// Claimed orders and the counter to call for them.
struct CountBatch {
    endpoint: CounterEndpoint,
    orders: Vec<CountedOrder>,
}

async fn claim(app: App) -> Result<ClaimedWork<Option<CountBatch>>> {
    let Some(endpoint) = load_endpoint(&app).await? else {
        return Ok(ClaimedWork::new(None, 0, ClaimedBatch::none()));
    };
    let (orders, guard) = store::claim(&app).await?;
    let records = orders.len();
    Ok(ClaimedWork::new(Some(CountBatch { endpoint, orders }), records, guard))
}

async fn count_batch(app: App, batch: Option<CountBatch>) -> Result<WorkSummary> {
    let Some(CountBatch { endpoint, orders }) = batch else { return Ok(WorkSummary::default()) };
    let calls = orders.into_iter().map(|order| request_count(&app, &endpoint, order));
    let results: Vec<CountResult> = join_all(calls).await;
    let has_failed = results.iter().all(|result| matches!(result.count, Err(CountError::Service(_))));
    store::record_batch(&app, has_failed).await?;
    store::write(&app, &results).await?;
    let done = results.iter().filter(|result| result.count.is_ok()).count();
    Ok(WorkSummary { done, failed: results.len() - done })
}

async fn load_endpoint(app: &App) -> Result<Option<CounterEndpoint>> {
    // Both settings are read in one statement: a new token must not go to the old address, nor the old token to a new address.
    let [template, token] = settings::get_pair(&mut &app.db, [COUNTER_URL, COUNTER_TOKEN]).await?;
    let Some(Value::String(template)) = template else { return Ok(None) };
    let token = token.filter(|token| !token.is_null());
    let token = token.map(|token| settings::open_value(&app.secrets, COUNTER_TOKEN, &token)).transpose();
    Ok(Some(CounterEndpoint { template, token: token.map_err(Error::Fault)? }))
}

async fn request_count(app: &App, endpoint: &CounterEndpoint, order: CountedOrder) -> CountResult {
    let places = [("url", order.url.as_str()), ("type", &order.kind), ("network", &order.network)];
    let address = outbound::fill_template(&endpoint.template, &places);
    let mut call =
        Call::get(Purpose::Counter, &address).header("accept", "application/json").max_bytes(MAX_BYTES);
    if let Some(token) = &endpoint.token {
        call = call.header("authorization", &format!("Bearer {token}"));
    }
    match app.outbound.send(call).await {
        Ok(answer) => {
            let count = rules::parse_count(&answer);
            let promoted =
                if count.is_ok() { rules::parse_promoted(&answer) } else { PromotedInfo::default() };
            CountResult { order, count, promoted }
        }
        Err(error) => {
            let count = Err(CountError::Service(format!("The counter cannot be called: {error}.")));
            CountResult { order, count, promoted: PromotedInfo::default() }
        }
    }
}

/// Starts counting these unsent orders and returns those that must wait for their first count before they are sent. Marks other
/// orders of the same addresses as shared.
pub async fn hold_for_first_count(work: &mut UnitOfWork, unsent: &[OrderId]) -> Result<Vec<OrderId>> {
    if unsent.is_empty() || settings::text(work, COUNTER_URL).await?.is_none() {
        return Ok(Vec::new());
    }
    store::mark_shared(work, unsent).await?;
    store::start_counting(work, unsent).await?;
    let now = work.now;
    let waiting = store::waiting_for_first_count(work, unsent, now.before(FIRST_COUNT_TIMEOUT)).await?;
    if !waiting.is_empty() {
        schedule_dispatch(work, &waiting, now.after(FIRST_COUNT_TIMEOUT)).await?;
    }
    Ok(waiting)
}

/// Finds orders that need counting and are not counted: those that ran before the counter or their service's option was set, and
/// completed orders with automatic refills.
#[derive(Debug, Default)]
pub struct Finder {
    running_after: Option<OrderId>,
    next_running_scan: Time,
    completed_after: completed::CompletedPage,
    next_completed_scan: Time,
}

/// Time between two scans of all orders.
const SCAN_INTERVAL: Duration = Duration::from_mins(1);

impl Finder {
    /// Reads the next page of orders, starts counting those that need it, and returns their number.
    pub async fn find_next(&mut self, app: &App) -> Result<usize> {
        let now = app.clock.now();
        if now < self.next_running_scan.min(self.next_completed_scan)
            || settings::text(&mut &app.db, COUNTER_URL).await?.is_none()
        {
            return Ok(0);
        }
        Ok(self.find_running(app, now).await? + self.find_completed(app, now).await?)
    }

    async fn find_running(&mut self, app: &App, now: Time) -> Result<usize> {
        if now < self.next_running_scan {
            return Ok(0);
        }
        let (found, last) = store::uncounted(app, self.running_after).await?;
        self.running_after = last;
        if last.is_none() {
            self.next_running_scan = now.after(SCAN_INTERVAL);
        }
        store::restart_counting(app, &found).await?;
        Ok(found.len())
    }

    async fn find_completed(&mut self, app: &App, now: Time) -> Result<usize> {
        if now < self.next_completed_scan {
            return Ok(0);
        }
        let (found, last) = completed::unmeasured(app, self.completed_after).await?;
        self.completed_after = last.unwrap_or_default();
        if last.is_none() {
            self.next_completed_scan = now.after(SCAN_INTERVAL);
        }
        store::restart_counting(app, &found).await?;
        Ok(found.len())
    }
}
