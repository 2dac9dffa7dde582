//! What is recorded of a poll, under its poller's name: the only place of the pollers that knows metrics and spans. Ticks that find
//! nothing record no more than that they were idle.

use std::sync::Arc;
use std::time::Instant;

use panel_contract::moment::Time;
use panel_kernel::error::Result;
use tracing::Instrument as _;

use super::worked::Worked;
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
    Worked,
    Failed,
    Panicked,
}

impl Outcome {
    const ALL: [Self; 4] = [Self::Idle, Self::Worked, Self::Failed, Self::Panicked];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Worked => "worked",
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

    /// Its counters begin at 0, so that a rate is known from the first event on, and its last poll is now, so that one that never
    /// ends its first poll is seen.
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

    /// The work on so many claimed records.
    pub(super) async fn work(
        self,
        records: usize,
        work: impl Future<Output = Result<Worked>>,
    ) -> Result<Worked> {
        POLLER_CLAIMED.with([self.poller]).increment(number(records));
        let begun = Instant::now();
        let running = Running::new(self.poller);
        let worked = self.in_span(None, work).await;
        drop(running);
        self.record_duration(begun);
        // The error does not say how many records of the batch were done before it.
        self.record_worked(worked.as_ref().copied().unwrap_or(Worked { done: 0, failed: records }));
        worked
    }

    /// Work for a key that has something due.
    pub(super) async fn keyed(self, key: i64, work: impl Future<Output = Result<Worked>>) -> Result<Worked> {
        self.task(self.in_span(Some(key), work)).await
    }

    /// The span of work on what is due, with what it asked of the database.
    async fn in_span(self, key: Option<i64>, work: impl Future<Output = Result<Worked>>) -> Result<Worked> {
        let (stats, span) = (Arc::new(UnitStats::default()), spans::poll(self.poller, key));
        let worked = UnitStats::scope(Arc::clone(&stats), work).instrument(span.clone()).await;
        if span.is_disabled() {
            return worked;
        }
        match &worked {
            Ok(Worked { done, failed }) => {
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
        worked
    }

    /// Work that claims by itself: what it did was claimed.
    pub(super) async fn task(self, work: impl Future<Output = Result<Worked>>) -> Result<Worked> {
        let begun = Instant::now();
        let running = Running::new(self.poller);
        let worked = work.await?;
        drop(running);
        if worked != Worked::default() {
            self.record_duration(begun);
            let records = number(worked.done + worked.failed);
            POLLER_CLAIMED.with([self.poller]).increment(records);
            self.record_worked(worked);
        }
        Ok(worked)
    }

    /// The end of a poll or of a key's work.
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

    fn record_worked(self, worked: Worked) {
        POLLER_DONE.with([self.poller]).increment(number(worked.done));
        POLLER_FAILED.with([self.poller]).increment(number(worked.failed));
    }

    fn record_duration(self, begun: Instant) {
        POLLER_DURATION.with([self.poller]).record(begun.elapsed());
    }
}

fn number(records: usize) -> u64 {
    u64::try_from(records).unwrap_or(u64::MAX)
}

/// Counts work that is under way, also where it panics or is dropped.
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
