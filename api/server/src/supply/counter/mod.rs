//! The real counter: an external service, configured in the settings, that returns the current count of views, likes or followers
//! of an order's address. The first count is the start, if possible before the order is sent; later counts measure the growth. An
//! order whose service completes by the real counter is dispatched again when the growth reaches its quantity. For completed orders
//! with automatic refills, the counts measure losses (`operations/orders/losses`).
//!
//! Counts never cancel an order and move no money. Without a configured counter, this module makes no call and writes nothing. It
//! makes its calls outside of transactions, within a rate limit that all processes share.

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
    id_column: "order_counters.order_id",
    due_column: "due_at",
    index_condition: "",
    moves: DueDateMoves::ByClaim,
    error_column: Some("last_error"),
};
/// Time between two polls.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Maximum size of a response.
const MAX_RESPONSE_BYTES: usize = 64 << 10;
/// An order waits this long for its first count before it is sent.
const FIRST_COUNT_TIMEOUT: Duration = Duration::from_mins(1);

/// Address template and token of the counter service.
struct CounterEndpoint {
    template: String,
    token: Option<String>,
}

/// The counter's response for one order.
struct CountResult {
    order: CountedOrder,
    count: std::result::Result<i64, CountError>,
    promoted: PromotedInfo,
}

/// Requests the counts of due orders, as many as the rate limit allows. A notification of `wake` starts the next poll immediately.
#[must_use]
pub fn poller(wake: &Arc<Notify>) -> Poller<App> {
    let is_enabled = |app: App| async move {
        Ok(settings::read_stored(&mut &app.db, COUNTER_URL).await?.is_some_and(|address| address.is_string()))
    };
    Poller::new("counter", POLL_INTERVAL, claim, count_batch)
        .with_lease(&COUNTER)
        .enabled_when(is_enabled)
        .woken_by(wake, Duration::ZERO)
}

/// Finds orders that need counting, and notifies `wake`.
#[must_use]
pub fn finder_poller(wake: &Arc<Notify>) -> Poller<App> {
    let work = |app: App, mut finder: UncountedOrderFinder| async move {
        let result = finder.find_next(&app).await;
        (finder, result.map(WorkSummary::done))
    };
    Poller::stateful("counter_finder", POLL_INTERVAL, work).wakes(wake)
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
    let all_failed = results.iter().all(|result| matches!(result.count, Err(CountError::Service(_))));
    store::record_batch(&app, all_failed).await?;
    store::write_results(&app, &results).await?;
    let success_count = results.iter().filter(|result| result.count.is_ok()).count();
    Ok(WorkSummary { done: success_count, failed: results.len() - success_count })
}

async fn load_endpoint(app: &App) -> Result<Option<CounterEndpoint>> {
    // Both settings are read in one statement: a new token must not go to the old address, nor the old token to a new address.
    let [template, token] = settings::read_stored_pair(&mut &app.db, [COUNTER_URL, COUNTER_TOKEN]).await?;
    let Some(Value::String(template)) = template else { return Ok(None) };
    let token = token.filter(|token| !token.is_null());
    let token = token.map(|token| settings::open_value(&app.secrets, COUNTER_TOKEN, &token)).transpose();
    Ok(Some(CounterEndpoint { template, token: token.map_err(Error::Internal)? }))
}

async fn request_count(app: &App, endpoint: &CounterEndpoint, order: CountedOrder) -> CountResult {
    let placeholders = [("url", order.url.as_str()), ("type", &order.kind), ("network", &order.network)];
    let address = outbound::fill_template(&endpoint.template, &placeholders);
    let mut call = Call::get(Purpose::Counter, &address)
        .header("accept", "application/json")
        .max_bytes(MAX_RESPONSE_BYTES);
    if let Some(token) = &endpoint.token {
        call = call.header("authorization", &format!("Bearer {token}"));
    }
    match app.outbound.send(call).await {
        Ok(response) => {
            let count = rules::parse_count(&response);
            let promoted =
                if count.is_ok() { rules::parse_promoted(&response) } else { PromotedInfo::default() };
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
    if unsent.is_empty() || settings::read_text(work, COUNTER_URL).await?.is_none() {
        return Ok(Vec::new());
    }
    store::mark_shared(work, unsent).await?;
    store::start_counting(work, unsent).await?;
    let now = work.now;
    let waiting = store::load_waiting_for_first_count(work, unsent, now.minus(FIRST_COUNT_TIMEOUT)).await?;
    if !waiting.is_empty() {
        schedule_dispatch(work, &waiting, now.plus(FIRST_COUNT_TIMEOUT)).await?;
    }
    Ok(waiting)
}

/// Finds orders that need counting and are not counted: orders that were sent before the counter or the option of their service was
/// enabled, and completed orders with automatic refills.
#[derive(Debug, Default)]
pub struct UncountedOrderFinder {
    running_after: Option<OrderId>,
    next_running_scan: Time,
    completed_after: completed::CompletedScanPosition,
    next_completed_scan: Time,
}

/// Time between two scans of all orders.
const SCAN_INTERVAL: Duration = Duration::from_mins(1);

impl UncountedOrderFinder {
    /// Reads the next page of orders, starts counting those that need it, and returns their number.
    pub async fn find_next(&mut self, app: &App) -> Result<usize> {
        let now = app.clock.now();
        if now < self.next_running_scan.min(self.next_completed_scan)
            || settings::read_text(&mut &app.db, COUNTER_URL).await?.is_none()
        {
            return Ok(0);
        }
        Ok(self.find_running(app, now).await? + self.find_completed(app, now).await?)
    }

    async fn find_running(&mut self, app: &App, now: Time) -> Result<usize> {
        if now < self.next_running_scan {
            return Ok(0);
        }
        let (ids, last_id) = store::find_uncounted(app, self.running_after).await?;
        self.running_after = last_id;
        if last_id.is_none() {
            self.next_running_scan = now.plus(SCAN_INTERVAL);
        }
        store::restart_counting(app, &ids).await?;
        Ok(ids.len())
    }

    async fn find_completed(&mut self, app: &App, now: Time) -> Result<usize> {
        if now < self.next_completed_scan {
            return Ok(0);
        }
        let (ids, next_position) = completed::find_unmeasured(app, self.completed_after).await?;
        self.completed_after = next_position.unwrap_or_default();
        if next_position.is_none() {
            self.next_completed_scan = now.plus(SCAN_INTERVAL);
        }
        store::restart_counting(app, &ids).await?;
        Ok(ids.len())
    }
}
