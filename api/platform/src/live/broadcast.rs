//! Publishes changed counters to every socket, after a commit and now and then.

use std::time::Duration;

use panel_contract::session::Counters;
use tokio::sync::watch;

use crate::db::notify::{ChannelListener, notify};
use crate::jobs::rounds::wait_for_next_round;
use crate::live::channel::{CHANNEL, Event};
use crate::live::counters;
use crate::platform::Platform;

/// Looks at least this often, as another program may have written.
const LONGEST_PAUSE: Duration = Duration::from_secs(15);

/// Looks at the counters at most this often.
const PAUSE: Duration = Duration::from_millis(250);

/// Publishes changes until `stop` turns true.
pub async fn run(platform: Platform, mut stop: watch::Receiver<bool>) {
    let mut last: Option<Counters> = None;
    let mut listener = ChannelListener::new(CHANNEL);
    while !*stop.borrow() {
        tokio::select! {
            () = platform.live.changed.notified() => notify(&platform.db, CHANNEL, "").await,
            payload = listener.next_payload(&platform.db) => if let Some((socket_id, family)) = payload.split_once(' ') {
                platform.live.seats.grant(socket_id, family);
                continue;
            },
            () = tokio::time::sleep(LONGEST_PAUSE) => {}
            _ = stop.changed() => break,
        }
        publish_changes(&platform, &mut last).await;
        wait_for_next_round(&platform.db, PAUSE, &mut stop).await;
    }
}

async fn publish_changes(platform: &Platform, last: &mut Option<Counters>) {
    let now = match counters::read(&mut &platform.db).await {
        Ok(now) => now,
        Err(error) => return tracing::warn!(?error, "the live counters cannot be read"),
    };
    // The first look publishes everything: subscribers may hold numbers from before this process started.
    let before = last.replace(now).unwrap_or(Counters {
        orders_in_moderation_count: -1,
        orders_in_processing_count: -1,
        orders_with_no_active_providers_count: -1,
        free_trials_in_pending_count: -1,
    });
    for (name, count) in counters::changes(before, now) {
        let data = serde_json::json!({ "count": count }).to_string().into();
        platform.live.send(Event::Changed { name, data });
    }
}
