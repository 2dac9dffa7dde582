//! Whose sign-in each open socket belongs to: sockets end with it.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use crate::auth::lifetime::SessionLifetime;
use panel_platform::db::notify::notify;
use panel_platform::db::{DbResult, Source as _, Sql, Val};
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
    let mut standing = HashSet::new();
    if !families.is_empty() {
        let rows = families.iter().map(|family| vec![Val::from(&**family)]).collect();
        let sql = Sql::new("SELECT DISTINCT s.family_id FROM sessions s JOIN ").rows("f", &["family_id"], rows).push(
            " ON f.family_id = s.family_id JOIN users u ON u.id = s.user_id
             WHERE s.revoked_at IS NULL AND s.expires_at > ? AND s.last_used_at > ? AND s.signed_in_at > ? AND u.status <> 'deactivated'
               AND (EXISTS (SELECT 1 FROM user_roles r WHERE r.user_id = u.id) OR EXISTS (SELECT 1 FROM user_permissions p WHERE p.user_id = u.id))",
        );
        let (now, lifetime) = (platform.clock.now(), SessionLifetime::read(&mut &platform.db).await?);
        let sql = sql.bind(now).bind(lifetime.idle_since(now)).bind(lifetime.signed_in_since(now));
        let rows: Vec<(String,)> = (&mut &platform.db).all(sql).await?;
        standing.extend(rows.into_iter().map(|row| row.0));
    }
    let ended = platform.live.seats.ended(&families, &standing);
    if !ended.is_empty() {
        platform.live.send(Event::Ended(Arc::new(ended)));
    }
    Ok(())
}
