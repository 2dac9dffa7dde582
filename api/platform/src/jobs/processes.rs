//! Which processes work on this database. Each says every few seconds that it lives and learns how many there are; what all
//! of them may do together in a second, such as calling a panel, each does its part of. It never decides who does what:
//! leases do.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use panel_contract::moment::Time;

use crate::db::Sql;

/// A process that was not seen for so long is gone.
pub const GONE: Duration = Duration::from_secs(35);

/// How many processes there are, as far as this one knows: one until it read of others. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Processes(Arc<AtomicU32>);

impl Default for Processes {
    fn default() -> Self {
        Self(Arc::new(AtomicU32::new(1)))
    }
}

impl Processes {
    /// How many, this one included.
    #[must_use]
    pub fn number(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }

    /// So many from now on.
    pub fn are(&self, number: u32) {
        self.0.store(number.max(1), Ordering::Relaxed);
    }
}

/// ` NOT EXISTS (…)`: whether the process whose instance is in `column` has given no sign of life for [`GONE`], or has
/// left. A process that has not said yet that it lives is gone by this too: compare the time of its claim as well.
#[must_use]
pub fn is_gone(column: &'static str, now: Time) -> Sql {
    let sql = Sql::new(" NOT EXISTS (SELECT 1 FROM processes alive WHERE alive.instance = ").push(column);
    sql.push(" AND alive.seen_at > ?)").bind(now.before(GONE))
}
