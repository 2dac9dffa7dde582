//! Counts the live processes of this database. Each process sends a heartbeat every few seconds, and uses its share of a common
//! quota, such as the calls per second to a panel. This module never assigns work to processes: leases do.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use panel_contract::moment::Time;

use crate::db::Sql;

/// A process that has sent no heartbeat for this time counts as dead.
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
    /// The number of live processes, including this one.
    #[must_use]
    pub fn count(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }

    /// Sets the number of live processes; 0 counts as 1.
    pub fn set_count(&self, count: u32) {
        self.0.store(count.max(1), Ordering::Relaxed);
    }
}

/// Returns ` NOT EXISTS (…)`: the condition that the process whose instance is in `column` is dead or has deregistered. Also true
/// for a process before its first heartbeat, so the caller must also compare the time of the process's claim.
#[must_use]
pub fn is_dead(column: &'static str, now: Time) -> Sql {
    let sql = Sql::new(" NOT EXISTS (SELECT 1 FROM processes alive WHERE alive.instance = ").push(column);
    sql.push(" AND alive.heartbeat_at > ?)").bind(now.minus(PROCESS_TIMEOUT))
}
