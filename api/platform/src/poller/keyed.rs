//! Work by key, where a key is the id of one kind of record, such as external panels: one task per key with due work, so that a
//! slow key delays no other. A key whose work fails with an internal error is retried with backoff in memory, because no row
//! stores the time of its next attempt.

use std::collections::{HashMap, HashSet};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::FutureExt as _;
use panel_contract::ids::{Id, RecordId};
use panel_contract::moment::Time;
use panel_kernel::backoff::{Backoff, Chance};
use panel_kernel::error::Result;
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::telemetry::{Outcome, PollTelemetry};
use super::work::{BoxFuture, PollContext, WorkSummary};

/// Largest number of tasks of one poller.
const MAX_TASKS: usize = 256;
/// Delays between two attempts for a key whose work failed.
const KEY_BACKOFF: Backoff<'static> = Backoff::doubling(Duration::from_secs(1), Duration::from_secs(60));

/// Whether the next step of a key's work may begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readiness {
    /// At once.
    Now,
    /// At this time: the task waits for it.
    At(Time),
    /// Not soon: the task ends, and a later poll starts another one.
    Later,
}

type Keys<C> = Arc<dyn Fn(C) -> BoxFuture<Result<Vec<RecordId>>> + Send + Sync>;
type KeyWork<C> = Arc<dyn Fn(C, RecordId) -> BoxFuture<Result<WorkSummary>> + Send + Sync>;
type Ready<C> = Arc<dyn Fn(&C, RecordId, Time) -> Readiness + Send + Sync>;

/// Finds the keys with due work, and works on one.
#[derive(Clone)]
pub(super) struct Keyed<C> {
    poller: &'static str,
    keys: Keys<C>,
    work: KeyWork<C>,
    pub(super) ready: Option<Ready<C>>,
}

impl<C: PollContext> Keyed<C> {
    pub(super) fn new<I, FK, FW>(
        poller: &'static str,
        keys: impl Fn(C) -> FK + Send + Sync + 'static,
        work: impl Fn(C, I) -> FW + Send + Sync + 'static,
    ) -> Self
    where
        I: Id,
        FK: Future<Output = Result<Vec<I>>> + Send + 'static,
        FW: Future<Output = Result<WorkSummary>> + Send + 'static,
    {
        Self {
            poller,
            keys: Arc::new(move |context| {
                let keys = keys(context);
                Box::pin(
                    async move { Ok(keys.await?.into_iter().map(|key| RecordId::new(key.get())).collect()) },
                )
            }),
            work: Arc::new(move |context, key| Box::pin(work(context, key.typed_as()))),
            ready: None,
        }
    }

    pub(super) async fn poll_once(&self, context: &C, telemetry: PollTelemetry) -> Result<usize> {
        let mut found = 0;
        for key in (self.keys)(context.clone()).await? {
            found += telemetry.keyed(key.get(), (self.work)(context.clone(), key)).await?.done;
        }
        Ok(found)
    }

    /// Works on a key until it has no due work, is not ready, or shutdown begins.
    async fn work_on_key(
        &self,
        context: C,
        key: RecordId,
        repoll_while_found: bool,
        mut stop: watch::Receiver<bool>,
    ) -> Result<Outcome> {
        let mut outcome = Outcome::Idle;
        while !*stop.borrow() {
            let now = context.platform().clock.now();
            match self.ready.as_ref().map_or(Readiness::Now, |ready| ready(&context, key, now)) {
                Readiness::Later => break,
                Readiness::At(at) => {
                    sleep_until_stop(at.since(now), &mut stop).await;
                    continue;
                }
                Readiness::Now => {}
            }
            let work = (self.work)(context.clone(), key);
            let summary = PollTelemetry::new(self.poller).keyed(key.get(), work).await?;
            if summary.done > 0 {
                outcome = Outcome::Progress;
            }
            if summary.done == 0 || !repoll_while_found {
                break;
            }
        }
        Ok(outcome)
    }

    /// The task of one key; returns whether the next one may start at once, as after an outage of the database, which is no fault
    /// of the key.
    async fn run(
        &self,
        context: C,
        key: RecordId,
        repoll_while_found: bool,
        stop: watch::Receiver<bool>,
    ) -> bool {
        let clock = Arc::clone(&context.platform().clock);
        let work = self.work_on_key(context, key, repoll_while_found, stop);
        let (outcome, is_fine) = match AssertUnwindSafe(work).catch_unwind().await {
            Ok(Ok(outcome)) => (outcome, true),
            Ok(Err(error)) => {
                tracing::warn!(poller = self.poller, key = key.get(), ?error, "poll failed");
                (Outcome::Failed, error.is_unavailable())
            }
            Err(_) => {
                tracing::error!(poller = self.poller, key = key.get(), "poll panicked; the poller continues");
                (Outcome::Panicked, false)
            }
        };
        PollTelemetry::new(self.poller).ended(outcome, clock.now());
        is_fine
    }
}

/// The tasks of one poller. Its key is free again once a task has ended, also after a panic.
#[derive(Default)]
pub(super) struct KeyTasks {
    busy: HashSet<RecordId>,
    /// Number of consecutive failures, and the time of the next attempt.
    failing: HashMap<RecordId, (i64, Instant)>,
    tasks: JoinSet<(RecordId, bool)>,
}

impl KeyTasks {
    /// Starts a task for each key that has due work and no task yet.
    pub(super) async fn start<C: PollContext>(
        &mut self,
        keyed: &Keyed<C>,
        repoll_while_found: bool,
        context: &C,
        stop: &watch::Receiver<bool>,
    ) -> Result<()> {
        while let Some(ended) = self.tasks.try_join_next() {
            self.record_end(&ended);
        }
        let due = (keyed.keys)(context.clone()).await?;
        // For a key without due work the count of failures starts again.
        self.failing.retain(|key, _| due.contains(key));
        for key in due {
            let must_wait = self.failing.get(&key).is_some_and(|(_, at)| Instant::now() < *at);
            if must_wait || self.tasks.len() >= MAX_TASKS || !self.busy.insert(key) {
                continue;
            }
            let (keyed, context, stop) = (keyed.clone(), context.clone(), stop.clone());
            self.tasks.spawn(async move { (key, keyed.run(context, key, repoll_while_found, stop).await) });
        }
        Ok(())
    }

    fn record_end(&mut self, ended: &std::result::Result<(RecordId, bool), tokio::task::JoinError>) {
        // `run` catches panics, and a single task is never aborted.
        let Ok((key, is_fine)) = *ended else { return };
        self.busy.remove(&key);
        if is_fine {
            self.failing.remove(&key);
        } else {
            let failures = self.failing.get(&key).map_or(0, |(failures, _)| *failures) + 1;
            self.failing.insert(key, (failures, Instant::now() + KEY_BACKOFF.delay(failures, Chance::NONE)));
        }
    }

    /// Waits for all tasks, so that the results of their calls are written before the process ends.
    pub(super) async fn drain(&mut self) {
        while let Some(ended) = self.tasks.join_next().await {
            self.record_end(&ended);
        }
    }
}

/// Sleeps for `duration`, or until shutdown begins.
pub(super) async fn sleep_until_stop(duration: Duration, stop: &mut watch::Receiver<bool>) {
    drop(tokio::time::timeout(duration, stop.wait_for(|stop| *stop)).await);
}
