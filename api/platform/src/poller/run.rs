//! The loop of a poller: poll, wait, repeat until shutdown.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt as _;
use tokio::sync::watch;

use super::keyed::KeyTasks;
use super::telemetry::{PollOutcome, PollTelemetry};
use super::work::PollContext;
use super::{PollBody, Poller};

impl<C: PollContext> Poller<C> {
    /// Polls until `stop` turns true, then waits for the running work.
    pub(super) async fn run(self: &Arc<Self>, context: C, mut stop: watch::Receiver<bool>) {
        PollTelemetry::new(self.name).initialize(context.platform().clock.now());
        let mut tasks = KeyTasks::default();
        if self.skip_first_poll {
            self.wait_for_next_poll(&context, &mut stop).await;
        }
        while !*stop.borrow() {
            let found = self.poll(&context, &mut tasks, &stop).await;
            if found > 0
                && let Some(other_poller) = &self.wakes
            {
                other_poller.notify_one();
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

    /// Runs one poll and returns how many records it found. Logs and counts an error or a panic, which does not affect the next
    /// poll.
    async fn poll(
        self: &Arc<Self>,
        context: &C,
        tasks: &mut KeyTasks,
        stop: &watch::Receiver<bool>,
    ) -> usize {
        let telemetry = PollTelemetry::new(self.name);
        let poll = async {
            match &self.body {
                PollBody::Unkeyed(poll) => poll(context.clone(), telemetry).await,
                // Counts as idle, because the task of each key polls again itself.
                PollBody::Keyed(keyed_work) => {
                    tasks.start(keyed_work, self.repoll_while_found, context, stop).await.map(|()| 0)
                }
            }
        };
        let mut stop = stop.clone();
        let result = tokio::select! {
            result = AssertUnwindSafe(poll).catch_unwind() => result,
            _ = stop.wait_for(|stop| *stop), if self.cancel_on_shutdown => return 0,
        };
        let (outcome, found) = match result {
            Ok(Ok(0)) => (PollOutcome::Idle, 0),
            Ok(Ok(found)) => (PollOutcome::Progress, found),
            Ok(Err(error)) => {
                tracing::warn!(poller = self.name, ?error, "poll failed");
                (PollOutcome::Failed, 0)
            }
            Err(_) => {
                tracing::error!(poller = self.name, "poll panicked; the poller continues");
                (PollOutcome::Panicked, 0)
            }
        };
        telemetry.record_outcome(outcome, context.platform().clock.now());
        found
    }

    /// Waits for the interval, and then until the database is available, because each poll during an outage would only log an
    /// error. Returns early at shutdown.
    async fn wait_for_next_poll(&self, context: &C, stop: &mut watch::Receiver<bool>) {
        let next_poll = async {
            match &self.woken_by {
                Some(notify) => {
                    tokio::time::sleep(self.min_interval).await;
                    let remaining = self.interval.saturating_sub(self.min_interval);
                    // Waits for the notification or for the end of the interval, whichever comes first.
                    drop(tokio::time::timeout(remaining, notify.notified()).await);
                }
                None => tokio::time::sleep(self.interval).await,
            }
            context.platform().db.wait_until_available().await;
        };
        tokio::select! {
            () = next_poll => {}
            _ = stop.changed() => {}
        }
    }
}
