//! Places orders at external panels: `dispatch_orders` selects the provider, `send` sends the request, `reconcile` finds out what a
//! call with an unknown outcome did, `poll_status` polls open orders, `refills` and `cancels` send refill and cancel requests. Each
//! attempt is a row with its own due time, so several processes can work in parallel, and another process continues the work
//! of one that dies. A slow panel must never delay other panels. Customers' money moves only through the actions of orders.

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
use leases::{CANCEL_REQUEST, ORDER, REFILL};
use panel_platform::poller::Poller;
use panel_platform::poller::keyed::Readiness;
use panel_platform::poller::work::{WorkSummary, catch_panic};
use panel_platform::poller::workers::Workers;

pub use cancels::run_due as run_cancel_requests;
pub use dispatch_orders::dispatch_due_orders;
pub use refills::{request_automatic_refills, run_due as run_refills};

/// Time between two polls for due records.
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// Time between two searches for orders that are due for an automatic refill.
const AUTO_REFILL_EVERY: Duration = Duration::from_secs(600);
/// Parallel status calls per panel, each with up to a hundred ids.
const MAX_PARALLEL_STATUS_CALLS: i64 = 4;

/// All pollers of dispatch. When the order poller has inserted a placement attempt, it wakes the poller that sends the attempt.
#[must_use]
pub fn pollers() -> [Poller<App>; 7] {
    let attempt_inserted = Arc::default();
    [
        order_poller(&attempt_inserted),
        external_order_poller(&attempt_inserted),
        Poller::task("refill_assign", POLL_INTERVAL, |app: App| async move {
            Ok(WorkSummary::done(refills::assign(&app).await?))
        })
        .quarantined_as(QuarantineKind::Refill),
        refill_poller(),
        Poller::task("cancel_request_judge", POLL_INTERVAL, |app: App| async move {
            cancels::decide_due(&app).await
        })
        .quarantined_as(QuarantineKind::CancelRequest),
        cancel_request_poller(),
        Poller::task("auto_refill", AUTO_REFILL_EVERY, |app: App| async move {
            Ok(WorkSummary::done(request_automatic_refills(&app).await?))
        }),
    ]
}

/// Dispatches due orders. `dispatch_orders` claims them itself, and skips an order that another transaction has locked.
fn order_poller(attempt_inserted: &Arc<Notify>) -> Poller<App> {
    Poller::task("order", POLL_INTERVAL, |app: App| async move { dispatch_orders::poll(&app).await })
        .repoll_while_found()
        .wakes(attempt_inserted)
        .with_lease(&ORDER)
}

/// Sends, reconciles and polls placement attempts, with panels in parallel. A batch of calls starts only when the panel's rate
/// limit allows the whole batch; with fewer calls available, sending would use all of them and no attempt would be polled.
fn external_order_poller(attempt_inserted: &Arc<Notify>) -> Poller<App> {
    let keys = |app: App| async move { load_callable_panels(&app).await };
    let work = |app: App, panel| async move { Ok(WorkSummary::done(process_panel(&app, panel).await?)) };
    Poller::keyed("external_order", POLL_INTERVAL, keys, work)
        .ready_when(|app, panel, now| {
            let available_at = app.panel_limits.available_at(panel, BATCH_CONCURRENCY, now);
            match app.panel_limits.is_open(panel, now) {
                true => Readiness::Later,
                false if available_at > now => Readiness::At(available_at),
                false => Readiness::Now,
            }
        })
        .repoll_while_found()
        .woken_by(attempt_inserted, Duration::ZERO)
        .quarantined_as(QuarantineKind::ExternalOrder)
        .with_backlog(attempts::backlog)
}

/// Sends refill requests and polls their status, with panels in parallel.
fn refill_poller() -> Poller<App> {
    let keys = |app: App| async move { refills::panels_due(&app).await };
    let work = |app: App, panel| async move { refills::run_for(&app, panel).await };
    Poller::keyed("refill", POLL_INTERVAL, keys, work)
        .ready_when(ready_unless_circuit_open)
        .repoll_while_found()
        .with_lease(&REFILL)
}

/// Sends cancel requests, with panels in parallel: one batch per poll, because one call carries many ids.
fn cancel_request_poller() -> Poller<App> {
    let keys = |app: App| async move { cancels::panels_due(&app).await };
    let work = |app: App, panel| async move { cancels::run_for(&app, panel).await };
    Poller::keyed("cancel_request", POLL_INTERVAL, keys, work).with_lease(&CANCEL_REQUEST)
}

fn ready_unless_circuit_open(app: &App, panel: ExternalPanelId, now: Time) -> Readiness {
    if app.panel_limits.is_open(panel, now) { Readiness::Later } else { Readiness::Now }
}

/// Runs the pollers of dispatch alone until `stop` turns true.
pub async fn run(app: App, stop: watch::Receiver<bool>) {
    Workers::new(pollers().into()).run_pollers(&app, &stop).await;
}

/// Panels with due attempts whose circuit is not open.
async fn load_callable_panels(app: &App) -> Result<Vec<ExternalPanelId>> {
    let now = app.clock.now();
    let mut panels = attempts::panels_due(app).await?;
    panels.retain(|panel| !app.panel_limits.is_open(*panel, now));
    Ok(panels)
}

/// Processes one batch of a panel's due attempts and returns their number. It claims no more than the panel's rate limit allows:
/// the others would only be postponed.
async fn process_panel(app: &App, panel: ExternalPanelId) -> Result<usize> {
    let available_calls = || app.panel_limits.available(panel, app.clock.now());
    if available_calls() == 0 {
        return Ok(0);
    }
    let connection = panels::load_connection(app, &mut &app.db, panel).await?;
    // Reconciliation runs first, with at most half of the calls: it needs several calls in a row, and the other work would never
    // leave it enough. Boxed, because its future is large and many futures contain this one.
    let reconciled_count =
        Box::pin(reconcile::reconcile_due(app, &connection, half_rounded_up(available_calls()))).await?;
    let sent_count = send::send_due(app, &connection, half_rounded_up(available_calls())).await?;
    if *app.stop.borrow() {
        return Ok(reconciled_count + sent_count);
    }
    let parallel = half_rounded_up(available_calls()).min(MAX_PARALLEL_STATUS_CALLS);
    // `join_all` waits for every call: a failure must not drop another future in the middle of its call.
    let poll_results =
        join_all((0..parallel).map(|_| catch_panic(poll_status::poll_due_statuses(app, &connection)))).await;
    let polled_count = poll_results.into_iter().sum::<Result<usize>>()?;
    Ok(sent_count + reconciled_count + polled_count)
}

/// Half of the calls, rounded up, so that sending leaves calls for polling.
fn half_rounded_up(calls: i64) -> i64 {
    (calls + 1) / 2
}

/// Processes the due attempts of each panel, one panel after the other, and returns their number.
pub async fn process_due_panels(app: &App) -> Result<usize> {
    let mut processed = 0;
    for panel in load_callable_panels(app).await? {
        processed += process_panel(app, panel).await?;
    }
    Ok(processed)
}

/// Processes every queue once, one panel after the other, and returns the number of due records. `run` repeats this. Tests name
/// these queues in `Supplied::steps_until_due`.
pub async fn cycle(app: &App) -> Result<usize> {
    let processed =
        dispatch_due_orders(app).await? + run_refills(app).await? + run_cancel_requests(app).await?;
    Ok(processed + process_due_panels(app).await?)
}
