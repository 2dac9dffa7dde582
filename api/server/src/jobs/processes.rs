//! Which processes work on this database. Each says every few seconds that it lives and learns how many there are; what all
//! of them may do together in a second, such as calling a panel, each does its part of. It never decides who does what:
//! leases do.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use panel_contract::moment::Time;
use tokio::sync::watch;

use crate::app::App;
use crate::db::{DbResult, Source, Sql};
use crate::quarantine;

/// Between two signs of life.
const BEAT: Duration = Duration::from_secs(10);
/// Microseconds: a process that was not seen for so long is gone.
pub const GONE: i64 = 35_000_000;

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

/// Goes on saying that this process lives until `ended` turns true: as long as its work goes on, also while it stops.
pub async fn run(app: &App, mut ended: watch::Receiver<bool>) {
    while !*ended.borrow() {
        tokio::select! {
            () = tokio::time::sleep(BEAT) => say(app).await,
            _ = ended.changed() => {}
        }
    }
}

/// ` NOT EXISTS (…)`: whether the process whose instance is in `column` has given no sign of life for [`GONE`], or has
/// left. A process that has not said yet that it lives is gone by this too: compare the time of its claim as well.
#[must_use]
pub fn is_gone(column: &'static str, now: Time) -> Sql {
    let sql = Sql::new(" NOT EXISTS (SELECT 1 FROM processes alive WHERE alive.instance = ").push(column);
    sql.push(" AND alive.seen_at > ?)").bind(now.0 - GONE)
}

/// One sign of life, where the database takes it.
pub async fn say(app: &App) {
    if let Err(error) = beat(app).await {
        tracing::warn!(%error, "this process could not say that it lives");
    }
}

// Store

/// One sign of life. Those that are gone are forgotten, and what is left to share is shared anew.
pub async fn beat(app: &App) -> DbResult<()> {
    let now = app.clock.now();
    // Each by itself: two that forget each other after an outage must not wait for each other.
    let mut db = &app.db;
    sign(app).await?;
    db.exec(Sql::new("DELETE FROM processes WHERE seen_at < ?").bind(Time(now.0 - GONE))).await?;
    let (living,): (i64,) = db.one(Sql::new("SELECT count(*) FROM processes")).await?;
    app.processes.are(u32::try_from(living).unwrap_or(1));
    Ok(())
}

/// Writes that this process lives; `/readyz` finds out by it whether the database takes changes.
pub async fn sign(app: &App) -> DbResult<()> {
    let sql = Sql::new(
        "INSERT INTO processes (instance, seen_at) VALUES (?, ?) ON CONFLICT (instance) DO UPDATE SET seen_at = excluded.seen_at",
    );
    (&mut &app.db).exec(sql.bind(app.instance.as_str()).bind(app.clock.now())).await?;
    Ok(())
}

/// The others take over what was this one's part, and at once what it was cut off from; its work must have ended.
pub async fn leave(app: &App) -> DbResult<()> {
    quarantine::store::abandon_own(app).await?;
    let sql = Sql::new("DELETE FROM processes WHERE instance = ?").bind(app.instance.as_str());
    (&mut &app.db).exec(sql).await?;
    Ok(())
}
