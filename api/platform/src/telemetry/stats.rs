//! Counts the database statements of a request or a poll, even if no span is recorded.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

tokio::task_local! {
    static CURRENT: Arc<UnitStats>;
}

/// Statements, rows and database time of one request or poll.
#[derive(Debug, Default)]
pub struct UnitStats {
    statements: AtomicU64,
    rows: AtomicU64,
    micros: AtomicU64,
}

impl UnitStats {
    /// Runs `work` and counts its statements, without those of tasks that it spawns.
    pub async fn scope<T>(stats: Arc<Self>, work: impl Future<Output = T>) -> T {
        CURRENT.scope(stats, work).await
    }

    /// Counts a statement of the current request or poll; does nothing outside of them.
    pub(crate) fn count(rows: u64, duration: Duration) {
        let _outside_of_scope = CURRENT.try_with(|stats| {
            stats.statements.fetch_add(1, Ordering::Relaxed);
            stats.rows.fetch_add(rows, Ordering::Relaxed);
            let micros = u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
            stats.micros.fetch_add(micros, Ordering::Relaxed);
        });
    }

    /// Number of statements so far.
    #[must_use]
    pub fn statements(&self) -> u64 {
        self.statements.load(Ordering::Relaxed)
    }

    /// Number of rows read or written so far.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.rows.load(Ordering::Relaxed)
    }

    /// Milliseconds spent in statements, without waits for a connection.
    #[must_use]
    pub fn db_ms(&self) -> u64 {
        self.micros.load(Ordering::Relaxed) / 1_000
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn counts_statements_for_the_innermost_scope() {
        let (outer, inner) = (Arc::new(UnitStats::default()), Arc::new(UnitStats::default()));
        UnitStats::count(7, Duration::from_secs(1));
        UnitStats::scope(Arc::clone(&outer), async {
            UnitStats::count(2, Duration::from_millis(3));
            UnitStats::scope(Arc::clone(&inner), async { UnitStats::count(5, Duration::ZERO) }).await;
            UnitStats::count(1, Duration::from_micros(1_500));
        })
        .await;
        assert_eq!((outer.statements(), outer.rows(), outer.db_ms()), (2, 3, 4));
        assert_eq!((inner.statements(), inner.rows(), inner.db_ms()), (1, 5, 0));
    }
}
