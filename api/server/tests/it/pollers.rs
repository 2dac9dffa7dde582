//! The one loop of background work: when a poller polls, what it survives, how it ends, and that the list of pollers is whole.

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

/// Polls that nothing else brings about do not come within a test.
const NEVER: Duration = Duration::from_secs(3_600);
const SOON: Duration = Duration::from_millis(1);
/// Longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// Pollers that run beside the test.
struct Run {
    stop: watch::Sender<bool>,
    ended: tokio::task::JoinHandle<()>,
}

impl Run {
    async fn begin(pollers: Vec<Poller<App>>) -> Self {
        let panel = Panel::on(Dialect::Sqlite).await;
        let (stop, stopped) = watch::channel(false);
        let ended = tokio::spawn(async move {
            Workers::new(pollers).run_pollers(&panel.app, &stopped).await;
            drop(panel);
        });
        Self { stop, ended }
    }

    async fn stop(self) {
        self.stop.send_replace(true);
        timeout(PATIENCE, self.ended).await.unwrap().unwrap();
    }
}

async fn next<T>(of: &mut mpsc::UnboundedReceiver<T>) -> T {
    timeout(PATIENCE, of.recv()).await.unwrap().unwrap()
}

#[tokio::test]
async fn it_polls_again_at_once_while_it_finds_something() {
    let (polled, mut polls) = mpsc::unbounded_channel();
    let left = Arc::new(AtomicUsize::new(3));
    let task = Poller::task("test_again", NEVER, move |_: App| {
        let (polled, left) = (polled.clone(), Arc::clone(&left));
        async move {
            let found = left.load(Ordering::Relaxed).min(1);
            left.fetch_sub(found, Ordering::Relaxed);
            polled.send(found).unwrap();
            Ok(WorkSummary::done(found))
        }
    });
    let run = Run::begin(vec![task.repoll_while_found()]).await;
    for found in [1, 1, 1, 0] {
        assert_eq!(next(&mut polls).await, found);
    }
    run.stop().await;
    assert!(polls.try_recv().is_err(), "not again once nothing was found");
}

#[tokio::test]
async fn an_error_or_a_panic_ends_a_poll_and_not_the_poller() {
    let (polled, mut polls) = mpsc::unbounded_channel();
    let work = move |_: App, count: usize| {
        polled.send(count).unwrap();
        async move {
            assert!(count < 2, "the third poll of a state");
            let fault = || Error::Fault("an error of ours".into());
            (count + 1, if count == 0 { Err(fault()) } else { Ok(WorkSummary::default()) })
        }
    };
    let run = Run::begin(vec![Poller::stateful("test_panic", SOON, work)]).await;
    for count in [0, 1, 2, 0, 1, 2, 0] {
        assert_eq!(next(&mut polls).await, count, "an error keeps the state, a panic loses it");
    }
    run.stop().await;
}

#[tokio::test]
async fn a_notification_ends_the_pause() {
    let (polled, mut polls) = mpsc::unbounded_channel();
    let wake = Arc::new(Notify::new());
    let finder = {
        let found = Arc::new(AtomicUsize::new(1));
        Poller::task("test_wakes", NEVER, move |_: App| {
            let found = found.swap(0, Ordering::Relaxed);
            async move { Ok(WorkSummary::done(found)) }
        })
    };
    let woken = Poller::task("test_woken", NEVER, move |_: App| {
        polled.send(()).unwrap();
        async { Ok(WorkSummary::default()) }
    });
    let run =
        Run::begin(vec![woken.woken_by(&wake, Duration::ZERO).skip_first_poll(), finder.wakes(&wake)]).await;
    next(&mut polls).await;
    wake.notify_one();
    next(&mut polls).await;
    run.stop().await;
    assert!(polls.try_recv().is_err(), "as often as it was notified");
}

#[tokio::test]
async fn keys_are_worked_for_side_by_side_and_drained() {
    let (worked, mut works) = mpsc::unbounded_channel();
    let hanging = Arc::new(Notify::new());
    let release = Arc::clone(&hanging);
    let ended = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&ended);
    let work = move |_: App, key: ExternalPanelId| {
        let key = key.get();
        let (worked, hanging, ended) = (worked.clone(), Arc::clone(&hanging), Arc::clone(&counted));
        async move {
            worked.send(key).unwrap();
            if key == 1 {
                hanging.notified().await;
                ended.fetch_add(1, Ordering::Relaxed);
            }
            assert_ne!(key, 2, "it panics");
            Ok(WorkSummary::default())
        }
    };
    let poller = Poller::keyed(
        "test_keys",
        SOON,
        |_: App| async { Ok([1, 2, 3, 4].map(ExternalPanelId::new).to_vec()) },
        work,
    )
    .ready_when(|_, key: ExternalPanelId, _| if key.get() == 4 { Readiness::Later } else { Readiness::Now });
    let run = Run::begin(vec![poller]).await;
    let mut seen = Vec::new();
    while seen.iter().filter(|key| **key == 3).count() < 20 {
        seen.push(next(&mut works).await);
    }
    let times = |key| seen.iter().filter(|seen| **seen == key).count();
    assert_eq!(
        (times(1), times(2), times(4)),
        (1, 1, 0),
        "one hangs, one waits after its panic, one is not ready"
    );
    run.stop.send_replace(true);
    tokio::task::yield_now().await;
    assert!(!run.ended.is_finished(), "what was begun is brought to its end");
    release.notify_one();
    run.stop().await;
    assert_eq!(ended.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn nothing_begins_after_the_end() {
    let polls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&polls);
    let task = Poller::task("test_stopped", SOON, move |_: App| {
        counted.fetch_add(1, Ordering::Relaxed);
        async { Ok(WorkSummary::default()) }
    });
    let panel = Panel::on(Dialect::Sqlite).await;
    let (_stop, stopped) = watch::channel(true);
    Workers::new(vec![task]).run_pollers(&panel.app, &stopped).await;
    assert_eq!(polls.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn the_last_poll_is_awaited_unless_it_may_be_dropped() {
    let (begun, mut begins) = mpsc::unbounded_channel();
    let (ended, mut ends) = mpsc::unbounded_channel();
    let hang = move |_: App| {
        begun.send(()).unwrap();
        async {
            std::future::pending::<()>().await;
            Ok(WorkSummary::default())
        }
    };
    let state = |_: App, state: usize| async move { (state + 1, Ok(WorkSummary::default())) };
    let end = move |state: usize| {
        ended.send(state).unwrap();
        async {}
    };
    let run = Run::begin(vec![
        Poller::task("test_dropped", SOON, hang).cancel_on_shutdown(),
        Poller::stateful_with_shutdown("test_state_ends", NEVER, state, end),
    ])
    .await;
    next(&mut begins).await;
    run.stop().await;
    assert_eq!(next(&mut ends).await, 1, "the state of the last poll is ended");
}

#[tokio::test]
async fn one_poll_runs_in_its_callers_future() {
    let panel = Panel::on(Dialect::Sqlite).await;
    let work = |_: App, key: ExternalPanelId| async move {
        tokio::task::yield_now().await;
        Ok(WorkSummary::done(usize::try_from(key.get()).unwrap()))
    };
    let poller = Poller::keyed(
        "test_once",
        SOON,
        |_: App| async { Ok([1, 2].map(ExternalPanelId::new).to_vec()) },
        work,
    )
    .repoll_while_found();
    let alive = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
    let before = alive();
    let mut poll = std::pin::pin!(poller.poll_once(&panel.app));
    assert!(futures_util::poll!(&mut poll).is_pending());
    assert_eq!(alive(), before, "nothing is spawned");
    assert_eq!(poll.await.unwrap(), 3, "each key once");
}

#[tokio::test]
async fn what_a_poll_does_is_counted_under_its_name() {
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
    let backlog = workers.backlog(&panel.app).await.unwrap();
    assert!(backlog.iter().any(|one| one.poller == "order") && backlog.iter().all(|one| one.due == 0));
}

/// A date of the business is never moved, whatever is released from quarantine.
#[tokio::test]
async fn the_end_of_a_subscription_has_no_lease() {
    let dates: Vec<&str> = worker::LEASES
        .iter()
        .filter(|lease| lease.moves == DueDateMoves::Never)
        .map(|lease| lease.due)
        .collect();
    assert_eq!(dates, ["expired_at", "renews_at", "next_run_at"]);
}

both! {
    a_named_lease_is_one_process_at_a_time;
}

async fn a_named_lease_is_one_process_at_a_time(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let other = panel.twin().await;
    for app in [&panel.app, &other] {
        panel_platform::jobs::heartbeat::send_heartbeat(app).await.unwrap();
    }
    let mut lease = NamedLease::acquire(&panel.app, "test").await.unwrap().unwrap();
    assert!(NamedLease::acquire(&other, "test").await.unwrap().is_none());
    panel.clock.advance_secs(36);
    panel_platform::jobs::heartbeat::send_heartbeat(&panel.app).await.unwrap();
    assert!(NamedLease::acquire(&other, "test").await.unwrap().is_none(), "its process lives");
    assert!(lease.renew(&panel.app).await.unwrap());
    panel.clock.advance_secs(36);
    panel_platform::jobs::heartbeat::send_heartbeat(&other).await.unwrap();
    let taken = NamedLease::acquire(&other, "test").await.unwrap().unwrap();
    assert!(!lease.renew(&panel.app).await.unwrap(), "a process that wakes up has lost it");
    let due = panel.app.clock.now();
    taken.release(&other, due).await.unwrap();
    assert!(NamedLease::acquire(&panel.app, "test").await.unwrap().is_some());
    panel
        .exec(Sql::new("INSERT INTO call_paces (name, next_at) VALUES ('unheld', ?)").bind(NOW + 300_000_000))
        .await;
    assert!(NamedLease::acquire(&panel.app, "unheld").await.unwrap().is_none(), "a row without a process");
}
