//! The loop of a poller: poll, wait, repeat. The only loop of background work that runs until shutdown.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt as _;
use tokio::sync::watch;

use super::keyed::KeyTasks;
use super::telemetry::{Outcome, PollTelemetry};
use super::work::PollContext;
use super::{PollBody, Poller};

impl<C: PollContext> Poller<C> {
    /// Polls until `stop` turns true, then waits for the work that has begun.
    pub(super) async fn run(self: &Arc<Self>, context: C, mut stop: watch::Receiver<bool>) {
        PollTelemetry::new(self.name).begin(context.platform().clock.now());
        let mut tasks = KeyTasks::default();
        if self.skip_first_poll {
            self.wait_for_next_poll(&context, &mut stop).await;
        }
        while !*stop.borrow() {
            let found = self.poll(&context, &mut tasks, &stop).await;
            if found > 0
                && let Some(other) = &self.wakes
            {
                other.notify_one();
            }
            if found == 0 || !self.repoll_while_found {
                self.wait_for_next_poll(&context, &mut stop).await;
            }
        }
        tasks.drain().await;
        if let Some(on_shutdown) = &self.on_shutdown {
            on_shutdown().await;
        }
    }

    /// Runs one poll and returns how many records it found. Logs and counts an error or a panic; the next poll starts afresh.
    async fn poll(
        self: &Arc<Self>,
        context: &C,
        tasks: &mut KeyTasks,
        stop: &watch::Receiver<bool>,
    ) -> usize {
        let telemetry = PollTelemetry::new(self.name);
        let poll = async {
            match &self.body {
                PollBody::Whole(poll) => poll(context.clone(), telemetry).await,
                // Each key polls again by itself.
                PollBody::Keyed(keyed) => {
                    tasks.start(keyed, self.repoll_while_found, context, stop).await.map(|()| 0)
                }
            }
        };
        let mut stop = stop.clone();
        let ended = tokio::select! {
            ended = AssertUnwindSafe(poll).catch_unwind() => ended,
            _ = stop.wait_for(|stop| *stop), if self.cancel_on_shutdown => return 0,
        };
        let (outcome, found) = match ended {
            Ok(Ok(0)) => (Outcome::Idle, 0),
            Ok(Ok(found)) => (Outcome::Progress, found),
            Ok(Err(error)) => {
                tracing::warn!(poller = self.name, ?error, "poll failed");
                (Outcome::Failed, 0)
            }
            Err(_) => {
                tracing::error!(poller = self.name, "poll panicked; the poller continues");
                (Outcome::Panicked, 0)
            }
        };
        telemetry.ended(outcome, context.platform().clock.now());
        found
    }

    /// Waits for the interval, and then until the database is available: during an outage each poll would only log an error.
    /// Returns early at shutdown.
    async fn wait_for_next_poll(&self, context: &C, stop: &mut watch::Receiver<bool>) {
        let next = async {
            match &self.woken_by {
                Some(by) => {
                    tokio::time::sleep(self.min_interval).await;
                    let remaining = self.interval.saturating_sub(self.min_interval);
                    // The poll follows the notification or the interval, whichever comes first.
                    drop(tokio::time::timeout(remaining, by.notified()).await);
                }
                None => tokio::time::sleep(self.interval).await,
            }
            context.platform().db.until_available().await;
        };
        tokio::select! {
            () = next => {}
            _ = stop.changed() => {}
        }
    }
}
