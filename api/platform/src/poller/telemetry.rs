//! Metrics and spans of polls, under the name of the poller: no other module of the pollers records any. A poll that finds nothing
//! only counts as idle.

use std::sync::Arc;
use std::time::Instant;

use panel_contract::moment::Time;
use panel_kernel::error::Result;
use tracing::Instrument as _;

use super::work::WorkSummary;
use crate::metrics::catalogue::{
    POLLER_CLAIMED, POLLER_DONE, POLLER_DURATION, POLLER_FAILED, POLLER_LAST_POLL, POLLER_PANICS,
    POLLER_POLLS, POLLER_RUNNING,
};
use crate::telemetry::spans;
use crate::telemetry::stats::UnitStats;

/// How a poll, or a key's work, ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    Idle,
    Progress,
    Failed,
    Panicked,
}

impl Outcome {
    const ALL: [Self; 4] = [Self::Idle, Self::Progress, Self::Failed, Self::Panicked];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Progress => "worked",
            Self::Failed => "failed",
            Self::Panicked => "panicked",
        }
    }
}

/// Records what one poller does.
#[derive(Debug, Clone, Copy)]
pub(super) struct PollTelemetry {
    poller: &'static str,
}

impl PollTelemetry {
    pub(super) const fn new(poller: &'static str) -> Self {
        Self { poller }
    }

    /// Starts the counters at 0, so that a rate is known from the first event on, and sets the last poll to now, so that an alert
    /// notices a poller whose first poll never ends.
    pub(super) fn begin(self, now: Time) {
        for counter in [&POLLER_CLAIMED, &POLLER_DONE, &POLLER_FAILED, &POLLER_PANICS] {
            counter.with([self.poller]).increment(0);
        }
        for outcome in Outcome::ALL {
            POLLER_POLLS.with([self.poller, outcome.as_str()]).increment(0);
        }
        POLLER_RUNNING.with([self.poller]).set(0);
        self.polled(now);
    }

    /// Records the work on `records` claimed records.
    pub(super) async fn work(
        self,
        records: usize,
        work: impl Future<Output = Result<WorkSummary>>,
    ) -> Result<WorkSummary> {
        POLLER_CLAIMED.with([self.poller]).increment(number(records));
        let begun = Instant::now();
        let running = Running::new(self.poller);
        let summary = self.in_span(None, work).await;
        drop(running);
        self.record_duration(begun);
        // An error leaves unknown how many records of the batch were done before it.
        self.record_summary(summary.as_ref().copied().unwrap_or(WorkSummary { done: 0, failed: records }));
        summary
    }

    /// Records the work on one key.
    pub(super) async fn keyed(
        self,
        key: i64,
        work: impl Future<Output = Result<WorkSummary>>,
    ) -> Result<WorkSummary> {
        self.task(self.in_span(Some(key), work)).await
    }

    /// Runs work in a span with its statistics of database use.
    async fn in_span(
        self,
        key: Option<i64>,
        work: impl Future<Output = Result<WorkSummary>>,
    ) -> Result<WorkSummary> {
        let (stats, span) = (Arc::new(UnitStats::default()), spans::poll(self.poller, key));
        let summary = UnitStats::scope(Arc::clone(&stats), work).instrument(span.clone()).await;
        if span.is_disabled() {
            return summary;
        }
        match &summary {
            Ok(WorkSummary { done, failed }) => {
                span.record("done", spans::number(number(*done)));
                span.record("failed", spans::number(number(*failed)));
            }
            Err(_) => {
                span.record("otel.status_code", "ERROR");
            }
        }
        span.record("statements", spans::number(stats.statements()));
        span.record("rows", spans::number(stats.rows()));
        span.record("db_ms", spans::number(stats.db_ms()));
        summary
    }

    /// Records work that claims by itself: its done and failed records count as claimed.
    pub(super) async fn task(self, work: impl Future<Output = Result<WorkSummary>>) -> Result<WorkSummary> {
        let begun = Instant::now();
        let running = Running::new(self.poller);
        let summary = work.await?;
        drop(running);
        if summary != WorkSummary::default() {
            self.record_duration(begun);
            let records = number(summary.done + summary.failed);
            POLLER_CLAIMED.with([self.poller]).increment(records);
            self.record_summary(summary);
        }
        Ok(summary)
    }

    /// Records the end of a poll or of a key's work.
    pub(super) fn ended(self, outcome: Outcome, now: Time) {
        POLLER_POLLS.with([self.poller, outcome.as_str()]).increment(1);
        if outcome == Outcome::Panicked {
            POLLER_PANICS.with([self.poller]).increment(1);
        }
        self.polled(now);
    }

    fn polled(self, now: Time) {
        let seconds = u32::try_from(now.0 / 1_000_000).unwrap_or(u32::MAX);
        POLLER_LAST_POLL.with([self.poller]).set(seconds);
    }

    fn record_summary(self, summary: WorkSummary) {
        POLLER_DONE.with([self.poller]).increment(number(summary.done));
        POLLER_FAILED.with([self.poller]).increment(number(summary.failed));
    }

    fn record_duration(self, begun: Instant) {
        POLLER_DURATION.with([self.poller]).record(begun.elapsed());
    }
}

fn number(records: usize) -> u64 {
    u64::try_from(records).unwrap_or(u64::MAX)
}

/// Counts running work; also correct where the work panics or is dropped.
struct Running(&'static str);

impl Running {
    fn new(poller: &'static str) -> Self {
        POLLER_RUNNING.with([poller]).increment(1);
        Self(poller)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        POLLER_RUNNING.with([self.0]).decrement(1);
    }
}
