//! Signs of life: this process says every few seconds that it lives, and learns how many others do.

use crate::db::{DbResult, Source, Sql};
use crate::jobs::processes::GONE;
use crate::platform::Platform;
use crate::quarantine;

/// One sign of life. Those that are gone are forgotten, and what is left to share is shared anew.
pub async fn beat(platform: &Platform) -> DbResult<()> {
    let now = platform.clock.now();
    // Each by itself: two that forget each other after an outage must not wait for each other.
    let mut db = &platform.db;
    sign(platform).await?;
    db.exec(Sql::new("DELETE FROM processes WHERE seen_at < ?").bind(now.before(GONE))).await?;
    let (living,): (i64,) = db.one(Sql::new("SELECT count(*) FROM processes")).await?;
    platform.processes.are(u32::try_from(living).unwrap_or(1));
    Ok(())
}

/// Writes that this process lives; `/readyz` finds out by it whether the database takes changes.
pub async fn sign(platform: &Platform) -> DbResult<()> {
    let sql = Sql::new(
        "INSERT INTO processes (instance, seen_at) VALUES (?, ?) ON CONFLICT (instance) DO UPDATE SET seen_at = excluded.seen_at",
    );
    (&mut &platform.db).exec(sql.bind(platform.instance.as_str()).bind(platform.clock.now())).await?;
    Ok(())
}

/// The others take over what was this one's part, and at once what it was cut off from; its work must have ended.
pub async fn leave(platform: &Platform) -> DbResult<()> {
    quarantine::store::abandon_own(platform).await?;
    let sql = Sql::new("DELETE FROM processes WHERE instance = ?").bind(platform.instance.as_str());
    (&mut &platform.db).exec(sql).await?;
    Ok(())
}
