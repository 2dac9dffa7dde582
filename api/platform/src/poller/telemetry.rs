//! Records the metrics and spans of polls under the name of the poller; no other module of the pollers records any. A poll that
//! finds no record only increments the count of idle polls.

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

/// How a poll, or the work on a key, ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PollOutcome {
    Idle,
    Progress,
    Failed,
    Panicked,
}

impl PollOutcome {
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

/// Records the metrics and spans of one poller.
#[derive(Debug, Clone, Copy)]
pub(super) struct PollTelemetry {
    poller: &'static str,
}

impl PollTelemetry {
    pub(super) const fn new(poller: &'static str) -> Self {
        Self { poller }
    }

    /// Creates the counters at 0, so that a rate includes the first event, and sets the time of the last poll to now, so that an
    /// alert detects a poller whose first poll never ends.
    pub(super) fn initialize(self, now: Time) {
        for counter in [&POLLER_CLAIMED, &POLLER_DONE, &POLLER_FAILED, &POLLER_PANICS] {
            counter.with_labels([self.poller]).increment(0);
        }
        for outcome in PollOutcome::ALL {
            POLLER_POLLS.with_labels([self.poller, outcome.as_str()]).increment(0);
        }
        POLLER_RUNNING.with_labels([self.poller]).set(0);
        self.set_last_poll(now);
    }

    /// Runs the work on so many claimed records and records its metrics and span.
    pub(super) async fn measure_batch(
        self,
        records: usize,
        work: impl Future<Output = Result<WorkSummary>>,
    ) -> Result<WorkSummary> {
        POLLER_CLAIMED.with_labels([self.poller]).increment(to_u64(records));
        let started_at = Instant::now();
        let running = RunningGuard::new(self.poller);
        let summary = self.run_in_span(None, work).await;
        drop(running);
        self.record_duration(started_at);
        // After an error it is unknown how many records of the batch were done before.
        self.record_summary(summary.as_ref().copied().unwrap_or(WorkSummary { done: 0, failed: records }));
        summary
    }

    /// Runs the work on one key and records its metrics and span.
    pub(super) async fn measure_key(
        self,
        key: i64,
        work: impl Future<Output = Result<WorkSummary>>,
    ) -> Result<WorkSummary> {
        self.measure_task(self.run_in_span(Some(key), work)).await
    }

    /// Runs work in a span that includes the statistics of its database statements.
    async fn run_in_span(
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
                span.record("done", spans::to_i64(to_u64(*done)));
                span.record("failed", spans::to_i64(to_u64(*failed)));
            }
            Err(_) => {
                span.record("otel.status_code", "ERROR");
            }
        }
        span.record("statements", spans::to_i64(stats.statements()));
        span.record("rows", spans::to_i64(stats.rows()));
        span.record("db_ms", spans::to_i64(stats.db_ms()));
        summary
    }

    /// Runs work that claims records itself and records its metrics: its done and failed records count as claimed.
    pub(super) async fn measure_task(
        self,
        work: impl Future<Output = Result<WorkSummary>>,
    ) -> Result<WorkSummary> {
        let started_at = Instant::now();
        let running = RunningGuard::new(self.poller);
        let summary = work.await?;
        drop(running);
        if summary != WorkSummary::default() {
            self.record_duration(started_at);
            let records = to_u64(summary.done + summary.failed);
            POLLER_CLAIMED.with_labels([self.poller]).increment(records);
            self.record_summary(summary);
        }
        Ok(summary)
    }

    /// Records the end of a poll, or of the work on a key.
    pub(super) fn record_outcome(self, outcome: PollOutcome, now: Time) {
        POLLER_POLLS.with_labels([self.poller, outcome.as_str()]).increment(1);
        if outcome == PollOutcome::Panicked {
            POLLER_PANICS.with_labels([self.poller]).increment(1);
        }
        self.set_last_poll(now);
    }

    fn set_last_poll(self, now: Time) {
        let seconds = u32::try_from(now.0 / 1_000_000).unwrap_or(u32::MAX);
        POLLER_LAST_POLL.with_labels([self.poller]).set(seconds);
    }

    fn record_summary(self, summary: WorkSummary) {
        POLLER_DONE.with_labels([self.poller]).increment(to_u64(summary.done));
        POLLER_FAILED.with_labels([self.poller]).increment(to_u64(summary.failed));
    }

    fn record_duration(self, started_at: Instant) {
        POLLER_DURATION.with_labels([self.poller]).record(started_at.elapsed());
    }
}

fn to_u64(records: usize) -> u64 {
    u64::try_from(records).unwrap_or(u64::MAX)
}

/// Counts running work, and stops counting it even if the work panics or is dropped.
struct RunningGuard(&'static str);

impl RunningGuard {
    fn new(poller: &'static str) -> Self {
        POLLER_RUNNING.with_labels([poller]).increment(1);
        Self(poller)
    }
}

impl Drop for RunningGuard {
    fn drop(&mut self) {
        POLLER_RUNNING.with_labels([self.0]).decrement(1);
    }
}
