//! One broadcast per process: who stirs, who listens, and the task between them.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use panel_contract::session::Counters;
use tokio::sync::{Notify, broadcast, watch};

use crate::app::App;
use crate::db::announce::{self, Ear};
use crate::jobs::rounds::wait_for_next_round;
use crate::live::counters;
use crate::live::seats::Seats;

/// The PostgreSQL channel that stirs travel on.
pub(crate) const CHANNEL: &str = "panel_live";
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
    let mut ear = Ear::new(CHANNEL);
    while !*stop.borrow() {
        tokio::select! {
            () = app.live.stirred.notified() => announce::say(&app.db, CHANNEL, "").await,
            said = ear.hear(&app.db) => if let Some((socket_id, family)) = said.split_once(' ') {
                app.live.seats.grant(socket_id, family);
                continue;
            },
            () = tokio::time::sleep(LONGEST_PAUSE) => {}
            _ = stop.changed() => break,
        }
        tell(&app, &mut last).await;
        wait_for_next_round(&app.db, PAUSE, &mut stop).await;
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
