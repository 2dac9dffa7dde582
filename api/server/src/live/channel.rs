//! One broadcast per process: who stirs, who listens, and the task between them.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use panel_contract::session::Counters;
use sqlx::postgres::{PgListener, PgPool};
use tokio::sync::{Notify, broadcast, watch};

use crate::app::App;
use crate::db::{Db, Source as _, Sql};
use crate::live::counters;
use crate::live::seats::Seats;

/// The PostgreSQL channel that stirs travel on.
const CHANNEL: &str = "panel_live";
/// Looks at the counters at most this often.
const PAUSE: Duration = Duration::from_millis(250);
/// Looks even when nobody stirred: another tool may have written.
const LONGEST_PAUSE: Duration = Duration::from_secs(15);

/// What every socket hears.
#[derive(Debug, Clone)]
pub enum Event {
    /// For every subscriber.
    Told {
        /// Its name.
        name: &'static str,
        /// Its `data`, a JSON text.
        data: Arc<str>,
    },
    /// These sockets are to be closed: the sign-in behind them ended.
    Ended(Arc<HashSet<String>>),
}

/// The live room of this process.
#[derive(Debug)]
pub struct Live {
    stirred: Notify,
    events: broadcast::Sender<Event>,
    pub(crate) seats: Seats,
}

impl Default for Live {
    fn default() -> Self {
        Self { stirred: Notify::new(), events: broadcast::channel(256).0, seats: Seats::default() }
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
        self.seats.count()
    }

    pub(crate) fn send(&self, event: Event) {
        // Nobody listening is no error.
        drop(self.events.send(event));
    }
}

/// Tells changes until `stop` says so.
pub async fn run(app: App, mut stop: watch::Receiver<bool>) {
    let mut last: Option<Counters> = None;
    let mut listener = None;
    while !*stop.borrow() {
        tokio::select! {
            () = app.live.stirred.notified() => notify(&app.db, "").await,
            said = heard(&app.db, &mut listener) => if let Some((socket_id, family)) = said.split_once(' ') {
                app.live.seats.grant(socket_id, family);
                continue;
            },
            () = tokio::time::sleep(LONGEST_PAUSE) => {}
            _ = stop.changed() => break,
        }
        tell(&app, &mut last).await;
        tokio::select! {
            () = tokio::time::sleep(PAUSE) => {}
            _ = stop.changed() => break,
        }
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
        app.live.send(Event::Told { name, data });
    }
}

/// Waits for what another process says (or this one: it is told as well); for ever where there is no other.
async fn heard(db: &Db, listener: &mut Option<PgListener>) -> String {
    let Db::Postgres(pool) = db else { return std::future::pending().await };
    loop {
        if listener.is_none() {
            *listener = listen_to(pool).await.ok();
        }
        match listener {
            Some(listener) => match listener.recv().await {
                Ok(said) => return said.payload().to_owned(),
                Err(error) => tracing::warn!(%error, "other processes cannot be heard"),
            },
            None => tracing::warn!("other processes cannot be heard"),
        }
        *listener = None;
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

async fn listen_to(pool: &PgPool) -> sqlx::Result<PgListener> {
    let mut listener = PgListener::connect_with(pool).await?;
    listener.listen(CHANNEL).await?;
    Ok(listener)
}

/// Says something to every process on the same PostgreSQL; nothing is a stir.
pub(crate) async fn notify(mut db: &Db, payload: &str) {
    let sql = Sql::new("SELECT CAST(pg_notify(?, ?) AS TEXT)").bind(CHANNEL).bind(payload);
    if let Db::Postgres(_) = db
        && let Err(error) = db.all::<(String,)>(sql).await
    {
        tracing::warn!(%error, "other processes cannot be told");
    }
}
