//! What a request or a poll asked of the database, counted also where no span is recorded.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

tokio::task_local! {
    static CURRENT: Arc<UnitStats>;
}

/// Statements, rows and time of one unit of work.
#[derive(Debug, Default)]
pub struct UnitStats {
    statements: AtomicU64,
    rows: AtomicU64,
    micros: AtomicU64,
}

impl UnitStats {
    /// Runs `work` and counts what it asks of the database. What it spawns is not counted.
    pub async fn scope<T>(stats: Arc<Self>, work: impl Future<Output = T>) -> T {
        CURRENT.scope(stats, work).await
    }

    /// Counts a statement of the current unit of work; outside of one nothing is counted.
    pub(crate) fn count(rows: u64, took: Duration) {
        // Without a unit of work around the statement there is nothing to count for.
        let _is_outside = CURRENT.try_with(|stats| {
            stats.statements.fetch_add(1, Ordering::Relaxed);
            stats.rows.fetch_add(rows, Ordering::Relaxed);
            let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
            stats.micros.fetch_add(micros, Ordering::Relaxed);
        });
    }

    /// Statements until now.
    #[must_use]
    pub fn statements(&self) -> u64 {
        self.statements.load(Ordering::Relaxed)
    }

    /// Rows that were read or written.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.rows.load(Ordering::Relaxed)
    }

    /// Milliseconds that statements took, waits for a connection aside.
    #[must_use]
    pub fn db_ms(&self) -> u64 {
        self.micros.load(Ordering::Relaxed) / 1_000
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn statements_are_counted_for_the_unit_of_work_around_them() {
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
