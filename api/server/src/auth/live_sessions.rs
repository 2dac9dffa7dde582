//! Whose sign-in each open socket belongs to: sockets end with it.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use crate::auth::lifetime::SessionLifetime;
use crate::auth::store::open_sessions;
use panel_platform::db::DbResult;
use panel_platform::db::notify::notify;
use panel_platform::live::channel::{self, Event};
use panel_platform::platform::Platform;
use panel_platform::poller::Poller;
use panel_platform::poller::worked::{PollContext, Worked};

/// How often sign-ins are looked up.
const EVERY: Duration = Duration::from_secs(1);

/// Notes here and at the other processes whose sign-in signed a subscription.
pub(crate) async fn grant(platform: &Platform, socket_id: &str, family: &str) {
    platform.live.seats.grant(socket_id, family);
    notify(&platform.db, channel::CHANNEL, &format!("{socket_id} {family}")).await;
}

/// Closes sockets whose sign-in ended.
#[must_use]
pub fn poller<C: PollContext>() -> Poller<C> {
    Poller::task("live_sessions", EVERY, |context: C| async move {
        look(context.platform()).await?;
        Ok(Worked::default())
    })
}

async fn look(platform: &Platform) -> DbResult<()> {
    if platform.live.seats.count() == 0 {
        return Ok(());
    }
    let families = platform.live.seats.families();
    let lasting = if families.is_empty() {
        HashSet::new()
    } else {
        let (now, lifetime) = (platform.clock.now(), SessionLifetime::read(&mut &platform.db).await?);
        open_sessions::lasting(&mut &platform.db, &families, lifetime, now).await?
    };
    let ended = platform.live.seats.ended(&families, &lasting);
    if !ended.is_empty() {
        platform.live.send(Event::Ended(Arc::new(ended)));
    }
    Ok(())
}
