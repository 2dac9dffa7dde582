//! Heartbeats: this process records every few seconds that it is alive, and reads how many processes are.

use crate::db::{DbResult, Source, Sql};
use crate::jobs::processes::PROCESS_TIMEOUT;
use crate::platform::Platform;
use crate::quarantine;

/// Records a heartbeat, deletes dead processes and updates the number of live ones, by which quotas are shared.
pub async fn send_heartbeat(platform: &Platform) -> DbResult<()> {
    let now = platform.clock.now();
    // Separate statements: two processes that delete each other after an outage must not deadlock.
    let mut db = &platform.db;
    record_heartbeat(platform).await?;
    db.exec(Sql::new("DELETE FROM processes WHERE seen_at < ?").bind(now.before(PROCESS_TIMEOUT))).await?;
    let (living,): (i64,) = db.one(Sql::new("SELECT count(*) FROM processes")).await?;
    platform.processes.set_count(u32::try_from(living).unwrap_or(1));
    Ok(())
}

/// Writes the heartbeat of this process; `/readyz` uses it to check that the database accepts writes.
pub async fn record_heartbeat(platform: &Platform) -> DbResult<()> {
    let sql = Sql::new(
        "INSERT INTO processes (instance, seen_at) VALUES (?, ?) ON CONFLICT (instance) DO UPDATE SET seen_at = excluded.seen_at",
    );
    (&mut &platform.db).exec(sql.bind(platform.instance.as_str()).bind(platform.clock.now())).await?;
    Ok(())
}

/// Deregisters this process after its work has ended: the others share its part of the quotas and take over its interrupted batches
/// at once.
pub async fn deregister(platform: &Platform) -> DbResult<()> {
    quarantine::store::suspect_own_batches(platform).await?;
    let sql = Sql::new("DELETE FROM processes WHERE instance = ?").bind(platform.instance.as_str());
    (&mut &platform.db).exec(sql).await?;
    Ok(())
}
