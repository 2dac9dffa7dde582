//! Orders really go out: who gets one (`settle`), sending (`send`), finding what a broken call left behind (`reconcile`),
//! following what panels have (`follow`), refills (`refills`), cancel requests (`cancels`). Attempts are rows that say themselves when they are due,
//! so any number of processes work side by side and a process that dies leaves nothing behind that another does not
//! find. A panel that hangs keeps nobody else waiting. Customers' money moves only through the orders' own actions.

mod add_order;
mod attempts;
mod busy_panels;
mod cancels;
mod follow;
mod notes;
mod reconcile;
mod refills;
mod rules;
mod send;
mod settle;

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::join_all;
use panel_contract::moment::Time;
use panel_kernel::error::{Error, Result};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::app::App;
use crate::supply::panels;
use crate::supply::reseller::gate::ROUND;
use busy_panels::BusyPanels;
use panel_platform::jobs::rounds::wait_for_next_round;

pub use cancels::run_due as run_cancel_requests;
pub use refills::{ask_for_dropped, run_due as run_refills};
pub use settle::take_due;

/// How often is looked whether there is something to do.
const PAUSE: Duration = Duration::from_millis(500);
/// Calls with up to a hundred ids that one panel is asked at once.
const SIDE_BY_SIDE: i64 = 4;

/// What goes on from turn to turn.
struct Hands {
    sending: BusyPanels,
    refilling: BusyPanels,
    canceling: BusyPanels,
    tasks: JoinSet<()>,
    refills_at: Time,
}

/// Works until `stop` says so.
pub async fn run(app: App, mut stop: watch::Receiver<bool>) {
    let mut hands = Hands {
        sending: BusyPanels::default(),
        refilling: BusyPanels::default(),
        canceling: BusyPanels::default(),
        tasks: JoinSet::new(),
        refills_at: app.clock.now(),
    };
    while !*stop.borrow() {
        // A turn that panics must not take the calls with it that are under way.
        let found = caught(turn(&app, &mut hands)).await.unwrap_or_else(|error| {
            tracing::warn!(?error, "sending orders failed");
            0
        });
        if found == 0 {
            wait_for_next_round(&app.db, PAUSE, &mut stop).await;
        }
    }
    // What was called is written down before the process ends.
    while hands.tasks.join_next().await.is_some() {}
}

/// Starts everything that is due and that nobody works for; how many orders were taken up.
async fn turn(app: &App, hands: &mut Hands) -> Result<usize> {
    while let Some(ended) = hands.tasks.try_join_next() {
        if let Err(error) = ended {
            tracing::error!(%error, "working for a panel panicked; it is taken up again");
        }
    }
    if app.clock.now() >= hands.refills_at {
        hands.refills_at = refills::next_round(app.clock.now());
        if let Err(error) = ask_for_dropped(app).await {
            tracing::warn!(?error, "asking for refills failed");
        }
    }
    let found = round(app, &hands.sending, &mut hands.tasks).await;
    if let Err(error) = refills::start_due(app, &hands.refilling, &mut hands.tasks).await {
        tracing::warn!(?error, "passing on refills failed");
    }
    if let Err(error) = cancels::start_due(app, &hands.canceling, &mut hands.tasks).await {
        tracing::warn!(?error, "passing on cancel requests failed");
    }
    found
}

/// What panics is an error: it must not drop the calls beside it.
async fn caught<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    let ended = AssertUnwindSafe(work).catch_unwind().await;
    ended.unwrap_or_else(|_| Err(Error::Fault("it panicked".to_owned())))
}

async fn round(app: &App, busy: &BusyPanels, tasks: &mut JoinSet<()>) -> Result<usize> {
    let found = take_due(app).await?;
    let panels = open_panels(app).await?;
    busy.start(
        app,
        tasks,
        panels,
        "working for a panel",
        |app, panel| async move { work_up(&app, panel).await },
    );
    Ok(found)
}

/// Panels with something due that are not left alone now.
async fn open_panels(app: &App) -> Result<Vec<i64>> {
    let now = app.clock.now();
    let mut due = attempts::panels_due(app).await?;
    due.retain(|panel| !app.panels.is_closed(*panel, now));
    Ok(due)
}

/// Round after round, until nothing is due at a panel, it is left alone, or the process is to end.
async fn work_up(app: &App, panel: i64) -> Result<()> {
    loop {
        let now = app.clock.now();
        if *app.stop.borrow() || app.panels.is_closed(panel, now) {
            return Ok(());
        }
        // Fewer calls would go to what is sent alone.
        let opens = app.panels.opens_at(panel, ROUND, now);
        if opens > now {
            pause(app, opens.0 - now.0).await;
        } else if work_for(app, panel).await? == 0 {
            return Ok(());
        }
    }
}

/// Waits so many microseconds, or until the process is to end.
async fn pause(app: &App, micros: i64) {
    let mut stop = app.stop.subscribe();
    let wait = Duration::from_micros(u64::try_from(micros).unwrap_or_default());
    tokio::select! {
        () = tokio::time::sleep(wait) => {}
        _ = stop.changed() => {}
    }
}

/// One round of everything that is due at a panel; how much there was. Nothing is claimed that the panel's pace would not
/// let through: it would only be put off again.
async fn work_for(app: &App, panel: i64) -> Result<usize> {
    let calls = || app.panels.allows(panel, app.clock.now());
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

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn one_that_panics_drops_nobody_beside_it() {
        let works = (0..3).map(|n| {
            caught(async move {
                assert_ne!(n, 0, "the first one");
                tokio::task::yield_now().await;
                Ok(n)
            })
        });
        let ended: Vec<_> = join_all(works).await.into_iter().map(Result::ok).collect();
        assert_eq!(ended, [None, Some(1), Some(2)]);
    }
}
