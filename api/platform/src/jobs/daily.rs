//! Work of once a day, by one process at a time: a row of `call_paces` says when it is due, and is a lease while it runs. A
//! run that ends early is taken up again once its lease is over, or at once where its process is gone. It knows nothing of
//! the work.

use panel_contract::moment::Time;
use panel_kernel::error::Result;

use crate::db::{Source, Sql};
use crate::jobs::processes;
use crate::platform::Platform;

/// Microseconds between two runs.
const DAY: i64 = 86_400_000_000;
/// Microseconds that a process has for one part of a run before another process takes it up.
const LEASE: i64 = 600_000_000;

/// Today's run of some work, which this process holds.
#[derive(Debug)]
pub struct Daily {
    name: &'static str,
    lease: Time,
}

impl Daily {
    /// Takes today's run; none where it is not due, or another process has it.
    pub async fn take(platform: &Platform, name: &'static str) -> Result<Option<Self>> {
        let now = platform.clock.now();
        let lease = Time(now.0 + LEASE);
        let sql = Sql::new(
            "INSERT INTO call_paces (name, next_at, held_by) VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE
             SET next_at = excluded.next_at, held_by = excluded.held_by
             WHERE call_paces.next_at <= ? OR (call_paces.held_by IS NOT NULL AND call_paces.next_at <= ? AND",
        );
        let sql = sql.bind(name).bind(lease).bind(platform.instance.as_str()).bind(now);
        let sql =
            sql.bind(now.0 + LEASE - processes::GONE).append(processes::is_gone("call_paces.held_by", now));
        let taken = (&mut &platform.db).exec(sql.push(")")).await?;
        Ok((taken == 1).then_some(Self { name, lease }))
    }

    /// Keeps the run for another part; false where it is another process's by now.
    pub async fn keep(&mut self, platform: &Platform) -> Result<bool> {
        let next = Time(platform.clock.now().0 + LEASE);
        let sql =
            Sql::new("UPDATE call_paces SET next_at = ? WHERE name = ? AND next_at = ? AND held_by = ?");
        let sql = sql.bind(next).bind(self.name).bind(self.lease).bind(platform.instance.as_str());
        let is_kept = (&mut &platform.db).exec(sql).await? == 1;
        self.lease = next;
        Ok(is_kept)
    }

    /// The run is over until the next day.
    pub async fn end(&self, platform: &Platform) -> Result<()> {
        let next = (platform.clock.now().0 / DAY + 1) * DAY;
        let sql = Sql::new(
            "UPDATE call_paces SET next_at = ?, held_by = NULL WHERE name = ? AND next_at = ? AND held_by = ?",
        );
        let sql = sql.bind(next).bind(self.name).bind(self.lease).bind(platform.instance.as_str());
        (&mut &platform.db).exec(sql).await?;
        Ok(())
    }
}
