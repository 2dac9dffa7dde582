//! Who sits at which socket: a socket lives no longer than the sign-in that subscribed it.
//!
//! A subscription is signed by one process and may be used at another; `grant` reaches both. Once a second the
//! sign-ins of all sockets are looked up together; a socket whose sign-in ended (signed out, deactivated, all
//! permissions gone) is closed.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;

use crate::app::App;
use crate::auth::lifetime::SessionLifetime;
use crate::config::Limits;
use crate::db::announce;
use crate::db::{DbResult, Source as _, Sql, Val};
use crate::live::channel::{self, Event};

/// How often sign-ins are looked up.
const PAUSE: Duration = Duration::from_secs(1);
/// How many looks a subscription may go without anybody having signed it here.
const PATIENCE: u8 = 10;

/// The open sockets of this process by their ids.
#[derive(Debug, Default)]
pub(crate) struct Seats(Mutex<HashMap<String, Seat>>);

#[derive(Debug, Default)]
struct Seat {
    /// The sign-in: sessions that came from each other by refreshing.
    family: Option<Arc<str>>,
    subscribed: bool,
    looks: u8,
}

impl Seats {
    fn all(&self) -> MutexGuard<'_, HashMap<String, Seat>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn count(&self) -> usize {
        self.all().len()
    }

    /// Takes a seat until the answer is dropped; none when there are as many sockets as there may be, or as many that
    /// have not subscribed.
    pub(crate) fn take<'a>(&'a self, socket_id: &str, limits: &Limits) -> Option<Taken<'a>> {
        let mut all = self.all();
        let unsubscribed = all.values().filter(|seat| !seat.subscribed).count();
        if all.len() >= limits.sockets || unsubscribed >= limits.unsubscribed_sockets {
            return None;
        }
        all.insert(socket_id.to_owned(), Seat::default());
        Some(Taken { seats: self, socket_id: socket_id.to_owned() })
    }

    /// Notes whose sign-in signed a subscription, when the socket is here.
    pub(crate) fn grant(&self, socket_id: &str, family: &str) {
        if let Some(seat) = self.all().get_mut(socket_id) {
            seat.family = Some(family.into());
        }
    }

    fn families(&self) -> HashSet<Arc<str>> {
        self.all().values().filter_map(|seat| seat.family.clone()).collect()
    }

    /// The sockets to close when only `standing` sign-ins are left.
    fn ended(&self, looked_up: &HashSet<Arc<str>>, standing: &HashSet<String>) -> HashSet<String> {
        let mut ended = HashSet::new();
        for (socket_id, seat) in self.all().iter_mut() {
            let over = match &seat.family {
                // One that came after the look is for the next.
                Some(family) => looked_up.contains(family) && !standing.contains(&**family),
                None => {
                    seat.looks = seat.looks.saturating_add(u8::from(seat.subscribed));
                    seat.looks > PATIENCE
                }
            };
            if over {
                ended.insert(socket_id.clone());
            }
        }
        ended
    }
}

/// A taken seat.
pub(crate) struct Taken<'a> {
    seats: &'a Seats,
    socket_id: String,
}

impl Taken<'_> {
    /// The socket gets events from now on.
    pub(crate) fn subscribed(&self) {
        if let Some(seat) = self.seats.all().get_mut(&self.socket_id) {
            seat.subscribed = true;
        }
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        self.seats.all().remove(&self.socket_id);
    }
}

/// Notes here and at the other processes whose sign-in signed a subscription.
pub(crate) async fn grant(app: &App, socket_id: &str, family: &str) {
    app.live.seats.grant(socket_id, family);
    announce::say(&app.db, channel::CHANNEL, &format!("{socket_id} {family}")).await;
}

/// Closes sockets whose sign-in ended, until `stop` says so.
pub async fn run(app: App, mut stop: watch::Receiver<bool>) {
    while !*stop.borrow() {
        if let Err(error) = look(&app).await {
            tracing::warn!(%error, "the sign-ins of live sockets cannot be looked up");
        }
        tokio::select! {
            () = tokio::time::sleep(PAUSE) => {}
            _ = stop.changed() => {}
        }
    }
}

async fn look(app: &App) -> DbResult<()> {
    if app.live.seats.count() == 0 {
        return Ok(());
    }
    let families = app.live.seats.families();
    let mut standing = HashSet::new();
    if !families.is_empty() {
        let rows = families.iter().map(|family| vec![Val::from(&**family)]).collect();
        let sql = Sql::new("SELECT DISTINCT s.family_id FROM sessions s JOIN ").rows("f", &["family_id"], rows).push(
            " ON f.family_id = s.family_id JOIN users u ON u.id = s.user_id
             WHERE s.revoked_at IS NULL AND s.expires_at > ? AND s.last_used_at > ? AND s.signed_in_at > ? AND u.status <> 'deactivated'
               AND (EXISTS (SELECT 1 FROM user_roles r WHERE r.user_id = u.id) OR EXISTS (SELECT 1 FROM user_permissions p WHERE p.user_id = u.id))",
        );
        let (now, lifetime) = (app.clock.now(), SessionLifetime::read(&mut &app.db).await?);
        let sql = sql.bind(now).bind(lifetime.idle_since(now)).bind(lifetime.signed_in_since(now));
        let rows: Vec<(String,)> = (&mut &app.db).all(sql).await?;
        standing.extend(rows.into_iter().map(|row| row.0));
    }
    let ended = app.live.seats.ended(&families, &standing);
    if !ended.is_empty() {
        app.live.send(Event::Ended(Arc::new(ended)));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_sockets_with_their_sign_in_and_those_that_nobody_vouches_for() {
        let seats = Seats::default();
        let limits = Limits { sockets: 3, unsubscribed_sockets: 3, ..Limits::default() };
        let (one, two) = (seats.take("1.1", &limits).unwrap(), seats.take("2.2", &limits).unwrap());
        let three = seats.take("3.3", &limits).unwrap();
        assert!(seats.take("4.4", &limits).is_none());
        one.subscribed();
        two.subscribed();
        seats.grant("1.1", "a");
        seats.grant("9.9", "b");
        let families = seats.families();
        assert_eq!(families.len(), 1);
        assert!(seats.ended(&families, &HashSet::from(["a".to_owned()])).is_empty());
        assert_eq!(seats.ended(&families, &HashSet::new()), HashSet::from(["1.1".to_owned()]));
        for _ in 0..PATIENCE {
            seats.ended(&families, &HashSet::from(["a".to_owned()]));
        }
        assert_eq!(
            seats.ended(&families, &HashSet::from(["a".to_owned()])),
            HashSet::from(["2.2".to_owned()])
        );
        drop((one, two, three));
        assert_eq!(seats.count(), 0);
    }

    #[test]
    fn sockets_that_have_not_subscribed_leave_the_rest_to_others() {
        let seats = Seats::default();
        let limits = Limits { sockets: 3, unsubscribed_sockets: 1, ..Limits::default() };
        let one = seats.take("1.1", &limits).unwrap();
        assert!(seats.take("2.2", &limits).is_none());
        one.subscribed();
        let two = seats.take("2.2", &limits).unwrap();
        assert!(seats.take("3.3", &limits).is_none());
        drop(two);
        seats.take("3.3", &limits).unwrap();
    }
}
