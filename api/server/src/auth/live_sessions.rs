//! Closes WebSockets whose session has ended.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use crate::auth::lifetime::SessionLifetime;
use crate::auth::store::open_sessions;
use panel_platform::db::DbResult;
use panel_platform::db::notify::notify;
use panel_platform::live::channel::{self, LiveEvent};
use panel_platform::platform::Platform;
use panel_platform::poller::Poller;
use panel_platform::poller::work::{PollContext, WorkSummary};

/// How often the poller checks the sessions of open WebSockets.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// Records in all processes which session authorized the subscription of a WebSocket. `family_id` identifies the session.
pub(crate) async fn authorize_socket(platform: &Platform, socket_id: &str, family_id: &str) {
    platform.live.sockets.assign_session(socket_id, family_id);
    notify(&platform.db, channel::NOTIFY_CHANNEL, &format!("{socket_id} {family_id}")).await;
}

/// Returns the poller that closes WebSockets whose session has ended.
#[must_use]
pub fn poller<C: PollContext>() -> Poller<C> {
    Poller::task("live_sessions", CHECK_INTERVAL, |context: C| async move {
        close_ended_sockets(context.platform()).await?;
        Ok(WorkSummary::default())
    })
}

async fn close_ended_sockets(platform: &Platform) -> DbResult<()> {
    if platform.live.sockets.count() == 0 {
        return Ok(());
    }
    let family_ids = platform.live.sockets.session_families();
    let active_family_ids = if family_ids.is_empty() {
        HashSet::new()
    } else {
        let (now, lifetime) = (platform.clock.now(), SessionLifetime::read(&mut &platform.db).await?);
        open_sessions::load_active_families(&mut &platform.db, &family_ids, lifetime, now).await?
    };
    let ended_socket_ids = platform.live.sockets.socket_ids_to_close(&family_ids, &active_family_ids);
    if !ended_socket_ids.is_empty() {
        platform.live.send(LiveEvent::SessionsEnded(Arc::new(ended_socket_ids)));
    }
    Ok(())
}
