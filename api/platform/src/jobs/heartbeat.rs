//! Heartbeats: this process records every few seconds that it is alive, and counts the live processes.

use crate::db::{DbResult, Sql, SqlExecutor};
use crate::jobs::processes::PROCESS_TIMEOUT;
use crate::platform::Platform;
use crate::quarantine;

/// Records a heartbeat, deletes dead processes, and updates the number of live processes, which share the quotas.
pub async fn send_heartbeat(platform: &Platform) -> DbResult<()> {
    let now = platform.clock.now();
    // Separate statements: two processes that delete each other after an outage must not deadlock.
    let mut db = &platform.db;
    record_heartbeat(platform).await?;
    db.execute(Sql::new("DELETE FROM processes WHERE heartbeat_at < ?").bind(now.minus(PROCESS_TIMEOUT)))
        .await?;
    let (live_processes,): (i64,) = db.fetch_one(Sql::new("SELECT count(*) FROM processes")).await?;
    platform.processes.set_count(u32::try_from(live_processes).unwrap_or(1));
    Ok(())
}

/// Writes the heartbeat of this process; `/readyz` uses it to check that the database accepts writes.
pub async fn record_heartbeat(platform: &Platform) -> DbResult<()> {
    let sql = Sql::new(
        "INSERT INTO processes (instance, heartbeat_at) VALUES (?, ?) ON CONFLICT (instance) DO UPDATE SET heartbeat_at = excluded.heartbeat_at",
    );
    (&mut &platform.db).execute(sql.bind(platform.instance.as_str()).bind(platform.clock.now())).await?;
    Ok(())
}

/// Deregisters this process at the end of its work: the other processes immediately share its part of the quotas and take over
/// its interrupted batches.
pub async fn deregister(platform: &Platform) -> DbResult<()> {
    quarantine::store::suspect_own_batches(platform).await?;
    let sql = Sql::new("DELETE FROM processes WHERE instance = ?").bind(platform.instance.as_str());
    (&mut &platform.db).execute(sql).await?;
    Ok(())
}
