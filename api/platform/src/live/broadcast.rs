//! Publishes changed counters to every socket after a commit and at intervals, and receives notifications from other processes.

use std::time::Duration;

use panel_contract::session::Counters;
use panel_kernel::error::Result;
use tokio::sync::watch;

use crate::db::notify::{ChannelListener, notify};
use crate::live::channel::{LiveEvent, NOTIFY_CHANNEL};
use crate::live::counters;
use crate::platform::Platform;
use crate::poller::Poller;
use crate::poller::work::{PollContext, WorkSummary};

/// Longest time between two reads of the counters, because another program may have written without a notification.
const MAX_INTERVAL: Duration = Duration::from_secs(15);
/// Shortest time between two reads of the counters.
const MIN_INTERVAL: Duration = Duration::from_millis(250);

/// Publishes changes soon after a commit of any process.
#[must_use]
pub fn poller<C: PollContext>(platform: &Platform) -> Poller<C> {
    let work = |context: C, last| async move { publish_changes(context.platform(), last).await };
    Poller::stateful("live_counters", MAX_INTERVAL, work)
        .woken_by(&platform.live.changed, MIN_INTERVAL)
        .skip_first_poll()
}

/// Receives notifications from other processes until `stop` turns true. An empty payload means that counters may have changed;
/// `socket_id family` is the session that authorized the subscription of a socket.
pub async fn listen(platform: Platform, mut stop: watch::Receiver<bool>) {
    let mut listener = ChannelListener::new(NOTIFY_CHANNEL);
    let receive = async {
        loop {
            match listener.next_payload(&platform.db).await.split_once(' ') {
                Some((socket_id, family)) => platform.live.sockets.assign_session(socket_id, family),
                None => platform.live.changed.notify_one(),
            }
        }
    };
    tokio::select! {
        () = receive => {}
        _ = stop.wait_for(|stop| *stop) => {}
    }
}

async fn publish_changes(
    platform: &Platform,
    last: Option<Counters>,
) -> (Option<Counters>, Result<WorkSummary>) {
    if platform.live.take_unsent_change() {
        notify(&platform.db, NOTIFY_CHANNEL, "").await;
    }
    let current = match counters::read(&mut &platform.db).await {
        Ok(current) => current,
        Err(error) => return (last, Err(error)),
    };
    // The first poll publishes everything, because subscribers may show numbers from before this process started.
    let previous = last.unwrap_or(Counters {
        orders_in_moderation_count: -1,
        orders_in_processing_count: -1,
        orders_with_no_active_providers_count: -1,
        free_trials_in_pending_count: -1,
    });
    let changes = counters::find_changes(previous, current);
    let summary = WorkSummary::done(changes.len());
    for (name, count) in changes {
        let data = serde_json::json!({ "count": count }).to_string().into();
        platform.live.send(LiveEvent::CounterChanged { name, data });
    }
    (Some(current), Ok(summary))
}
