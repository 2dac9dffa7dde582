//! Places orders at external panels. `dispatch_orders` selects the provider, `send` sends the request, `reconcile` finds out
//! whether a request with an unknown outcome created an order, `poll_status` polls open orders, and `refills` and `cancels` send
//! refill and cancel requests. Each placement attempt is a row with its own due time, so that several processes can work in
//! parallel and another process continues if one crashes. A slow external panel must never delay other panels. Only the actions of
//! orders change customer balances.

mod add_order;
mod attempts;
mod cancels;
mod dispatch_orders;
pub mod leases;
mod poll_result;
mod poll_status;
mod reconcile;
mod refills;
mod send;
pub(crate) mod superseded;
mod unknown_attempts;

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use panel_contract::ids::ExternalPanelId;
use panel_contract::moment::Time;
use panel_contract::quarantine::Poller as QuarantineKind;
use panel_kernel::error::Result;
use tokio::sync::{Notify, watch};

use crate::app::App;
use crate::app::panel_limits::BATCH_CONCURRENCY;
use crate::supply::panels;
use leases::{CANCEL_REQUEST_LEASE, ORDER_LEASE, REFILL_LEASE};
use panel_platform::poller::Poller;
use panel_platform::poller::keyed::Readiness;
use panel_platform::poller::work::{WorkSummary, catch_panic};
use panel_platform::poller::workers::Workers;

pub use cancels::process_due as process_cancel_requests;
pub use dispatch_orders::dispatch_due_orders;
pub use refills::{process_due as process_refill_requests, request_automatic_refills};

/// Time between two searches for due records.
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// Time between two searches for orders that are due for an automatic refill.
const AUTO_REFILL_INTERVAL: Duration = Duration::from_secs(600);
/// Maximum number of parallel status requests per external panel, each with up to a hundred ids.
const MAX_PARALLEL_STATUS_REQUESTS: i64 = 4;

/// Creates all pollers of dispatch. When the order poller has inserted a placement attempt, it wakes the poller that sends the
/// attempt.
#[must_use]
pub fn pollers() -> [Poller<App>; 7] {
    let attempt_inserted_notify = Arc::default();
    [
        order_poller(&attempt_inserted_notify),
        external_order_poller(&attempt_inserted_notify),
        Poller::task("refill_assign", POLL_INTERVAL, |app: App| async move {
            Ok(WorkSummary::done(refills::assign_requests(&app).await?))
        })
        .quarantined_as(QuarantineKind::Refill),
        refill_poller(),
        Poller::task("cancel_request_judge", POLL_INTERVAL, |app: App| async move {
            cancels::decide_due(&app).await
        })
        .quarantined_as(QuarantineKind::CancelRequest),
        cancel_request_poller(),
        Poller::task("auto_refill", AUTO_REFILL_INTERVAL, |app: App| async move {
            Ok(WorkSummary::done(request_automatic_refills(&app).await?))
        }),
    ]
}

/// Creates the poller that dispatches due orders. `dispatch_orders` locks the orders itself, and skips orders that another
/// transaction has locked.
fn order_poller(attempt_inserted_notify: &Arc<Notify>) -> Poller<App> {
    Poller::task("order", POLL_INTERVAL, |app: App| async move { dispatch_orders::poll(&app).await })
        .repoll_while_found()
        .wakes(attempt_inserted_notify)
        .with_lease(&ORDER_LEASE)
}

/// Creates the poller that sends, reconciles and polls placement attempts, with external panels in parallel. A batch starts only
/// when the rate limit of the panel allows all its requests. If fewer requests were available, sending would use all of them and no
/// attempt would be polled.
fn external_order_poller(attempt_inserted_notify: &Arc<Notify>) -> Poller<App> {
    let load_keys = |app: App| async move { load_ready_panels(&app).await };
    let process_key =
        |app: App, panel| async move { Ok(WorkSummary::done(process_panel(&app, panel).await?)) };
    Poller::keyed("external_order", POLL_INTERVAL, load_keys, process_key)
        .ready_when(|app, panel, now| {
            let available_at = app.panel_limits.available_at(panel, BATCH_CONCURRENCY, now);
            match app.panel_limits.is_open(panel, now) {
                true => Readiness::Later,
                false if available_at > now => Readiness::At(available_at),
                false => Readiness::Now,
            }
        })
        .repoll_while_found()
        .woken_by(attempt_inserted_notify, Duration::ZERO)
        .quarantined_as(QuarantineKind::ExternalOrder)
        .with_backlog(attempts::backlog_sql)
}

/// Creates the poller that sends refill requests and polls their status, with external panels in parallel.
fn refill_poller() -> Poller<App> {
    let load_keys = |app: App| async move { refills::load_panels_with_due_requests(&app).await };
    let process_key = |app: App, panel| async move { refills::process_panel(&app, panel).await };
    Poller::keyed("refill", POLL_INTERVAL, load_keys, process_key)
        .ready_when(ready_unless_circuit_open)
        .repoll_while_found()
        .with_lease(&REFILL_LEASE)
}

/// Creates the poller that sends cancel requests, with external panels in parallel. Each poll sends one batch, because one HTTP
/// request contains many ids.
fn cancel_request_poller() -> Poller<App> {
    let load_keys = |app: App| async move { cancels::load_panels_with_due_requests(&app).await };
    let process_key = |app: App, panel| async move { cancels::process_panel(&app, panel).await };
    Poller::keyed("cancel_request", POLL_INTERVAL, load_keys, process_key).with_lease(&CANCEL_REQUEST_LEASE)
}

fn ready_unless_circuit_open(app: &App, panel: ExternalPanelId, now: Time) -> Readiness {
    if app.panel_limits.is_open(panel, now) { Readiness::Later } else { Readiness::Now }
}

/// Runs only the pollers of dispatch until `stop` becomes true.
pub async fn run(app: App, stop: watch::Receiver<bool>) {
    Workers::new(pollers().into()).run_pollers(&app, &stop).await;
}

/// Loads the external panels that have due attempts and whose circuit is not open.
async fn load_ready_panels(app: &App) -> Result<Vec<ExternalPanelId>> {
    let now = app.clock.now();
    let mut panels = attempts::load_panels_with_due_attempts(app).await?;
    panels.retain(|panel| !app.panel_limits.is_open(*panel, now));
    Ok(panels)
}

/// Processes one batch of due attempts of an external panel and returns their number. It claims only as many attempts as the rate
/// limit allows, because other attempts would only be postponed.
async fn process_panel(app: &App, panel: ExternalPanelId) -> Result<usize> {
    let available_request_count = || app.panel_limits.available_requests(panel, app.clock.now());
    if available_request_count() == 0 {
        return Ok(0);
    }
    let connection = panels::load_connection(app, &mut &app.db, panel).await?;
    // Reconciliation runs first, with at most half of the requests. It needs several requests in a row, and the other work would
    // never leave enough of them. The future is boxed, because it is large and many other futures contain it.
    let reconciled_count =
        Box::pin(reconcile::reconcile_due(app, &connection, half_rounded_up(available_request_count())))
            .await?;
    let sent_count = send::send_due(app, &connection, half_rounded_up(available_request_count())).await?;
    if *app.stop.borrow() {
        return Ok(reconciled_count + sent_count);
    }
    let parallel_requests = half_rounded_up(available_request_count()).min(MAX_PARALLEL_STATUS_REQUESTS);
    // `join_all` waits for every request, because a failure must not drop another future in the middle of its request.
    let poll_results = join_all(
        (0..parallel_requests).map(|_| catch_panic(poll_status::poll_due_statuses(app, &connection))),
    )
    .await;
    let polled_count = poll_results.into_iter().sum::<Result<usize>>()?;
    Ok(sent_count + reconciled_count + polled_count)
}

/// Returns half of the requests, rounded up, so that sending leaves requests for polling.
fn half_rounded_up(request_count: i64) -> i64 {
    (request_count + 1) / 2
}

/// Processes the due attempts of all external panels, one panel after the other, and returns their number.
pub async fn process_due_panels(app: &App) -> Result<usize> {
    let mut processed_count = 0;
    for panel in load_ready_panels(app).await? {
        processed_count += process_panel(app, panel).await?;
    }
    Ok(processed_count)
}

/// Processes every queue once, one external panel after the other, and returns the number of due records. [`run`] repeats this in
/// production. Tests list these queues in `Supplied::steps_until_due`.
pub async fn process_all_queues(app: &App) -> Result<usize> {
    let processed_count = dispatch_due_orders(app).await?
        + process_refill_requests(app).await?
        + process_cancel_requests(app).await?;
    Ok(processed_count + process_due_panels(app).await?)
}
