//! The loop of a poller: poll, wait, and again. The only loop of background work that runs until the process is to end.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt as _;
use tokio::sync::watch;

use super::keyed::KeyTasks;
use super::telemetry::{Outcome, PollTelemetry};
use super::worked::PollContext;
use super::{Body, Poller};

impl<C: PollContext> Poller<C> {
    /// Polls until `stop` turns true; then what was begun is brought to its end.
    pub(super) async fn run(self: &Arc<Self>, context: C, mut stop: watch::Receiver<bool>) {
        PollTelemetry::new(self.name).begin(context.platform().clock.now());
        let mut tasks = KeyTasks::default();
        if self.first_after_interval {
            self.pause(&context, &mut stop).await;
        }
        while !*stop.borrow() {
            let found = self.poll(&context, &mut tasks, &stop).await;
            if found > 0
                && let Some(other) = &self.wakes
            {
                other.notify_one();
            }
            if found == 0 || !self.again_while_found {
                self.pause(&context, &mut stop).await;
            }
        }
        tasks.drain().await;
        if let Some(end) = &self.end {
            end().await;
        }
    }

    /// One poll; how many records it found. An error or a panic is logged and counted, and the next poll begins anew.
    async fn poll(
        self: &Arc<Self>,
        context: &C,
        tasks: &mut KeyTasks,
        stop: &watch::Receiver<bool>,
    ) -> usize {
        let telemetry = PollTelemetry::new(self.name);
        let poll = async {
            match &self.body {
                Body::Whole(poll) => poll(context.clone(), telemetry).await,
                // Each key polls again by itself.
                Body::Keyed(keyed) => {
                    tasks.start(keyed, self.again_while_found, context, stop).await.map(|()| 0)
                }
            }
        };
        let mut stop = stop.clone();
        let ended = tokio::select! {
            ended = AssertUnwindSafe(poll).catch_unwind() => ended,
            _ = stop.wait_for(|stop| *stop), if self.dropped_at_stop => return 0,
        };
        let (outcome, found) = match ended {
            Ok(Ok(0)) => (Outcome::Idle, 0),
            Ok(Ok(found)) => (Outcome::Worked, found),
            Ok(Err(error)) => {
                tracing::warn!(poller = self.name, ?error, "a poll failed");
                (Outcome::Failed, 0)
            }
            Err(_) => {
                tracing::error!(poller = self.name, "a poll panicked; it runs again");
                (Outcome::Panicked, 0)
            }
        };
        telemetry.ended(outcome, context.platform().clock.now());
        found
    }

    /// Waits for the next poll, and on while the database is away: each poll would only log that it failed. `stop` ends it.
    async fn pause(&self, context: &C, stop: &mut watch::Receiver<bool>) {
        let next = async {
            match &self.woken_by {
                Some(by) => {
                    tokio::time::sleep(self.min_interval).await;
                    let rest = self.every.saturating_sub(self.min_interval);
                    // Either is a reason to poll.
                    drop(tokio::time::timeout(rest, by.notified()).await);
                }
                None => tokio::time::sleep(self.every).await,
            }
            context.platform().db.until_available().await;
        };
        tokio::select! {
            () = next => {}
            _ = stop.changed() => {}
        }
    }
}
