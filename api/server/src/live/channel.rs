//! One broadcast per process: who stirs, who listens, and the task between them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use panel_contract::session::Counters;
use sqlx::postgres::PgListener;
use tokio::sync::{Notify, broadcast, watch};

use crate::app::App;
use crate::db::{Db, Source as _, Sql};
use crate::live::counters;

/// The PostgreSQL channel that stirs travel on.
const CHANNEL: &str = "panel_live";
/// Looks at the counters at most this often.
const PAUSE: Duration = Duration::from_millis(250);
/// Looks even when nobody stirred: another tool may have written.
const LONGEST_PAUSE: Duration = Duration::from_secs(15);

/// An event for every subscriber.
#[derive(Debug, Clone)]
pub struct Event {
    /// Its name.
    pub name: &'static str,
    /// Its `data`, a JSON text.
    pub data: Arc<str>,
}

/// The live room of this process.
#[derive(Debug)]
pub struct Live {
    stirred: Notify,
    events: broadcast::Sender<Event>,
    /// Open sockets.
    pub(crate) sockets: AtomicUsize,
}

impl Default for Live {
    fn default() -> Self {
        Self { stirred: Notify::new(), events: broadcast::channel(256).0, sockets: AtomicUsize::new(0) }
    }
}

impl Live {
    /// A commit may have changed what is counted.
    pub fn stir(&self) {
        self.stirred.notify_one();
    }

    /// Listens.
    #[must_use]
    pub fn listen(&self) -> broadcast::Receiver<Event> {
        self.events.subscribe()
    }

    /// Open sockets.
    #[must_use]
    pub fn open_sockets(&self) -> usize {
        self.sockets.load(Ordering::Relaxed)
    }
}

/// Tells changes until `stop` says so.
pub async fn run(app: App, mut stop: watch::Receiver<bool>) {
    let mut last: Option<Counters> = None;
    let mut listener = listen_to(&app.db).await;
    while !*stop.borrow() {
        tokio::select! {
            () = app.live.stirred.notified() => pass_on(&app.db).await,
            () = heard(&mut listener) => {}
            () = tokio::time::sleep(LONGEST_PAUSE) => {}
            _ = stop.changed() => break,
        }
        tell(&app, &mut last).await;
        tokio::time::sleep(PAUSE).await;
    }
}

async fn tell(app: &App, last: &mut Option<Counters>) {
    let now = match counters::read(&mut &app.db).await {
        Ok(now) => now,
        Err(error) => return tracing::warn!(?error, "the live counters cannot be read"),
    };
    // The first look tells everything: subscribers may hold numbers from before this process started.
    let before = last.replace(now).unwrap_or(Counters {
        orders_in_moderation_count: -1,
        orders_in_processing_count: -1,
        orders_with_no_active_providers_count: -1,
        free_trials_in_pending_count: -1,
    });
    for (name, count) in counters::changes(before, now) {
        let data = serde_json::json!({ "count": count }).to_string().into();
        // Nobody listening is no error.
        drop(app.live.events.send(Event { name, data }));
    }
}

async fn listen_to(db: &Db) -> Option<PgListener> {
    let Db::Postgres(pool) = db else { return None };
    let mut listener = PgListener::connect_with(pool).await.ok()?;
    listener.listen(CHANNEL).await.ok()?;
    Some(listener)
}

/// Waits for another process's stir; for ever where there is none.
async fn heard(listener: &mut Option<PgListener>) {
    match listener {
        Some(listener) => {
            if listener.recv().await.is_err() {
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
        }
        None => std::future::pending().await,
    }
}

/// Tells the other processes on the same PostgreSQL.
async fn pass_on(mut db: &Db) {
    if let Db::Postgres(_) = db
        && let Err(error) =
            db.all::<(String,)>(Sql::new("SELECT CAST(pg_notify(?, '') AS TEXT)").bind(CHANNEL)).await
    {
        tracing::warn!(%error, "other processes cannot be told");
    }
}
