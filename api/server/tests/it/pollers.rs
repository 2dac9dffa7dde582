//! Pollers, the loops of background work: when they poll, which failures they survive, how they stop, and that each kind of
//! quarantined record has a poller.

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
const LONG_INTERVAL: Duration = Duration::from_secs(3_600);
const SHORT_INTERVAL: Duration = Duration::from_millis(1);
/// Longer than every step of a test.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Pollers that run in a separate task.
struct RunningPollers {
    stop: watch::Sender<bool>,
    join_handle: tokio::task::JoinHandle<()>,
}

impl RunningPollers {
    async fn start(pollers: Vec<Poller<App>>) -> Self {
        let panel = Panel::start(Dialect::Sqlite).await;
        let (stop, stopped) = watch::channel(false);
        let join_handle = tokio::spawn(async move {
            Workers::new(pollers).run_pollers(&panel.app, &stopped).await;
            drop(panel);
        });
        Self { stop, join_handle }
    }

    async fn stop(self) {
        self.stop.send_replace(true);
        timeout(TIMEOUT, self.join_handle).await.unwrap().unwrap();
    }
}

async fn receive_next<T>(receiver: &mut mpsc::UnboundedReceiver<T>) -> T {
    timeout(TIMEOUT, receiver.recv()).await.unwrap().unwrap()
}

#[tokio::test]
async fn a_poller_polls_again_at_once_while_it_finds_work() {
    let (poll_sender, mut polls) = mpsc::unbounded_channel();
    let remaining_count = Arc::new(AtomicUsize::new(3));
    let poller = Poller::task("test_again", LONG_INTERVAL, move |_: App| {
        let (poll_sender, remaining_count) = (poll_sender.clone(), Arc::clone(&remaining_count));
        async move {
            let found_count = remaining_count.load(Ordering::Relaxed).min(1);
            remaining_count.fetch_sub(found_count, Ordering::Relaxed);
            poll_sender.send(found_count).unwrap();
            Ok(WorkSummary::done(found_count))
        }
    });
    let pollers = RunningPollers::start(vec![poller.repoll_while_found()]).await;
    for found_count in [1, 1, 1, 0] {
        assert_eq!(receive_next(&mut polls).await, found_count);
    }
    pollers.stop().await;
    assert!(polls.try_recv().is_err(), "the poller must pause after a poll that found no work");
}

#[tokio::test]
async fn an_error_or_a_panic_does_not_end_the_poller() {
    let (poll_sender, mut polls) = mpsc::unbounded_channel();
    let work = move |_: App, count: usize| {
        poll_sender.send(count).unwrap();
        async move {
            assert!(count < 2, "the third poll with a state panics on purpose");
            let internal_error = || Error::Internal("a test error".into());
            (count + 1, if count == 0 { Err(internal_error()) } else { Ok(WorkSummary::default()) })
        }
    };
    let pollers = RunningPollers::start(vec![Poller::stateful("test_panic", SHORT_INTERVAL, work)]).await;
    for count in [0, 1, 2, 0, 1, 2, 0] {
        assert_eq!(
            receive_next(&mut polls).await,
            count,
            "the state must survive an error and be reset by a panic"
        );
    }
    pollers.stop().await;
}

#[tokio::test]
async fn a_notification_ends_the_pause_between_polls() {
    let (poll_sender, mut polls) = mpsc::unbounded_channel();
    let wake_signal = Arc::new(Notify::new());
    let waking_poller = {
        let found_count = Arc::new(AtomicUsize::new(1));
        Poller::task("test_wakes", LONG_INTERVAL, move |_: App| {
            let found_count = found_count.swap(0, Ordering::Relaxed);
            async move { Ok(WorkSummary::done(found_count)) }
        })
    };
    let woken_poller = Poller::task("test_woken", LONG_INTERVAL, move |_: App| {
        poll_sender.send(()).unwrap();
        async { Ok(WorkSummary::default()) }
    });
    let pollers = RunningPollers::start(vec![
        woken_poller.woken_by(&wake_signal, Duration::ZERO).skip_first_poll(),
        waking_poller.wakes(&wake_signal),
    ])
    .await;
    receive_next(&mut polls).await;
    wake_signal.notify_one();
    receive_next(&mut polls).await;
    pollers.stop().await;
    assert!(polls.try_recv().is_err(), "one notification must cause one poll");
}

#[tokio::test]
async fn keys_are_processed_in_parallel_and_drained_at_shutdown() {
    let (started, mut starts) = mpsc::unbounded_channel();
    let release_signal = Arc::new(Notify::new());
    let release_of_key_1 = Arc::clone(&release_signal);
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
        started_keys.push(receive_next(&mut starts).await);
    }
    let start_count = |key| started_keys.iter().filter(|started| **started == key).count();
    assert_eq!(
        (start_count(1), start_count(2), start_count(4)),
        (1, 1, 0),
        "key 1 hangs, key 2 waits after its panic, and key 4 is not ready"
    );
    pollers.stop.send_replace(true);
    tokio::task::yield_now().await;
    assert!(!pollers.join_handle.is_finished(), "the shutdown must wait for the running work");
    release_of_key_1.notify_one();
    pollers.stop().await;
    assert_eq!(finished.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn a_stopped_poller_does_not_poll() {
    let polls = Arc::new(AtomicUsize::new(0));
    let poll_count_in_work = Arc::clone(&polls);
    let poller = Poller::task("test_stopped", SHORT_INTERVAL, move |_: App| {
        poll_count_in_work.fetch_add(1, Ordering::Relaxed);
        async { Ok(WorkSummary::default()) }
    });
    let panel = Panel::start(Dialect::Sqlite).await;
    let (_stop, stopped) = watch::channel(true);
    Workers::new(vec![poller]).run_pollers(&panel.app, &stopped).await;
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
    let count_polls =
        |_: App, count_polls: usize| async move { (count_polls + 1, Ok(WorkSummary::default())) };
    let on_shutdown = move |count_polls: usize| {
        shutdowns.send(count_polls).unwrap();
        async {}
    };
    let pollers = RunningPollers::start(vec![
        Poller::task("test_dropped", SHORT_INTERVAL, never_ending).cancel_on_shutdown(),
        Poller::stateful_with_shutdown("test_state_ends", LONG_INTERVAL, count_polls, on_shutdown),
    ])
    .await;
    receive_next(&mut starts).await;
    pollers.stop().await;
    assert_eq!(
        receive_next(&mut shutdown_states).await,
        1,
        "the shutdown function must receive the state of the last poll"
    );
}

#[tokio::test]
async fn poll_once_runs_in_the_future_of_the_caller() {
    let panel = Panel::start(Dialect::Sqlite).await;
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
    let alive_task_count = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
    let alive_before = alive_task_count();
    let mut poll = std::pin::pin!(poller.poll_once(&panel.app));
    assert!(futures_util::poll!(&mut poll).is_pending());
    assert_eq!(alive_task_count(), alive_before, "poll_once must not spawn a task");
    assert_eq!(poll.await.unwrap(), 3, "poll_once must process each key once");
}

#[tokio::test]
async fn a_poll_is_counted_in_metrics_under_its_name() {
    let panel = Panel::start(Dialect::Sqlite).await;
    let claim = |_: App| async { Ok(ClaimedWork::new(vec![1, 2, 3], 3, ClaimedBatch::none())) };
    let work = |_: App, batch: Vec<i64>| async move { Ok(WorkSummary { done: batch.len() - 1, failed: 1 }) };
    let poller = Poller::new("test_counted", LONG_INTERVAL, claim, work);
    assert_eq!(poller.poll_once(&panel.app).await.unwrap(), 3);
    let metrics_text = panel.app.metrics_handle.render();
    for (counter, count) in [("claimed", 3), ("done", 2), ("failed", 1)] {
        let line = format!("panel_poller_{counter}_total{{poller=\"test_counted\"}} {count}");
        assert!(metrics_text.contains(&line), "{line}");
    }
    assert!(metrics_text.contains("panel_poller_duration_seconds_count{poller=\"test_counted\"} 1"));
}

#[tokio::test]
async fn every_kind_of_record_has_a_poller_and_names_are_unique() {
    let panel = Panel::start(Dialect::Sqlite).await;
    let workers = worker::workers(&panel.app);
    let names: Vec<&str> = workers.pollers().map(Poller::name).collect();
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "{names:?}");
    for kind in QuarantineKind::ALL {
        assert!(workers.pollers().any(|poller| poller.kind() == Some(*kind)), "{kind}");
    }
    let backlogs = workers.read_backlogs(&panel.app).await.unwrap();
    assert!(
        backlogs.iter().any(|entry| entry.poller == "order") && backlogs.iter().all(|entry| entry.due == 0)
    );
}

/// Customers see these dates, so neither a claim nor a release from quarantine may change them.
#[tokio::test]
async fn business_dates_are_never_moved_by_a_lease() {
    let date_columns: Vec<&str> = worker::LEASES
        .iter()
        .filter(|lease| lease.moves == DueDateMoves::Never)
        .map(|lease| lease.due_column)
        .collect();
    assert_eq!(date_columns, ["expired_at", "renews_at", "next_run_at"]);
}

test_both_databases! {
    one_process_at_a_time_holds_a_named_lease;
}

async fn one_process_at_a_time_holds_a_named_lease(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let other_process = panel.start_second_process().await;
    for app in [&panel.app, &other_process] {
        panel_platform::jobs::heartbeat::send_heartbeat(app).await.unwrap();
    }
    let mut lease = NamedLease::acquire(&panel.app, "test").await.unwrap().unwrap();
    assert!(NamedLease::acquire(&other_process, "test").await.unwrap().is_none());
    panel.clock.advance_secs(36);
    panel_platform::jobs::heartbeat::send_heartbeat(&panel.app).await.unwrap();
    assert!(
        NamedLease::acquire(&other_process, "test").await.unwrap().is_none(),
        "a process must keep its lease while it is alive"
    );
    assert!(lease.renew(&panel.app).await.unwrap());
    panel.clock.advance_secs(36);
    panel_platform::jobs::heartbeat::send_heartbeat(&other_process).await.unwrap();
    let new_lease = NamedLease::acquire(&other_process, "test").await.unwrap().unwrap();
    assert!(!lease.renew(&panel.app).await.unwrap(), "a suspended process must lose its lease");
    let next_due_at = panel.app.clock.now();
    new_lease.release(&other_process, next_due_at).await.unwrap();
    assert!(NamedLease::acquire(&panel.app, "test").await.unwrap().is_some());
    panel
        .execute(
            Sql::new("INSERT INTO shared_schedules (name, next_at) VALUES ('unheld', ?)")
                .bind(NOW + 300_000_000),
        )
        .await;
    assert!(
        NamedLease::acquire(&panel.app, "unheld").await.unwrap().is_none(),
        "a lease must not be available before the time in its row"
    );
}
