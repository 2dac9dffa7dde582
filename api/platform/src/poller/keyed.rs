//! Work by key. A key is the id of a record, such as an external panel. The poller runs one task for each key with due work, so
//! that a slow key does not delay the others. If the work on a key fails with an internal error, the poller retries it with a
//! backoff in memory, because no row stores the time of the next attempt.

use std::collections::{HashMap, HashSet};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::FutureExt as _;
use panel_contract::ids::{Id, RecordId};
use panel_contract::moment::Time;
use panel_kernel::backoff::{Backoff, JitterFraction};
use panel_kernel::error::Result;
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::telemetry::{PollOutcome, PollTelemetry};
use super::work::{BoxFuture, PollContext, WorkSummary};

/// Largest number of tasks of one poller.
const MAX_TASKS: usize = 256;
/// Delays between two attempts for a key whose work failed.
const KEY_BACKOFF: Backoff<'static> = Backoff::doubling(Duration::from_secs(1), Duration::from_secs(60));

/// Whether the next step of a key's work may begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readiness {
    Now,
    /// The task waits until this time.
    At(Time),
    /// The task ends, and a later poll starts another one.
    Later,
}

type FindKeys<C> = Arc<dyn Fn(C) -> BoxFuture<Result<Vec<RecordId>>> + Send + Sync>;
type WorkOnKey<C> = Arc<dyn Fn(C, RecordId) -> BoxFuture<Result<WorkSummary>> + Send + Sync>;
type CheckReadiness<C> = Arc<dyn Fn(&C, RecordId, Time) -> Readiness + Send + Sync>;

/// The functions of a poller that works by key.
#[derive(Clone)]
pub(super) struct KeyedWork<C> {
    poller: &'static str,
    /// Finds the keys with due work.
    find_keys: FindKeys<C>,
    work: WorkOnKey<C>,
    /// Without it, every key is ready now.
    pub(super) check_readiness: Option<CheckReadiness<C>>,
}

impl<C: PollContext> KeyedWork<C> {
    pub(super) fn new<I, FK, FW>(
        poller: &'static str,
        find_keys: impl Fn(C) -> FK + Send + Sync + 'static,
        work: impl Fn(C, I) -> FW + Send + Sync + 'static,
    ) -> Self
    where
        I: Id,
        FK: Future<Output = Result<Vec<I>>> + Send + 'static,
        FW: Future<Output = Result<WorkSummary>> + Send + 'static,
    {
        Self {
            poller,
            find_keys: Arc::new(move |context| {
                let keys = find_keys(context);
                Box::pin(
                    async move { Ok(keys.await?.into_iter().map(|key| RecordId::new(key.get())).collect()) },
                )
            }),
            work: Arc::new(move |context, key| Box::pin(work(context, key.typed_as()))),
            check_readiness: None,
        }
    }

    /// Works once on each key with due work, one after another; returns how many records it processed.
    pub(super) async fn poll_once(&self, context: &C, telemetry: PollTelemetry) -> Result<usize> {
        let mut done = 0;
        for key in (self.find_keys)(context.clone()).await? {
            done += telemetry.measure_key(key.get(), (self.work)(context.clone(), key)).await?.done;
        }
        Ok(done)
    }

    /// Works on a key until it has no due work, is not ready, or shutdown begins.
    async fn work_on_key(
        &self,
        context: C,
        key: RecordId,
        repoll_while_found: bool,
        mut stop: watch::Receiver<bool>,
    ) -> Result<PollOutcome> {
        let mut outcome = PollOutcome::Idle;
        while !*stop.borrow() {
            let now = context.platform().clock.now();
            let readiness = match &self.check_readiness {
                Some(check_readiness) => check_readiness(&context, key, now),
                None => Readiness::Now,
            };
            match readiness {
                Readiness::Later => break,
                Readiness::At(ready_at) => {
                    sleep_until_stop(ready_at.since(now), &mut stop).await;
                    continue;
                }
                Readiness::Now => {}
            }
            let work = (self.work)(context.clone(), key);
            let summary = PollTelemetry::new(self.poller).measure_key(key.get(), work).await?;
            if summary.done > 0 {
                outcome = PollOutcome::Progress;
            }
            if summary.done == 0 || !repoll_while_found {
                break;
            }
        }
        Ok(outcome)
    }

    /// Runs the task of one key. Returns whether the next task of the key may start without a backoff: after a success, and after
    /// an outage of the database, which the key did not cause.
    async fn run(
        &self,
        context: C,
        key: RecordId,
        repoll_while_found: bool,
        stop: watch::Receiver<bool>,
    ) -> bool {
        let clock = Arc::clone(&context.platform().clock);
        let work = self.work_on_key(context, key, repoll_while_found, stop);
        let (outcome, may_restart) = match AssertUnwindSafe(work).catch_unwind().await {
            Ok(Ok(outcome)) => (outcome, true),
            Ok(Err(error)) => {
                tracing::warn!(poller = self.poller, key = key.get(), ?error, "poll failed");
                (PollOutcome::Failed, error.is_unavailable())
            }
            Err(_) => {
                tracing::error!(poller = self.poller, key = key.get(), "poll panicked; the poller continues");
                (PollOutcome::Panicked, false)
            }
        };
        PollTelemetry::new(self.poller).record_outcome(outcome, clock.now());
        may_restart
    }
}

/// The tasks of one poller, at most one for each key.
#[derive(Default)]
pub(super) struct KeyTasks {
    keys_with_task: HashSet<RecordId>,
    /// Number of consecutive failures of a key, and the time of its next attempt.
    failures: HashMap<RecordId, (i64, Instant)>,
    /// The key of each task, and whether the next task may start without a backoff.
    tasks: JoinSet<(RecordId, bool)>,
}

impl KeyTasks {
    /// Starts a task for each key that has due work and no task yet.
    pub(super) async fn start<C: PollContext>(
        &mut self,
        keyed_work: &KeyedWork<C>,
        repoll_while_found: bool,
        context: &C,
        stop: &watch::Receiver<bool>,
    ) -> Result<()> {
        while let Some(result) = self.tasks.try_join_next() {
            self.record_end(&result);
        }
        let due_keys = (keyed_work.find_keys)(context.clone()).await?;
        // The count of failures starts again for a key without due work.
        self.failures.retain(|key, _| due_keys.contains(key));
        for key in due_keys {
            let must_wait =
                self.failures.get(&key).is_some_and(|(_, next_attempt_at)| Instant::now() < *next_attempt_at);
            if must_wait || self.tasks.len() >= MAX_TASKS || !self.keys_with_task.insert(key) {
                continue;
            }
            let (keyed_work, context, stop) = (keyed_work.clone(), context.clone(), stop.clone());
            self.tasks.spawn(async move {
                let may_restart = keyed_work.run(context, key, repoll_while_found, stop).await;
                (key, may_restart)
            });
        }
        Ok(())
    }

    fn record_end(&mut self, result: &std::result::Result<(RecordId, bool), tokio::task::JoinError>) {
        // There is no error, because `run` catches panics and a single task is never aborted.
        let Ok((key, may_restart)) = *result else { return };
        self.keys_with_task.remove(&key);
        if may_restart {
            self.failures.remove(&key);
        } else {
            let failures = self.failures.get(&key).map_or(0, |(failures, _)| *failures) + 1;
            self.failures
                .insert(key, (failures, Instant::now() + KEY_BACKOFF.delay(failures, JitterFraction::NONE)));
        }
    }

    /// Waits for all tasks, so that they write the results of their calls before the process ends.
    pub(super) async fn drain(&mut self) {
        while let Some(result) = self.tasks.join_next().await {
            self.record_end(&result);
        }
    }
}

/// Sleeps for `duration`, or until shutdown begins.
pub(super) async fn sleep_until_stop(duration: Duration, stop: &mut watch::Receiver<bool>) {
    drop(tokio::time::timeout(duration, stop.wait_for(|stop| *stop)).await);
}
