//! Orders really go out: who gets one (`settle`), sending (`send`), finding what a broken call left behind (`reconcile`),
//! following what panels have (`follow`), refills (`refills`), cancel requests (`cancels`). Attempts are rows that say themselves when they are due,
//! so any number of processes work side by side and a process that dies leaves nothing behind that another does not
//! find. A panel that hangs keeps nobody else waiting. Customers' money moves only through the orders' own actions.

mod add_order;
mod attempts;
mod cancels;
mod follow;
pub mod leases;
mod notes;
mod reconcile;
mod refills;
mod send;
mod settle;
pub(crate) mod superseded;

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use panel_contract::ids::ExternalPanelId;
use panel_contract::moment::Time;
use panel_contract::quarantine::Poller as QuarantineKind;
use panel_kernel::error::Result;
use tokio::sync::{Notify, watch};

use crate::app::App;
use crate::app::panel_limits::ROUND;
use crate::supply::panels;
use leases::{CANCEL_REQUEST, ORDER, REFILL};
use panel_platform::poller::Poller;
use panel_platform::poller::keyed::Readiness;
use panel_platform::poller::worked::{Worked, caught};
use panel_platform::poller::workers::Workers;

pub use cancels::run_due as run_cancel_requests;
pub use refills::{ask_for_dropped, run_due as run_refills};
pub use settle::take_due;

/// Between two looks at what is due.
const EVERY: Duration = Duration::from_millis(500);
/// Between two looks for orders that refill by themselves.
const AUTO_REFILL_EVERY: Duration = Duration::from_secs(600);
/// Calls with up to a hundred ids that one panel is asked at once.
const SIDE_BY_SIDE: i64 = 4;

/// All pollers of dispatch. An order that got a placement attempt wakes the one that sends it.
#[must_use]
pub fn pollers() -> [Poller<App>; 7] {
    let placed = Arc::default();
    [
        order_poller(&placed),
        external_order_poller(&placed),
        Poller::task("refill_assign", EVERY, |app: App| async move {
            Ok(Worked::done(refills::assign(&app).await?))
        })
        .quarantined_as(QuarantineKind::Refill),
        refill_poller(),
        Poller::task("cancel_request_judge", EVERY, |app: App| async move { cancels::judge_due(&app).await })
            .quarantined_as(QuarantineKind::CancelRequest),
        cancel_request_poller(),
        Poller::task("auto_refill", AUTO_REFILL_EVERY, |app: App| async move {
            Ok(Worked::done(ask_for_dropped(&app).await?))
        }),
    ]
}

/// Takes orders whose turn it is. It claims by itself: an order that another transaction has locked was not found.
fn order_poller(placed: &Arc<Notify>) -> Poller<App> {
    Poller::task("order", EVERY, |app: App| async move { settle::poll(&app).await })
        .again_while_found()
        .wakes(placed)
        .of(&ORDER)
}

/// Sends, reconciles and polls placement attempts, each panel beside the others. A round of calls begins once the panel's rate
/// allows all of it: fewer calls would go to what is sent alone.
fn external_order_poller(placed: &Arc<Notify>) -> Poller<App> {
    let keys = |app: App| async move { open_panels(&app).await };
    let work = |app: App, panel| async move { Ok(Worked::done(work_for(&app, panel).await?)) };
    Poller::keyed("external_order", EVERY, keys, work)
        .ready_when(|app, panel, now| {
            let available_at = app.panel_limits.available_at(panel, ROUND, now);
            match app.panel_limits.is_open(panel, now) {
                true => Readiness::NotNow,
                false if available_at > now => Readiness::At(available_at),
                false => Readiness::Now,
            }
        })
        .again_while_found()
        .woken_by(placed, Duration::ZERO)
        .quarantined_as(QuarantineKind::ExternalOrder)
        .with_backlog(attempts::backlog)
}

/// Passes on refills and polls their status, each panel beside the others.
fn refill_poller() -> Poller<App> {
    let keys = |app: App| async move { refills::panels_due(&app).await };
    let work = |app: App, panel| async move { refills::run_for(&app, panel).await };
    Poller::keyed("refill", EVERY, keys, work).ready_when(unless_open).again_while_found().of(&REFILL)
}

/// Passes on requests to cancel, each panel beside the others: one batch a poll, as one call names many.
fn cancel_request_poller() -> Poller<App> {
    let keys = |app: App| async move { cancels::panels_due(&app).await };
    let work = |app: App, panel| async move { cancels::run_for(&app, panel).await };
    Poller::keyed("cancel_request", EVERY, keys, work).of(&CANCEL_REQUEST)
}

fn unless_open(app: &App, panel: ExternalPanelId, now: Time) -> Readiness {
    if app.panel_limits.is_open(panel, now) { Readiness::NotNow } else { Readiness::Now }
}

/// Runs the pollers of dispatch alone until `stop` turns true.
pub async fn run(app: App, stop: watch::Receiver<bool>) {
    Workers::new(pollers().into()).run_pollers(&app, &stop).await;
}

/// Panels with something due that are not left alone now.
async fn open_panels(app: &App) -> Result<Vec<ExternalPanelId>> {
    let now = app.clock.now();
    let mut due = attempts::panels_due(app).await?;
    due.retain(|panel| !app.panel_limits.is_open(*panel, now));
    Ok(due)
}

/// One round of everything that is due at a panel; how much there was. Nothing is claimed that the panel's pace would not
/// let through: it would only be put off again.
async fn work_for(app: &App, panel: ExternalPanelId) -> Result<usize> {
    let calls = || app.panel_limits.available(panel, app.clock.now());
    if calls() == 0 {
        return Ok(0);
    }
    let there = panels::reachable(app, &mut &app.db, panel).await?;
    // First, with no more than half: it needs several calls in a row, which those after it would leave it never.
    // Boxed: its future is large, and this one is part of many.
    let looked = Box::pin(reconcile::look(app, &there, half(calls()))).await?;
    let sent = send::send_due(app, &there, half(calls())).await?;
    if *app.stop.borrow() {
        return Ok(looked + sent);
    }
    let lanes = half(calls()).min(SIDE_BY_SIDE);
    // Each to its end: one that fails must not drop another in the middle of a call.
    let followed = join_all((0..lanes).map(|_| caught(follow::follow_due(app, &there)))).await;
    let followed = followed.into_iter().sum::<Result<usize>>()?;
    Ok(sent + looked + followed)
}

/// Half of the calls, rounded up: what is sent leaves some for what is followed.
fn half(calls: i64) -> i64 {
    (calls + 1) / 2
}

/// Works for each panel with something due, one after the other; how much there was.
pub async fn work_for_due_panels(app: &App) -> Result<usize> {
    let mut found = 0;
    for panel in open_panels(app).await? {
        found += work_for(app, panel).await?;
    }
    Ok(found)
}

/// Works once through every queue, one panel after the other, and answers how much was due. `run` does the same again and
/// again. Tests name these queues in `Supplied::steps_until_due`.
pub async fn cycle(app: &App) -> Result<usize> {
    let found = take_due(app).await? + run_refills(app).await? + run_cancel_requests(app).await?;
    Ok(found + work_for_due_panels(app).await?)
}
