//! Closes websockets whose sign-in has ended.

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

/// How often the poller checks the sign-ins of open sockets.
const INTERVAL: Duration = Duration::from_secs(1);

/// Records, in this process and in the others, which sign-in authorized the subscription of a socket.
pub(crate) async fn authorize_socket(platform: &Platform, socket_id: &str, family: &str) {
    platform.live.sockets.assign_session(socket_id, family);
    notify(&platform.db, channel::NOTIFY_CHANNEL, &format!("{socket_id} {family}")).await;
}

/// The poller that closes sockets whose sign-in has ended.
#[must_use]
pub fn poller<C: PollContext>() -> Poller<C> {
    Poller::task("live_sessions", INTERVAL, |context: C| async move {
        close_ended_sockets(context.platform()).await?;
        Ok(WorkSummary::default())
    })
}

async fn close_ended_sockets(platform: &Platform) -> DbResult<()> {
    if platform.live.sockets.count() == 0 {
        return Ok(());
    }
    let families = platform.live.sockets.session_families();
    let active_families = if families.is_empty() {
        HashSet::new()
    } else {
        let (now, lifetime) = (platform.clock.now(), SessionLifetime::read(&mut &platform.db).await?);
        open_sessions::active_families(&mut &platform.db, &families, lifetime, now).await?
    };
    let ended = platform.live.sockets.socket_ids_to_close(&families, &active_families);
    if !ended.is_empty() {
        platform.live.send(LiveEvent::SessionsEnded(Arc::new(ended)));
    }
    Ok(())
}
