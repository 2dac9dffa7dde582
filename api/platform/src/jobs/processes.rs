//! The live processes of this database. Each sends a heartbeat every few seconds and reads how many there are; each uses its share
//! of a common quota, such as the calls per second to a panel. It never assigns work to processes: leases do.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use panel_contract::moment::Time;

use crate::db::Sql;

/// A process without a heartbeat for this time is dead.
pub const PROCESS_TIMEOUT: Duration = Duration::from_secs(35);

/// Number of live processes at the last heartbeat; one before the first. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Processes(Arc<AtomicU32>);

impl Default for Processes {
    fn default() -> Self {
        Self(Arc::new(AtomicU32::new(1)))
    }
}

impl Processes {
    /// The number, this process included.
    #[must_use]
    pub fn count(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }

    /// Sets the number; at least one.
    pub fn set_count(&self, count: u32) {
        self.0.store(count.max(1), Ordering::Relaxed);
    }
}

/// ` NOT EXISTS (…)`: whether the process whose instance is in `column` has sent no heartbeat for [`PROCESS_TIMEOUT`], or has
/// deregistered. Also true for a process before its first heartbeat: compare the time of its claim as well.
#[must_use]
pub fn is_gone(column: &'static str, now: Time) -> Sql {
    let sql = Sql::new(" NOT EXISTS (SELECT 1 FROM processes alive WHERE alive.instance = ").push(column);
    sql.push(" AND alive.seen_at > ?)").bind(now.before(PROCESS_TIMEOUT))
}
