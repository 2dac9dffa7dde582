//! Who sits at which socket: a socket lives no longer than the sign-in that subscribed it.
//!
//! A subscription is signed by one process and may be used at another; `grant` reaches both. Once a second the
//! sign-ins of all sockets are looked up together; a socket whose sign-in ended (signed out, deactivated, all
//! permissions gone) is closed.
//!
//! A socket is anonymous until it subscribes. Anonymous sockets have a share of all places, and where the share or all
//! places are taken a new socket gets the place of an anonymous one: the oldest of the address that has most of them. So
//! one client cannot keep others out, however many it opens.

use std::collections::{HashMap, HashSet};
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::config::Limits;
use panel_kernel::client_network::network_of;

/// How many looks a subscription may go without anybody having signed it here.
const PATIENCE: u8 = 10;

/// The open sockets of this process by their ids.
#[derive(Debug, Default)]
pub struct Seats {
    all: Mutex<HashMap<String, Seat>>,
    opened: AtomicU64,
}

#[derive(Debug)]
struct Seat {
    /// Where the socket comes from: an IPv4 address or a /64 of IPv6.
    address: IpAddr,
    /// Grows with each socket.
    number: u64,
    /// Closes the socket.
    evicted: Arc<Notify>,
    /// The sign-in: sessions that came from each other by refreshing.
    family: Option<Arc<str>>,
    subscribed: bool,
    looks: u8,
}

impl Seats {
    fn all(&self) -> MutexGuard<'_, HashMap<String, Seat>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many sockets are open.
    pub fn count(&self) -> usize {
        self.all().len()
    }

    /// Takes a seat until the answer is dropped, perhaps that of an anonymous socket; none when all places belong to
    /// sockets that have subscribed.
    pub fn take<'a>(&'a self, socket_id: &str, ip: IpAddr, limits: &Limits) -> Option<Taken<'a>> {
        let mut all = self.all();
        let anonymous = all.values().filter(|seat| !seat.subscribed).count();
        if all.len() >= limits.most_sockets() || anonymous >= limits.unsubscribed_sockets {
            let expendable = most_expendable(&all)?;
            all.remove(&expendable)?.evicted.notify_one();
        }
        let evicted = Arc::new(Notify::new());
        let seat = Seat {
            address: network_of(ip),
            number: self.opened.fetch_add(1, Ordering::Relaxed),
            evicted: Arc::clone(&evicted),
            family: None,
            subscribed: false,
            looks: 0,
        };
        all.insert(socket_id.to_owned(), seat);
        Some(Taken { seats: self, socket_id: socket_id.to_owned(), evicted })
    }

    /// Notes whose sign-in signed a subscription, when the socket is here.
    pub fn grant(&self, socket_id: &str, family: &str) {
        if let Some(seat) = self.all().get_mut(socket_id) {
            seat.family = Some(family.into());
        }
    }

    /// The sign-ins of all sockets that have subscribed.
    pub fn families(&self) -> HashSet<Arc<str>> {
        self.all().values().filter_map(|seat| seat.family.clone()).collect()
    }

    /// The sockets to close when only `standing` sign-ins are left.
    pub fn ended(&self, looked_up: &HashSet<Arc<str>>, standing: &HashSet<String>) -> HashSet<String> {
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

/// The anonymous socket that a new one replaces: the oldest of the address that has most of them.
fn most_expendable(all: &HashMap<String, Seat>) -> Option<String> {
    let anonymous = || all.iter().filter(|(_, seat)| !seat.subscribed);
    let mut by_address: HashMap<IpAddr, usize> = HashMap::new();
    for (_, seat) in anonymous() {
        *by_address.entry(seat.address).or_default() += 1;
    }
    let weight = |seat: &Seat| (by_address.get(&seat.address).copied(), std::cmp::Reverse(seat.number));
    anonymous().max_by_key(|(_, seat)| weight(seat)).map(|(socket_id, _)| socket_id.clone())
}

/// A taken seat.
pub struct Taken<'a> {
    seats: &'a Seats,
    socket_id: String,
    evicted: Arc<Notify>,
}

impl Taken<'_> {
    /// The socket gets events from now on. False when its place was given to another meanwhile.
    pub fn subscribed(&self) -> bool {
        let mut all = self.seats.all();
        let seat = all.get_mut(&self.socket_id);
        seat.map(|seat| seat.subscribed = true).is_some()
    }

    /// Waits until another socket was given the place of this one.
    pub async fn evicted(&self) {
        self.evicted.notified().await;
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        self.seats.all().remove(&self.socket_id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_sockets_with_their_sign_in_and_those_that_nobody_vouches_for() {
        let seats = Seats::default();
        let limits = Limits { sockets: 3, unsubscribed_sockets: 3, ..Limits::default() };
        let take = |socket_id| seats.take(socket_id, IpAddr::from([203, 0, 113, 1]), &limits);
        let (one, two, three) = (take("1.1").unwrap(), take("2.2").unwrap(), take("3.3").unwrap());
        assert!(one.subscribed() && two.subscribed());
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

    #[tokio::test]
    async fn a_new_socket_replaces_the_oldest_anonymous_one_of_the_address_with_most() {
        let seats = Seats::default();
        let limits = Limits { sockets: 5, unsubscribed_sockets: 3, ..Limits::default() };
        let take = |socket_id: &str, ip: &str| seats.take(socket_id, ip.parse().unwrap(), &limits);
        let signed_in = take("1.1", "2001:db8::1").unwrap();
        assert!(signed_in.subscribed());
        let client = take("2.2", "203.0.113.1").unwrap();
        let first = take("3.3", "2001:db8::1").unwrap();
        let second = take("4.4", "2001:db8::2").unwrap();
        // Of the same /64: the share of anonymous ones is taken, and the attacker's own oldest goes.
        let third = take("5.5", "2001:db8::3").unwrap();
        first.evicted().await;
        assert!(!first.subscribed(), "its place is another's");
        assert_eq!(seats.count(), 4);
        // A client of another address replaces one of the attacker's, and may then subscribe.
        let other = take("6.6", "203.0.113.2").unwrap();
        second.evicted().await;
        assert!(client.subscribed() && other.subscribed());
        drop((first, second));
        assert_eq!(seats.count(), 4, "whose place was given away frees none");
        // All places: the last anonymous socket goes for a new one, and those that have subscribed for none.
        let last = take("7.7", "203.0.113.3").unwrap();
        let newest = take("8.8", "203.0.113.4").unwrap();
        third.evicted().await;
        assert!(last.subscribed() && newest.subscribed());
        assert!(take("9.9", "203.0.113.5").is_none());
        drop((signed_in, client, third, other, last, newest));
        assert_eq!(seats.count(), 0);
    }
}
