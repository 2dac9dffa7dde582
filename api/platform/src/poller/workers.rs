//! All pollers of a process: started together once the process has given a sign of life, drained together when it is to end. It
//! does no work by itself.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use panel_contract::moment::Time;
use panel_contract::quarantine::Poller as QuarantineKind;
use panel_kernel::error::Result;
use tokio::sync::watch;

use super::Poller;
use super::keyed::sleep_until_stop;
use super::worked::{PollContext, Worked};
use crate::db::Source as _;
use crate::jobs::heartbeat;
use crate::platform::Platform;
use crate::quarantine;

/// Between two signs of life.
const HEARTBEAT: Duration = Duration::from_secs(10);
/// Until the database is asked again for what dead processes left.
const SUSPECT_RETRY: Duration = Duration::from_secs(1);

/// What waits for a poller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PollerBacklog {
    /// The poller's name.
    pub poller: &'static str,
    /// Records that are due, counted up to ten thousand.
    pub due: i64,
    /// Since when the first is.
    pub oldest: Option<Time>,
}

impl PollerBacklog {
    /// For how many seconds the first record has been due.
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
    /// Of these pollers, and the sign of life of their process.
    #[must_use]
    pub fn new(pollers: Vec<Poller<C>>) -> Self {
        let beat = |context: C| async move {
            heartbeat::beat(context.platform()).await?;
            Ok(Worked::default())
        };
        // `run` begins with a sign of life.
        let heartbeat = Poller::task("processes", HEARTBEAT, beat).first_after_interval();
        Self { pollers: pollers.into_iter().map(Arc::new).collect(), heartbeat: Arc::new(heartbeat) }
    }

    /// The pollers, by their names: two with the same name would share their metrics.
    pub fn pollers(&self) -> impl Iterator<Item = &Poller<C>> {
        self.pollers.iter().map(|poller| &**poller)
    }

    /// Works until `stop` turns true and what was begun has ended. The process says first that it lives, so that it takes no more
    /// than its share from the start. The sign of life goes on while work drains, and nothing is claimed before the claims of
    /// dead processes were suspected.
    pub async fn run(&self, context: C, stop: watch::Receiver<bool>) {
        let platform = context.platform();
        if let Err(error) = heartbeat::beat(platform).await {
            tracing::warn!(%error, "this process could not say that it lives");
        }
        suspect_first(platform, &stop).await;
        let (ended, has_ended) = watch::channel(false);
        let work = async {
            self.run_pollers(&context, &stop).await;
            ended.send_replace(true);
        };
        tokio::join!(work, Box::pin(self.heartbeat.run(context.clone(), has_ended)));
        if let Err(error) = heartbeat::leave(platform).await {
            tracing::warn!(%error, "this process could not say that it ends");
        }
    }

    /// In one task, so that ending that task drops all of them at once: what they hold is given back after that. Boxed, as
    /// their futures are large.
    pub async fn run_pollers(&self, context: &C, stop: &watch::Receiver<bool>) {
        let run = |poller: &'_ Arc<Poller<C>>| {
            let (poller, context, stop) = (Arc::clone(poller), context.clone(), stop.clone());
            Box::pin(async move { poller.run(context, stop).await })
        };
        join_all(self.pollers.iter().map(run)).await;
    }

    /// Polls once by every poller of this kind, one after the other, in the caller's future; how many records they found.
    pub async fn poll_once(&self, context: &C, kind: QuarantineKind) -> Result<usize> {
        let mut found = 0;
        for poller in self.pollers().filter(|poller| poller.kind() == Some(kind)) {
            found += poller.poll_once(context).await?;
        }
        Ok(found)
    }

    /// What waits for each poller that can say so.
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

/// Suspects what a dead process left, before any poller begins: leases may be over when a server is started again. Tries until
/// the database takes it.
async fn suspect_first(platform: &Platform, stop: &watch::Receiver<bool>) {
    let mut stop = stop.clone();
    while !*stop.borrow() {
        match quarantine::store::suspect(platform).await {
            Ok(_) => return,
            Err(error) => {
                tracing::warn!(%error, "failed to look for work of dead processes; no work begins before")
            }
        }
        sleep_until_stop(SUSPECT_RETRY, &mut stop).await;
    }
}
