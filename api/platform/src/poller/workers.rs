//! Runs all pollers of a process: starts them together after the first heartbeat of the process, and waits for their work at
//! shutdown.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use panel_contract::moment::Time;
use panel_contract::quarantine::Poller as QuarantineKind;
use panel_kernel::error::Result;
use tokio::sync::watch;

use super::Poller;
use super::keyed::sleep_until_stop;
use super::work::{PollContext, WorkSummary};
use crate::db::SqlExecutor as _;
use crate::jobs::heartbeat;
use crate::platform::Platform;
use crate::quarantine;

const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(10);
/// Delay before the process retries the search for batches of dead processes.
const SUSPECT_RETRY_DELAY: Duration = Duration::from_secs(1);

/// The due records of a poller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PollerBacklog {
    pub poller: &'static str,
    /// Number of due records, counted up to ten thousand.
    pub due: i64,
    /// The time since which the oldest record is due.
    pub oldest: Option<Time>,
}

impl PollerBacklog {
    /// Returns the seconds since the oldest record became due.
    #[must_use]
    pub fn lag_seconds(&self, now: Time) -> i64 {
        self.oldest.map_or(0, |oldest| i64::try_from(now.since(oldest).as_secs()).unwrap_or(i64::MAX))
    }
}

/// The pollers of a process.
pub struct Workers<C> {
    pollers: Vec<Arc<Poller<C>>>,
    heartbeat: Arc<Poller<C>>,
}

impl<C: PollContext> Workers<C> {
    /// Adds the heartbeat of the process to these pollers.
    #[must_use]
    pub fn new(pollers: Vec<Poller<C>>) -> Self {
        let send_heartbeat = |context: C| async move {
            heartbeat::send_heartbeat(context.platform()).await?;
            Ok(WorkSummary::default())
        };
        // `run` sends the first heartbeat.
        let heartbeat = Poller::task("processes", HEARTBEAT_INTERVAL, send_heartbeat).skip_first_poll();
        Self { pollers: pollers.into_iter().map(Arc::new).collect(), heartbeat: Arc::new(heartbeat) }
    }

    /// The pollers, without the heartbeat. Their names must be different, because two pollers with one name would share metrics.
    pub fn pollers(&self) -> impl Iterator<Item = &Poller<C>> {
        self.pollers.iter().map(|poller| &**poller)
    }

    /// Runs until `stop` turns true and the running work has ended. Sends the first heartbeat before any poll, so that the process
    /// never uses more than its share of a quota, and continues the heartbeat until the work has ended. Marks the batches of dead
    /// processes as suspects before any poller claims records.
    pub async fn run(&self, context: C, stop: watch::Receiver<bool>) {
        let platform = context.platform();
        if let Err(error) = heartbeat::send_heartbeat(platform).await {
            tracing::warn!(%error, "failed to send the first heartbeat");
        }
        suspect_dead_batches_or_retry(platform, &stop).await;
        let (stop_heartbeat, heartbeat_stop) = watch::channel(false);
        let work = async {
            self.run_pollers(&context, &stop).await;
            stop_heartbeat.send_replace(true);
        };
        tokio::join!(work, Box::pin(self.heartbeat.run(context.clone(), heartbeat_stop)));
        if let Err(error) = heartbeat::deregister(platform).await {
            tracing::warn!(%error, "failed to deregister this process");
        }
    }

    /// Runs all pollers in the caller's task: if that task ends, all of them are dropped before the caller releases their leases.
    /// Boxes their futures, because they are large.
    pub async fn run_pollers(&self, context: &C, stop: &watch::Receiver<bool>) {
        let run = |poller: &'_ Arc<Poller<C>>| {
            let (poller, context, stop) = (Arc::clone(poller), context.clone(), stop.clone());
            Box::pin(async move { poller.run(context, stop).await })
        };
        join_all(self.pollers.iter().map(run)).await;
    }

    /// Polls once with every poller of this kind, one after another; returns how many records they found.
    pub async fn poll_once(&self, context: &C, kind: QuarantineKind) -> Result<usize> {
        let mut found = 0;
        for poller in self.pollers().filter(|poller| poller.kind() == Some(kind)) {
            found += poller.poll_once(context).await?;
        }
        Ok(found)
    }

    /// Reads the backlog of each poller that has one.
    pub async fn read_backlogs(&self, context: &C) -> Result<Vec<PollerBacklog>> {
        let mut backlogs = Vec::new();
        for poller in self.pollers() {
            let Some(select_backlog) = &poller.select_backlog else { continue };
            let (due, oldest) = match poller.is_enabled(context).await? {
                true => (&mut &context.platform().db).fetch_one(select_backlog(context)).await?,
                false => (0, None),
            };
            backlogs.push(PollerBacklog { poller: poller.name(), due, oldest });
        }
        Ok(backlogs)
    }
}

/// Marks batches of dead processes as suspects before any poller starts, because their leases may have expired before this process
/// started. Retries until it succeeds or shutdown begins.
async fn suspect_dead_batches_or_retry(platform: &Platform, stop: &watch::Receiver<bool>) {
    let mut stop = stop.clone();
    while !*stop.borrow() {
        match quarantine::store::suspect_dead_batches(platform).await {
            Ok(_) => return,
            Err(error) => {
                tracing::warn!(%error, "failed to search for batches of dead processes; pollers start after that")
            }
        }
        sleep_until_stop(SUSPECT_RETRY_DELAY, &mut stop).await;
    }
}
