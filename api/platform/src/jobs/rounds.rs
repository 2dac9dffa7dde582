//! The pause between two rounds of background work. It reads and writes nothing.

use std::time::Duration;

use tokio::sync::watch;

use crate::db::Db;

/// Waits this long, and on while the database is away: each round would only log that it failed. `stop` ends it.
pub async fn wait_for_next_round(db: &Db, least: Duration, stop: &mut watch::Receiver<bool>) {
    let next = async {
        tokio::time::sleep(least).await;
        db.until_available().await;
    };
    tokio::select! {
        () = next => {}
        _ = stop.changed() => {}
    }
}
