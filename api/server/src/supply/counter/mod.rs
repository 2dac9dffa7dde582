//! Counts views, likes or followers of the links of orders with a "counter": an external HTTP service that staff configure in the
//! settings. The first count is the start count, if possible before the order is sent to an external panel; later counts measure
//! the growth. If a service completes orders by the counter, dispatch runs again when the growth reaches the ordered quantity. For
//! completed orders with automatic refills, the counts measure losses (`operations/orders/losses`).
//!
//! A count never cancels an order and changes no balance. Without a configured counter, this module sends no request and writes
//! nothing. It sends its requests outside of transactions, within a rate limit that all processes share.

mod completed;
mod promoted;
mod rules;
mod start_store;
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
use panel_platform::outbound::{self, OutboundRequest, Purpose};
use panel_platform::poller::Poller;
use panel_platform::poller::work::WorkSummary;
use panel_platform::quarantine::ClaimedBatch;
use panel_platform::settings::{self, COUNTER_TOKEN, COUNTER_URL};
use panel_platform::work::UnitOfWork;
use rules::{CountError, PromotedContentInfo};
use store::CountedOrder;

/// The lease of an order whose count is due.
pub const COUNTER_LEASE: Lease = Lease {
    kind: QuarantineKind::Counter,
    id_column: "order_counters.order_id",
    due_column: "due_at",
    index_condition: "",
    moves: DueDateMoves::ByClaim,
    error_column: Some("last_error"),
};
/// Time between two searches for orders whose count is due.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Maximum size of a response.
const MAX_RESPONSE_BYTES: usize = 64 << 10;
/// An order waits at most this long for its first count before it is sent to an external panel.
const FIRST_COUNT_TIMEOUT: Duration = Duration::from_mins(1);

/// URL and token of the counter service.
struct CounterEndpoint {
    /// Contains placeholders for the link, the type of service and the network of an order.
    url_template: String,
    token: Option<String>,
}

/// The parsed response of the counter for one order.
struct CountResult {
    order: CountedOrder,
    count: std::result::Result<i64, CountError>,
    promoted_content: PromotedContentInfo,
}

/// Creates the poller that requests the counts of due orders, as many as the rate limit allows. A notification of `wake` starts the
/// next poll immediately.
#[must_use]
pub fn poller(wake: &Arc<Notify>) -> Poller<App> {
    let is_enabled = |app: App| async move {
        Ok(settings::read_stored(&mut &app.db, COUNTER_URL).await?.is_some_and(|address| address.is_string()))
    };
    Poller::new("counter", POLL_INTERVAL, claim, count_batch)
        .with_lease(&COUNTER_LEASE)
        .enabled_when(is_enabled)
        .woken_by(wake, Duration::ZERO)
}

/// Creates the poller that finds orders that need a count, and then notifies `wake`.
#[must_use]
pub fn finder_poller(wake: &Arc<Notify>) -> Poller<App> {
    let find_next = |app: App, mut finder: UncountedOrderFinder| async move {
        let result = finder.find_next(&app).await;
        (finder, result.map(WorkSummary::done))
    };
    Poller::stateful("counter_finder", POLL_INTERVAL, find_next).wakes(wake)
}

/// Requests the counts of due orders once and returns the number of orders.
pub async fn count_due(app: &App) -> Result<usize> {
    poller(&Arc::default()).poll_once(app).await
}

/// Claimed orders and the counter that counts them.
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
    let requests = orders.into_iter().map(|order| request_count(&app, &endpoint, order));
    let results: Vec<CountResult> = join_all(requests).await;
    let is_service_failing = results.iter().all(|result| matches!(result.count, Err(CountError::Service(_))));
    store::record_batch(&app, is_service_failing).await?;
    store::write_results(&app, &results).await?;
    let success_count = results.iter().filter(|result| result.count.is_ok()).count();
    Ok(WorkSummary { done: success_count, failed: results.len() - success_count })
}

async fn load_endpoint(app: &App) -> Result<Option<CounterEndpoint>> {
    // Both settings are read in one statement, because the server must never send a token to a URL for which staff did not enter
    // it.
    let [url_template, token] =
        settings::read_stored_pair(&mut &app.db, [COUNTER_URL, COUNTER_TOKEN]).await?;
    let Some(Value::String(url_template)) = url_template else { return Ok(None) };
    let token = token.filter(|token| !token.is_null());
    let token = token.map(|token| settings::open_value(&app.secrets, COUNTER_TOKEN, &token)).transpose();
    Ok(Some(CounterEndpoint { url_template, token: token.map_err(Error::Internal)? }))
}

async fn request_count(app: &App, endpoint: &CounterEndpoint, order: CountedOrder) -> CountResult {
    let placeholders = [("url", order.url.as_str()), ("type", &order.kind), ("network", &order.network)];
    let address = outbound::fill_template(&endpoint.url_template, &placeholders);
    let mut request = OutboundRequest::get(Purpose::Counter, &address)
        .header("accept", "application/json")
        .max_bytes(MAX_RESPONSE_BYTES);
    if let Some(token) = &endpoint.token {
        request = request.header("authorization", &format!("Bearer {token}"));
    }
    match app.outbound.send(request).await {
        Ok(response) => {
            let count = rules::parse_count(&response);
            let promoted_content = if count.is_ok() {
                rules::parse_promoted_content(&response)
            } else {
                PromotedContentInfo::default()
            };
            CountResult { order, count, promoted_content }
        }
        Err(error) => {
            let count = Err(CountError::Service(format!("The request to the counter failed: {error}.")));
            CountResult { order, count, promoted_content: PromotedContentInfo::default() }
        }
    }
}

/// Starts counting these unsent orders, and returns those that must wait for their first count before they are sent. Marks other
/// orders for the same links as shared.
pub async fn start_and_wait_for_first_count(
    work: &mut UnitOfWork,
    unsent_ids: &[OrderId],
) -> Result<Vec<OrderId>> {
    if unsent_ids.is_empty() || settings::read_text(work, COUNTER_URL).await?.is_none() {
        return Ok(Vec::new());
    }
    start_store::mark_orders_with_same_link_as_shared(work, unsent_ids).await?;
    start_store::start_counting(work, unsent_ids).await?;
    let now = work.now;
    let waiting_ids =
        start_store::load_waiting_for_first_count(work, unsent_ids, now.minus(FIRST_COUNT_TIMEOUT)).await?;
    if !waiting_ids.is_empty() {
        schedule_dispatch(work, &waiting_ids, now.plus(FIRST_COUNT_TIMEOUT)).await?;
    }
    Ok(waiting_ids)
}

/// Finds orders that need a count but have no active counter: orders that were sent before staff enabled the counter, globally or
/// for the service, and completed orders with automatic refills.
#[derive(Debug, Default)]
pub struct UncountedOrderFinder {
    /// Last id on the previous page of running orders.
    last_running_id: Option<OrderId>,
    next_running_scan_at: Time,
    completed_position: completed::CompletedScanPosition,
    next_completed_scan_at: Time,
}

/// Time between two scans of all orders.
const SCAN_INTERVAL: Duration = Duration::from_mins(1);

impl UncountedOrderFinder {
    /// Reads the next page of orders, starts counting the orders that need a count, and returns their number.
    pub async fn find_next(&mut self, app: &App) -> Result<usize> {
        let now = app.clock.now();
        if now < self.next_running_scan_at.min(self.next_completed_scan_at)
            || settings::read_text(&mut &app.db, COUNTER_URL).await?.is_none()
        {
            return Ok(0);
        }
        Ok(self.find_running(app, now).await? + self.find_completed(app, now).await?)
    }

    async fn find_running(&mut self, app: &App, now: Time) -> Result<usize> {
        if now < self.next_running_scan_at {
            return Ok(0);
        }
        let (ids, last_id) = start_store::find_uncounted_running_orders(app, self.last_running_id).await?;
        self.last_running_id = last_id;
        if last_id.is_none() {
            self.next_running_scan_at = now.plus(SCAN_INTERVAL);
        }
        start_store::start_or_resume_counting(app, &ids).await?;
        Ok(ids.len())
    }

    async fn find_completed(&mut self, app: &App, now: Time) -> Result<usize> {
        if now < self.next_completed_scan_at {
            return Ok(0);
        }
        let (ids, next_position) =
            completed::find_uncounted_completed_orders(app, self.completed_position).await?;
        self.completed_position = next_position.unwrap_or_default();
        if next_position.is_none() {
            self.next_completed_scan_at = now.plus(SCAN_INTERVAL);
        }
        start_store::start_or_resume_counting(app, &ids).await?;
        Ok(ids.len())
    }
}
