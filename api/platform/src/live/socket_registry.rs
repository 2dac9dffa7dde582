//! Registry of the open websockets of this process. A socket is closed when the session that authorized its subscription ends.
//!
//! One process may sign a subscription while another process serves the socket, so every process receives `assign_session`. Once
//! a second a poller looks up the sessions of all sockets together, and closes a socket whose session has ended (the staff member
//! signed out, was deactivated or lost all permissions).
//!
//! A socket is anonymous until it subscribes. Anonymous sockets have their own limit within the limit of all sockets. At either
//! limit a new socket evicts an anonymous one: the oldest one of the address that has the most anonymous sockets. Therefore one
//! client cannot lock others out, however many sockets it opens.

use std::collections::{HashMap, HashSet};
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::config::Limits;
use panel_kernel::client_network::client_network;

/// After this many checks, the poller closes a subscribed socket whose session no process has reported.
const MAX_CHECKS_WITHOUT_SESSION: u8 = 10;

/// The open sockets of this process, by socket id.
#[derive(Debug, Default)]
pub struct SocketRegistry {
    sockets: Mutex<HashMap<String, Socket>>,
    next_number: AtomicU64,
}

#[derive(Debug)]
struct Socket {
    /// Address of the client: an IPv4 address or a /64 of IPv6.
    address: IpAddr,
    /// Numbers the sockets in the order in which they were opened.
    number: u64,
    /// Wakes the task of the socket when another socket evicts it.
    eviction: Arc<Notify>,
    /// The session family that authorized the subscription: all sessions that were refreshed from one sign-in.
    family: Option<Arc<str>>,
    is_subscribed: bool,
    checks_without_session: u8,
}

impl SocketRegistry {
    fn lock_sockets(&self) -> MutexGuard<'_, HashMap<String, Socket>> {
        self.sockets.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts the open sockets.
    pub fn count(&self) -> usize {
        self.lock_sockets().len()
    }

    /// Registers a socket until the registration is dropped. At a limit, evicts an anonymous socket; returns `None` if there is
    /// none to evict.
    pub fn register<'a>(
        &'a self,
        socket_id: &str,
        ip: IpAddr,
        limits: &Limits,
    ) -> Option<SocketRegistration<'a>> {
        let mut sockets = self.lock_sockets();
        let anonymous = sockets.values().filter(|socket| !socket.is_subscribed).count();
        if sockets.len() >= limits.max_sockets() || anonymous >= limits.unsubscribed_sockets {
            let candidate = choose_eviction(&sockets)?;
            sockets.remove(&candidate)?.eviction.notify_one();
        }
        let eviction = Arc::new(Notify::new());
        let socket = Socket {
            address: client_network(ip),
            number: self.next_number.fetch_add(1, Ordering::Relaxed),
            eviction: Arc::clone(&eviction),
            family: None,
            is_subscribed: false,
            checks_without_session: 0,
        };
        sockets.insert(socket_id.to_owned(), socket);
        Some(SocketRegistration { registry: self, socket_id: socket_id.to_owned(), eviction })
    }

    /// Records the session family that authorized the subscription of a socket, if this process has the socket.
    pub fn assign_session(&self, socket_id: &str, family: &str) {
        if let Some(socket) = self.lock_sockets().get_mut(socket_id) {
            socket.family = Some(family.into());
        }
    }

    /// Returns the session families that authorized the subscriptions of the sockets.
    pub fn session_families(&self) -> HashSet<Arc<str>> {
        self.lock_sockets().values().filter_map(|socket| socket.family.clone()).collect()
    }

    /// Counts as one check. Returns the ids of the sockets to close: those whose family is in `looked_up` but not in `active`, and
    /// those that have subscribed and got no family for `MAX_CHECKS_WITHOUT_SESSION` checks.
    pub fn socket_ids_to_close(
        &self,
        looked_up: &HashSet<Arc<str>>,
        active: &HashSet<String>,
    ) -> HashSet<String> {
        let mut to_close = HashSet::new();
        for (socket_id, socket) in self.lock_sockets().iter_mut() {
            let must_close = match &socket.family {
                // The next check looks up a family that was assigned after this lookup.
                Some(family) => looked_up.contains(family) && !active.contains(&**family),
                None => {
                    let checks = u8::from(socket.is_subscribed);
                    socket.checks_without_session = socket.checks_without_session.saturating_add(checks);
                    socket.checks_without_session > MAX_CHECKS_WITHOUT_SESSION
                }
            };
            if must_close {
                to_close.insert(socket_id.clone());
            }
        }
        to_close
    }
}

/// Chooses the anonymous socket that a new socket evicts: the oldest one of the address that has the most anonymous sockets.
fn choose_eviction(sockets: &HashMap<String, Socket>) -> Option<String> {
    let anonymous = || sockets.iter().filter(|(_, socket)| !socket.is_subscribed);
    let mut count_by_address: HashMap<IpAddr, usize> = HashMap::new();
    for (_, socket) in anonymous() {
        *count_by_address.entry(socket.address).or_default() += 1;
    }
    let priority =
        |socket: &Socket| (count_by_address.get(&socket.address).copied(), std::cmp::Reverse(socket.number));
    anonymous().max_by_key(|(_, socket)| priority(socket)).map(|(socket_id, _)| socket_id.clone())
}

/// Keeps one socket registered; dropping it unregisters the socket.
pub struct SocketRegistration<'a> {
    registry: &'a SocketRegistry,
    socket_id: String,
    eviction: Arc<Notify>,
}

impl SocketRegistration<'_> {
    /// Marks the socket as subscribed, so that it is not anonymous any more. Returns false if it has been evicted.
    pub fn mark_subscribed(&self) -> bool {
        let mut sockets = self.registry.lock_sockets();
        let socket = sockets.get_mut(&self.socket_id);
        socket.map(|socket| socket.is_subscribed = true).is_some()
    }

    /// Waits until another socket evicts this one.
    pub async fn wait_for_eviction(&self) {
        self.eviction.notified().await;
    }
}

impl Drop for SocketRegistration<'_> {
    fn drop(&mut self) {
        self.registry.lock_sockets().remove(&self.socket_id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closes_sockets_whose_session_ended_or_was_never_assigned() {
        let registry = SocketRegistry::default();
        let limits = Limits { sockets: 3, unsubscribed_sockets: 3, ..Limits::default() };
        let register = |socket_id| registry.register(socket_id, IpAddr::from([203, 0, 113, 1]), &limits);
        let (with_session, without_session, anonymous) =
            (register("1.1").unwrap(), register("2.2").unwrap(), register("3.3").unwrap());
        assert!(with_session.mark_subscribed() && without_session.mark_subscribed());
        registry.assign_session("1.1", "a");
        registry.assign_session("9.9", "b");
        let families = registry.session_families();
        assert_eq!(families.len(), 1);
        assert!(registry.socket_ids_to_close(&families, &HashSet::from(["a".to_owned()])).is_empty());
        assert_eq!(
            registry.socket_ids_to_close(&families, &HashSet::new()),
            HashSet::from(["1.1".to_owned()])
        );
        for _ in 0..MAX_CHECKS_WITHOUT_SESSION {
            registry.socket_ids_to_close(&families, &HashSet::from(["a".to_owned()]));
        }
        assert_eq!(
            registry.socket_ids_to_close(&families, &HashSet::from(["a".to_owned()])),
            HashSet::from(["2.2".to_owned()])
        );
        drop((with_session, without_session, anonymous));
        assert_eq!(registry.count(), 0);
    }

    #[tokio::test]
    async fn a_new_socket_evicts_the_oldest_anonymous_socket_of_the_address_with_the_most() {
        let registry = SocketRegistry::default();
        let limits = Limits { sockets: 5, unsubscribed_sockets: 3, ..Limits::default() };
        let register = |socket_id: &str, ip: &str| registry.register(socket_id, ip.parse().unwrap(), &limits);
        let signed_in = register("1.1", "2001:db8::1").unwrap();
        assert!(signed_in.mark_subscribed());
        let client = register("2.2", "203.0.113.1").unwrap();
        let first = register("3.3", "2001:db8::1").unwrap();
        let second = register("4.4", "2001:db8::2").unwrap();
        // Of the same /64: the limit of anonymous sockets is reached, and the oldest of the attacker is evicted.
        let third = register("5.5", "2001:db8::3").unwrap();
        first.wait_for_eviction().await;
        assert!(!first.mark_subscribed(), "the first socket was evicted");
        assert_eq!(registry.count(), 4);
        // A client of another address evicts a socket of the attacker, and may then subscribe.
        let other = register("6.6", "203.0.113.2").unwrap();
        second.wait_for_eviction().await;
        assert!(client.mark_subscribed() && other.mark_subscribed());
        drop((first, second));
        assert_eq!(registry.count(), 4, "dropping an evicted registration removes nothing");
        // At the limit a new socket evicts the last anonymous one, and never a subscribed one.
        let last = register("7.7", "203.0.113.3").unwrap();
        let newest = register("8.8", "203.0.113.4").unwrap();
        third.wait_for_eviction().await;
        assert!(last.mark_subscribed() && newest.mark_subscribed());
        assert!(register("9.9", "203.0.113.5").is_none());
        drop((signed_in, client, third, other, last, newest));
        assert_eq!(registry.count(), 0);
    }
}
