//! Pollers, the loops of background work: when they poll, which failures they survive, how they shut down, and that every kind of
//! quarantined record has one.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use panel_contract::ids::ExternalPanelId;
use panel_contract::quarantine::Poller as QuarantineKind;
use panel_kernel::error::Error;
use panel_platform::db::{Dialect, Sql};
use panel_platform::lease::ClaimedWork;
use panel_platform::lease::declared::DueDateMoves;
use panel_platform::lease::named::NamedLease;
use panel_platform::poller::Poller;
use panel_platform::poller::keyed::Readiness;
use panel_platform::poller::work::WorkSummary;
use panel_platform::poller::workers::Workers;
use panel_platform::quarantine::ClaimedBatch;
use panel_server::app::App;
use panel_server::background::worker;
use tokio::sync::{Notify, mpsc, watch};
use tokio::time::timeout;

use crate::panel::{NOW, Panel};

/// An interval longer than every test.
const NEVER: Duration = Duration::from_secs(3_600);
const SHORT_INTERVAL: Duration = Duration::from_millis(1);
/// Longer than every step of a test.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Pollers that run in a task of their own.
struct RunningPollers {
    stop: watch::Sender<bool>,
    task: tokio::task::JoinHandle<()>,
}

impl RunningPollers {
    async fn start(pollers: Vec<Poller<App>>) -> Self {
        let panel = Panel::on(Dialect::Sqlite).await;
        let (stop, stopped) = watch::channel(false);
        let task = tokio::spawn(async move {
            Workers::new(pollers).run_pollers(&panel.app, &stopped).await;
            drop(panel);
        });
        Self { stop, task }
    }

    async fn stop(self) {
        self.stop.send_replace(true);
        timeout(TIMEOUT, self.task).await.unwrap().unwrap();
    }
}

async fn next<T>(receiver: &mut mpsc::UnboundedReceiver<T>) -> T {
    timeout(TIMEOUT, receiver.recv()).await.unwrap().unwrap()
}

#[tokio::test]
async fn a_poller_polls_again_at_once_while_it_finds_work() {
    let (poll_sender, mut polls) = mpsc::unbounded_channel();
    let remaining = Arc::new(AtomicUsize::new(3));
    let task = Poller::task("test_again", NEVER, move |_: App| {
        let (poll_sender, remaining) = (poll_sender.clone(), Arc::clone(&remaining));
        async move {
            let found = remaining.load(Ordering::Relaxed).min(1);
            remaining.fetch_sub(found, Ordering::Relaxed);
            poll_sender.send(found).unwrap();
            Ok(WorkSummary::done(found))
        }
    });
    let pollers = RunningPollers::start(vec![task.repoll_while_found()]).await;
    for found in [1, 1, 1, 0] {
        assert_eq!(next(&mut polls).await, found);
    }
    pollers.stop().await;
    assert!(polls.try_recv().is_err(), "no further poll after one that found nothing");
}

#[tokio::test]
async fn an_error_or_a_panic_ends_a_poll_and_not_the_poller() {
    let (poll_sender, mut polls) = mpsc::unbounded_channel();
    let work = move |_: App, count: usize| {
        poll_sender.send(count).unwrap();
        async move {
            assert!(count < 2, "the third poll with a state panics on purpose");
            let fault = || Error::Internal("a test error".into());
            (count + 1, if count == 0 { Err(fault()) } else { Ok(WorkSummary::default()) })
        }
    };
    let pollers = RunningPollers::start(vec![Poller::stateful("test_panic", SHORT_INTERVAL, work)]).await;
    for count in [0, 1, 2, 0, 1, 2, 0] {
        assert_eq!(next(&mut polls).await, count, "an error keeps the state, a panic loses it");
    }
    pollers.stop().await;
}

#[tokio::test]
async fn a_notification_ends_the_pause_between_polls() {
    let (poll_sender, mut polls) = mpsc::unbounded_channel();
    let wake = Arc::new(Notify::new());
    let waking = {
        let found = Arc::new(AtomicUsize::new(1));
        Poller::task("test_wakes", NEVER, move |_: App| {
            let found = found.swap(0, Ordering::Relaxed);
            async move { Ok(WorkSummary::done(found)) }
        })
    };
    let wakeable = Poller::task("test_woken", NEVER, move |_: App| {
        poll_sender.send(()).unwrap();
        async { Ok(WorkSummary::default()) }
    });
    let pollers = RunningPollers::start(vec![
        wakeable.woken_by(&wake, Duration::ZERO).skip_first_poll(),
        waking.wakes(&wake),
    ])
    .await;
    next(&mut polls).await;
    wake.notify_one();
    next(&mut polls).await;
    pollers.stop().await;
    assert!(polls.try_recv().is_err(), "one poll per notification");
}

#[tokio::test]
async fn keys_are_processed_in_parallel_and_drained_at_shutdown() {
    let (started, mut starts) = mpsc::unbounded_channel();
    let release_signal = Arc::new(Notify::new());
    let release = Arc::clone(&release_signal);
    let finished = Arc::new(AtomicUsize::new(0));
    let finished_in_work = Arc::clone(&finished);
    let work = move |_: App, key: ExternalPanelId| {
        let key = key.get();
        let (started, release_signal, finished) =
            (started.clone(), Arc::clone(&release_signal), Arc::clone(&finished_in_work));
        async move {
            started.send(key).unwrap();
            if key == 1 {
                release_signal.notified().await;
                finished.fetch_add(1, Ordering::Relaxed);
            }
            assert_ne!(key, 2, "key 2 panics on purpose");
            Ok(WorkSummary::default())
        }
    };
    let poller = Poller::keyed(
        "test_keys",
        SHORT_INTERVAL,
        |_: App| async { Ok([1, 2, 3, 4].map(ExternalPanelId::new).to_vec()) },
        work,
    )
    .ready_when(|_, key: ExternalPanelId, _| if key.get() == 4 { Readiness::Later } else { Readiness::Now });
    let pollers = RunningPollers::start(vec![poller]).await;
    let mut started_keys = Vec::new();
    while started_keys.iter().filter(|key| **key == 3).count() < 20 {
        started_keys.push(next(&mut starts).await);
    }
    let times = |key| started_keys.iter().filter(|started| **started == key).count();
    assert_eq!(
        (times(1), times(2), times(4)),
        (1, 1, 0),
        "key 1 hangs, key 2 backs off after its panic, key 4 is not ready"
    );
    pollers.stop.send_replace(true);
    tokio::task::yield_now().await;
    assert!(!pollers.task.is_finished(), "shutdown waits for the running work");
    release.notify_one();
    pollers.stop().await;
    assert_eq!(finished.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn a_stopped_poller_starts_no_poll() {
    let polls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&polls);
    let task = Poller::task("test_stopped", SHORT_INTERVAL, move |_: App| {
        counted.fetch_add(1, Ordering::Relaxed);
        async { Ok(WorkSummary::default()) }
    });
    let panel = Panel::on(Dialect::Sqlite).await;
    let (_stop, stopped) = watch::channel(true);
    Workers::new(vec![task]).run_pollers(&panel.app, &stopped).await;
    assert_eq!(polls.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn shutdown_waits_for_the_last_poll_unless_it_may_be_canceled() {
    let (started, mut starts) = mpsc::unbounded_channel();
    let (shutdowns, mut shutdown_states) = mpsc::unbounded_channel();
    let never_ending = move |_: App| {
        started.send(()).unwrap();
        async {
            std::future::pending::<()>().await;
            Ok(WorkSummary::default())
        }
    };
    let state = |_: App, state: usize| async move { (state + 1, Ok(WorkSummary::default())) };
    let on_shutdown = move |state: usize| {
        shutdowns.send(state).unwrap();
        async {}
    };
    let pollers = RunningPollers::start(vec![
        Poller::task("test_dropped", SHORT_INTERVAL, never_ending).cancel_on_shutdown(),
        Poller::stateful_with_shutdown("test_state_ends", NEVER, state, on_shutdown),
    ])
    .await;
    next(&mut starts).await;
    pollers.stop().await;
    assert_eq!(
        next(&mut shutdown_states).await,
        1,
        "the shutdown function receives the state of the last poll"
    );
}

#[tokio::test]
async fn poll_once_runs_in_the_future_of_the_caller() {
    let panel = Panel::on(Dialect::Sqlite).await;
    let work = |_: App, key: ExternalPanelId| async move {
        tokio::task::yield_now().await;
        Ok(WorkSummary::done(usize::try_from(key.get()).unwrap()))
    };
    let poller = Poller::keyed(
        "test_once",
        SHORT_INTERVAL,
        |_: App| async { Ok([1, 2].map(ExternalPanelId::new).to_vec()) },
        work,
    )
    .repoll_while_found();
    let alive_tasks = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
    let before = alive_tasks();
    let mut poll = std::pin::pin!(poller.poll_once(&panel.app));
    assert!(futures_util::poll!(&mut poll).is_pending());
    assert_eq!(alive_tasks(), before, "poll_once spawns no task");
    assert_eq!(poll.await.unwrap(), 3, "poll_once works on each key once");
}

#[tokio::test]
async fn a_poll_is_counted_in_metrics_under_its_name() {
    let panel = Panel::on(Dialect::Sqlite).await;
    let claim = |_: App| async { Ok(ClaimedWork::new(vec![1, 2, 3], 3, ClaimedBatch::none())) };
    let work = |_: App, batch: Vec<i64>| async move { Ok(WorkSummary { done: batch.len() - 1, failed: 1 }) };
    let poller = Poller::new("test_counted", NEVER, claim, work);
    assert_eq!(poller.poll_once(&panel.app).await.unwrap(), 3);
    let text = panel.app.metrics.render();
    for (counter, count) in [("claimed", 3), ("done", 2), ("failed", 1)] {
        let line = format!("panel_poller_{counter}_total{{poller=\"test_counted\"}} {count}");
        assert!(text.contains(&line), "{line}");
    }
    assert!(text.contains("panel_poller_duration_seconds_count{poller=\"test_counted\"} 1"));
}

#[tokio::test]
async fn every_kind_of_record_has_a_poller_and_names_are_unique() {
    let panel = Panel::on(Dialect::Sqlite).await;
    let workers = worker::workers(&panel.app);
    let names: Vec<&str> = workers.pollers().map(Poller::name).collect();
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "{names:?}");
    for kind in QuarantineKind::ALL {
        assert!(workers.pollers().any(|poller| poller.kind() == Some(*kind)), "{kind}");
    }
    let backlog = workers.read_backlogs(&panel.app).await.unwrap();
    assert!(
        backlog.iter().any(|entry| entry.poller == "order") && backlog.iter().all(|entry| entry.due == 0)
    );
}

/// These columns are dates that customers see, so neither a claim nor a release from quarantine may move them.
#[tokio::test]
async fn business_dates_are_never_moved_by_a_lease() {
    let dates: Vec<&str> = worker::LEASES
        .iter()
        .filter(|lease| lease.moves == DueDateMoves::Never)
        .map(|lease| lease.due_column)
        .collect();
    assert_eq!(dates, ["expired_at", "renews_at", "next_run_at"]);
}

both! {
    one_process_at_a_time_holds_a_named_lease;
}

async fn one_process_at_a_time_holds_a_named_lease(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let other = panel.second_process().await;
    for app in [&panel.app, &other] {
        panel_platform::jobs::heartbeat::send_heartbeat(app).await.unwrap();
    }
    let mut lease = NamedLease::acquire(&panel.app, "test").await.unwrap().unwrap();
    assert!(NamedLease::acquire(&other, "test").await.unwrap().is_none());
    panel.clock.advance_secs(36);
    panel_platform::jobs::heartbeat::send_heartbeat(&panel.app).await.unwrap();
    assert!(
        NamedLease::acquire(&other, "test").await.unwrap().is_none(),
        "the process that holds the lease is alive"
    );
    assert!(lease.renew(&panel.app).await.unwrap());
    panel.clock.advance_secs(36);
    panel_platform::jobs::heartbeat::send_heartbeat(&other).await.unwrap();
    let new_lease = NamedLease::acquire(&other, "test").await.unwrap().unwrap();
    assert!(!lease.renew(&panel.app).await.unwrap(), "the suspended process has lost the lease");
    let next_due = panel.app.clock.now();
    new_lease.release(&other, next_due).await.unwrap();
    assert!(NamedLease::acquire(&panel.app, "test").await.unwrap().is_some());
    panel
        .execute(
            Sql::new("INSERT INTO shared_schedules (name, next_at) VALUES ('unheld', ?)")
                .bind(NOW + 300_000_000),
        )
        .await;
    assert!(
        NamedLease::acquire(&panel.app, "unheld").await.unwrap().is_none(),
        "a row without a process is not due yet"
    );
}
