//! Work by keys, which are the ids of one kind of record, such as external panels: one task for each key that has something due, so that a key that hangs delays no
//! other. A key whose work fails with an error of ours waits longer and longer, as it has no row for the moment of its next try.

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
use super::worked::{BoxFuture, PollContext, Worked};

/// Tasks of one poller at most.
const MAX_TASKS: usize = 256;
/// Between two tries for a key whose work failed.
const KEY_BACKOFF: Backoff<'static> = Backoff::doubling(Duration::from_secs(1), Duration::from_secs(60));

/// Whether the next step of a key's work may begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readiness {
    /// At once.
    Now,
    /// At this moment: the task waits for it.
    At(Time),
    /// Not soon: the task ends, and a later poll begins another one.
    NotNow,
}

type Keys<C> = Arc<dyn Fn(C) -> BoxFuture<Result<Vec<RecordId>>> + Send + Sync>;
type KeyWork<C> = Arc<dyn Fn(C, RecordId) -> BoxFuture<Result<Worked>> + Send + Sync>;
type Ready<C> = Arc<dyn Fn(&C, RecordId, Time) -> Readiness + Send + Sync>;

/// Which keys have something due, and what is done for one.
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
        FW: Future<Output = Result<Worked>> + Send + 'static,
    {
        Self {
            poller,
            keys: Arc::new(move |context| {
                let keys = keys(context);
                Box::pin(
                    async move { Ok(keys.await?.into_iter().map(|key| RecordId::new(key.get())).collect()) },
                )
            }),
            work: Arc::new(move |context, key| Box::pin(work(context, key.known_as()))),
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

    /// Works for a key until nothing is due for it, it is not ready, or the process is to end.
    async fn work_for(
        &self,
        context: C,
        key: RecordId,
        again_while_found: bool,
        mut stop: watch::Receiver<bool>,
    ) -> Result<Outcome> {
        let mut outcome = Outcome::Idle;
        while !*stop.borrow() {
            let now = context.platform().clock.now();
            match self.ready.as_ref().map_or(Readiness::Now, |ready| ready(&context, key, now)) {
                Readiness::NotNow => break,
                Readiness::At(at) => {
                    sleep_until_stop(at.since(now), &mut stop).await;
                    continue;
                }
                Readiness::Now => {}
            }
            let work = (self.work)(context.clone(), key);
            let worked = PollTelemetry::new(self.poller).keyed(key.get(), work).await?;
            if worked.done > 0 {
                outcome = Outcome::Worked;
            }
            if worked.done == 0 || !again_while_found {
                break;
            }
        }
        Ok(outcome)
    }

    /// The task of one key; whether the next one may begin at once. An outage of the database says nothing of the key.
    async fn run(
        &self,
        context: C,
        key: RecordId,
        again_while_found: bool,
        stop: watch::Receiver<bool>,
    ) -> bool {
        let clock = Arc::clone(&context.platform().clock);
        let work = self.work_for(context, key, again_while_found, stop);
        let (outcome, is_fine) = match AssertUnwindSafe(work).catch_unwind().await {
            Ok(Ok(outcome)) => (outcome, true),
            Ok(Err(error)) => {
                tracing::warn!(poller = self.poller, key = key.get(), ?error, "a poll failed");
                (Outcome::Failed, error.is_gone())
            }
            Err(_) => {
                tracing::error!(poller = self.poller, key = key.get(), "a poll panicked; it runs again");
                (Outcome::Panicked, false)
            }
        };
        PollTelemetry::new(self.poller).ended(outcome, clock.now());
        is_fine
    }
}

/// The tasks of one poller. A task gives its key back when it ends, also where it panics.
#[derive(Default)]
pub(super) struct KeyTasks {
    busy: HashSet<RecordId>,
    /// Failures in a row, and when the next try is due.
    failing: HashMap<RecordId, (i64, Instant)>,
    tasks: JoinSet<(RecordId, bool)>,
}

impl KeyTasks {
    /// Starts a task for each key that has something due and none yet.
    pub(super) async fn start<C: PollContext>(
        &mut self,
        keyed: &Keyed<C>,
        again_while_found: bool,
        context: &C,
        stop: &watch::Receiver<bool>,
    ) -> Result<()> {
        while let Some(ended) = self.tasks.try_join_next() {
            self.note_end(&ended);
        }
        let due = (keyed.keys)(context.clone()).await?;
        // A key with nothing due has not failed lately: its next failure is the first.
        self.failing.retain(|key, _| due.contains(key));
        for key in due {
            let must_wait = self.failing.get(&key).is_some_and(|(_, at)| Instant::now() < *at);
            if must_wait || self.tasks.len() >= MAX_TASKS || !self.busy.insert(key) {
                continue;
            }
            let (keyed, context, stop) = (keyed.clone(), context.clone(), stop.clone());
            self.tasks.spawn(async move { (key, keyed.run(context, key, again_while_found, stop).await) });
        }
        Ok(())
    }

    fn note_end(&mut self, ended: &std::result::Result<(RecordId, bool), tokio::task::JoinError>) {
        // Its panics are caught, and a task is aborted with all of them only.
        let Ok((key, is_fine)) = *ended else { return };
        self.busy.remove(&key);
        if is_fine {
            self.failing.remove(&key);
        } else {
            let failures = self.failing.get(&key).map_or(0, |(failures, _)| *failures) + 1;
            self.failing.insert(key, (failures, Instant::now() + KEY_BACKOFF.delay(failures, Chance::NONE)));
        }
    }

    /// What was called is written down before the process ends.
    pub(super) async fn drain(&mut self) {
        while let Some(ended) = self.tasks.join_next().await {
            self.note_end(&ended);
        }
    }
}

/// Sleeps for so long, or until the process is to end.
pub(super) async fn sleep_until_stop(pause: Duration, stop: &mut watch::Receiver<bool>) {
    // Either ends it.
    drop(tokio::time::timeout(pause, stop.wait_for(|stop| *stop)).await);
}
