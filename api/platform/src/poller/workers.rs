//! All pollers of a process: started together after the first heartbeat of the process, and drained together at shutdown. It does
//! no work by itself.

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
use crate::db::Source as _;
use crate::jobs::heartbeat;
use crate::platform::Platform;
use crate::quarantine;

/// Interval of the heartbeat.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(10);
/// Delay before the search for batches of dead processes is retried.
const SUSPECT_RETRY: Duration = Duration::from_secs(1);

/// Due records of a poller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PollerBacklog {
    /// The poller's name.
    pub poller: &'static str,
    /// Number of due records, counted up to ten thousand.
    pub due: i64,
    /// Since when the oldest is due.
    pub oldest: Option<Time>,
}

impl PollerBacklog {
    /// For how many seconds the oldest record has been due.
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
        let send = |context: C| async move {
            heartbeat::send_heartbeat(context.platform()).await?;
            Ok(WorkSummary::default())
        };
        // `run` sends the first heartbeat.
        let heartbeat = Poller::task("processes", HEARTBEAT_INTERVAL, send).skip_first_poll();
        Self { pollers: pollers.into_iter().map(Arc::new).collect(), heartbeat: Arc::new(heartbeat) }
    }

    /// The pollers. Their names are distinct, because two with the same name would share their metrics.
    pub fn pollers(&self) -> impl Iterator<Item = &Poller<C>> {
        self.pollers.iter().map(|poller| &**poller)
    }

    /// Runs until `stop` turns true and the work has drained. The first heartbeat comes first, so that the process uses no more
    /// than its share of each quota from the start. The heartbeat continues while work drains. No record is claimed before the
    /// batches of dead processes are marked as suspects.
    pub async fn run(&self, context: C, stop: watch::Receiver<bool>) {
        let platform = context.platform();
        if let Err(error) = heartbeat::send_heartbeat(platform).await {
            tracing::warn!(%error, "failed to send the first heartbeat");
        }
        suspect_first(platform, &stop).await;
        let (ended, has_ended) = watch::channel(false);
        let work = async {
            self.run_pollers(&context, &stop).await;
            ended.send_replace(true);
        };
        tokio::join!(work, Box::pin(self.heartbeat.run(context.clone(), has_ended)));
        if let Err(error) = heartbeat::deregister(platform).await {
            tracing::warn!(%error, "failed to deregister this process");
        }
    }

    /// Runs all pollers in one task, so that ending that task drops all of them at once, before the caller releases their leases.
    /// Boxed, because their futures are large.
    pub async fn run_pollers(&self, context: &C, stop: &watch::Receiver<bool>) {
        let run = |poller: &'_ Arc<Poller<C>>| {
            let (poller, context, stop) = (Arc::clone(poller), context.clone(), stop.clone());
            Box::pin(async move { poller.run(context, stop).await })
        };
        join_all(self.pollers.iter().map(run)).await;
    }

    /// Polls once with every poller of this kind, one after the other, in the caller's future; returns how many records they
    /// found.
    pub async fn poll_once(&self, context: &C, kind: QuarantineKind) -> Result<usize> {
        let mut found = 0;
        for poller in self.pollers().filter(|poller| poller.kind() == Some(kind)) {
            found += poller.poll_once(context).await?;
        }
        Ok(found)
    }

    /// The backlog of each poller that has one.
    pub async fn backlog(&self, context: &C) -> Result<Vec<PollerBacklog>> {
        let mut all = Vec::new();
        for poller in self.pollers() {
            let Some(backlog) = &poller.backlog else { continue };
            let (due, oldest) = match poller.is_enabled(context).await? {
                true => (&mut &context.platform().db).one(backlog(context)).await?,
                false => (0, None),
            };
            all.push(PollerBacklog { poller: poller.name(), due, oldest });
        }
        Ok(all)
    }
}

/// Marks batches of dead processes as suspects before any poller starts, because their leases may have expired when the server is
/// started again. Retries until it succeeds.
async fn suspect_first(platform: &Platform, stop: &watch::Receiver<bool>) {
    let mut stop = stop.clone();
    while !*stop.borrow() {
        match quarantine::store::suspect_dead_batches(platform).await {
            Ok(_) => return,
            Err(error) => {
                tracing::warn!(%error, "failed to search for batches of dead processes; pollers start after that")
            }
        }
        sleep_until_stop(SUSPECT_RETRY, &mut stop).await;
    }
}
