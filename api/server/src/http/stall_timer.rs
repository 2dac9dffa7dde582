//! The write timeout of a connection. If writes are blocked without progress for longer than the limit, because the client does not
//! read, the connection closes. This module must never parse the bytes.

use crate::metrics::CONNECTIONS_CLOSED;
use std::future::Future as _;
use std::io::{Error, ErrorKind, Result};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};

/// Watches the writes of one connection.
#[derive(Debug)]
pub(crate) struct StallTimer {
    rule: StallRule,
    timer: Option<Pin<Box<Sleep>>>,
}

impl StallTimer {
    /// Creates a timer that makes writes fail if they are blocked without progress for `limit`.
    pub(crate) fn new(limit: Duration) -> Self {
        Self { rule: StallRule { limit, blocked_since: None }, timer: None }
    }

    /// Returns the result of a write, or an error if the client has not read a byte for too long.
    pub(crate) fn observe(
        &mut self,
        cx: &mut Context<'_>,
        write_result: Poll<Result<usize>>,
    ) -> Poll<Result<usize>> {
        let Some(deadline) = self.rule.deadline(write_result.is_pending(), Instant::now()) else {
            self.timer = None;
            return write_result;
        };
        // The timer wakes the connection's task, which tries to write again. If that write is blocked too, the deadline has passed.
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep_until(deadline)));
        ready!(timer.as_mut().poll(cx));
        CONNECTIONS_CLOSED.with_labels(["unread"]).increment(1);
        Poll::Ready(Err(Error::new(ErrorKind::TimedOut, "the client does not read the response")))
    }
}

/// Computes the deadline of blocked writes.
#[derive(Debug)]
struct StallRule {
    limit: Duration,
    /// Time of the first blocked write since the last progress; `None` if no write is blocked.
    blocked_since: Option<Instant>,
}

impl StallRule {
    /// The deadline after a write at `now`; `None` if the write made progress.
    fn deadline(&mut self, is_blocked: bool, now: Instant) -> Option<Instant> {
        if !is_blocked {
            self.blocked_since = None;
            return None;
        }
        Some(*self.blocked_since.get_or_insert(now) + self.limit)
    }
}

#[cfg(test)]
mod tests {
    use std::task::Waker;

    use super::*;

    #[test]
    fn only_progress_extends_the_deadline() {
        let start = Instant::now();
        let after_secs = |seconds| start + Duration::from_secs(seconds);
        let mut rule = StallRule { limit: Duration::from_secs(30), blocked_since: None };
        assert_eq!(rule.deadline(false, after_secs(0)), None);
        assert_eq!(rule.deadline(true, after_secs(10)), Some(after_secs(40)));
        assert_eq!(
            rule.deadline(true, after_secs(39)),
            Some(after_secs(40)),
            "another blocked attempt must not extend the deadline"
        );
        assert_eq!(rule.deadline(false, after_secs(39)), None);
        assert_eq!(rule.deadline(true, after_secs(50)), Some(after_secs(80)));
    }

    #[tokio::test]
    async fn a_write_that_stays_blocked_times_out() {
        let mut cx = Context::from_waker(Waker::noop());
        let mut timer = StallTimer::new(Duration::from_secs(3_600));
        assert!(timer.observe(&mut cx, Poll::Pending).is_pending());
        assert!(matches!(timer.observe(&mut cx, Poll::Ready(Ok(1))), Poll::Ready(Ok(1))));
        // The timer wakes the task without another event.
        let mut timer = StallTimer::new(Duration::ZERO);
        let error = std::future::poll_fn(|cx| timer.observe(cx, Poll::Pending)).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TimedOut);
    }
}
