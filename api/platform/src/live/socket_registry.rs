//! Registry of the open websockets of this process: a socket lives no longer than the session that authorized its
//! subscription.
//!
//! One process may sign a subscription and another one may serve the socket; `assign_session` reaches both. Once a second
//! a poller looks up the sessions of all sockets together; it closes a socket whose session has ended (the staff member
//! signed out, was deactivated or lost all permissions).
//!
//! A socket is anonymous until it subscribes. Anonymous sockets have a limit of their own within the limit of all sockets.
//! At either limit a new socket evicts an anonymous one: the oldest of the address that has most of them. So one client
//! cannot lock others out, however many sockets it opens.

use std::collections::{HashMap, HashSet};
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::config::Limits;
use panel_kernel::client_network::network_of;

/// Checks after which a subscribed socket is closed if no process has reported the session that authorized it.
const MAX_CHECKS_WITHOUT_SESSION: u8 = 10;

/// The open sockets of this process, by socket id.
#[derive(Debug, Default)]
pub struct SocketRegistry {
    sockets: Mutex<HashMap<String, Socket>>,
    opened: AtomicU64,
}

#[derive(Debug)]
struct Socket {
    /// Address of the client: an IPv4 address or a /64 of IPv6.
    address: IpAddr,
    /// Position in the order of opening.
    number: u64,
    /// Closes the socket.
    evicted: Arc<Notify>,
    /// The session family: sessions that were refreshed from one sign-in.
    family: Option<Arc<str>>,
    subscribed: bool,
    checks_without_session: u8,
}

impl SocketRegistry {
    fn sockets(&self) -> MutexGuard<'_, HashMap<String, Socket>> {
        self.sockets.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Number of open sockets.
    pub fn count(&self) -> usize {
        self.sockets().len()
    }

    /// Registers a socket until the registration is dropped, and evicts an anonymous socket where a limit is reached. None
    /// where the limit is reached and all sockets have subscribed.
    pub fn register<'a>(
        &'a self,
        socket_id: &str,
        ip: IpAddr,
        limits: &Limits,
    ) -> Option<SocketRegistration<'a>> {
        let mut sockets = self.sockets();
        let anonymous = sockets.values().filter(|socket| !socket.subscribed).count();
        if sockets.len() >= limits.max_sockets() || anonymous >= limits.unsubscribed_sockets {
            let candidate = eviction_candidate(&sockets)?;
            sockets.remove(&candidate)?.evicted.notify_one();
        }
        let evicted = Arc::new(Notify::new());
        let socket = Socket {
            address: network_of(ip),
            number: self.opened.fetch_add(1, Ordering::Relaxed),
            evicted: Arc::clone(&evicted),
            family: None,
            subscribed: false,
            checks_without_session: 0,
        };
        sockets.insert(socket_id.to_owned(), socket);
        Some(SocketRegistration { registry: self, socket_id: socket_id.to_owned(), evicted })
    }

    /// Records the session family that authorized the subscription of a socket, where this process has the socket.
    pub fn assign_session(&self, socket_id: &str, family: &str) {
        if let Some(socket) = self.sockets().get_mut(socket_id) {
            socket.family = Some(family.into());
        }
    }

    /// The session families of all subscribed sockets.
    pub fn session_families(&self) -> HashSet<Arc<str>> {
        self.sockets().values().filter_map(|socket| socket.family.clone()).collect()
    }

    /// The ids of the sockets to close: those whose family is among `looked_up` but not `active`, and those that no session
    /// has authorized for too many checks.
    pub fn without_session(
        &self,
        looked_up: &HashSet<Arc<str>>,
        active: &HashSet<String>,
    ) -> HashSet<String> {
        let mut to_close = HashSet::new();
        for (socket_id, socket) in self.sockets().iter_mut() {
            let is_over = match &socket.family {
                // A family that was assigned after the lookup is left to the next check.
                Some(family) => looked_up.contains(family) && !active.contains(&**family),
                None => {
                    let checks = u8::from(socket.subscribed);
                    socket.checks_without_session = socket.checks_without_session.saturating_add(checks);
                    socket.checks_without_session > MAX_CHECKS_WITHOUT_SESSION
                }
            };
            if is_over {
                to_close.insert(socket_id.clone());
            }
        }
        to_close
    }
}

/// The anonymous socket that a new one evicts: the oldest of the address that has most of them.
fn eviction_candidate(sockets: &HashMap<String, Socket>) -> Option<String> {
    let anonymous = || sockets.iter().filter(|(_, socket)| !socket.subscribed);
    let mut by_address: HashMap<IpAddr, usize> = HashMap::new();
    for (_, socket) in anonymous() {
        *by_address.entry(socket.address).or_default() += 1;
    }
    let weight =
        |socket: &Socket| (by_address.get(&socket.address).copied(), std::cmp::Reverse(socket.number));
    anonymous().max_by_key(|(_, socket)| weight(socket)).map(|(socket_id, _)| socket_id.clone())
}

/// The place of one socket in the registry; dropping it unregisters the socket.
pub struct SocketRegistration<'a> {
    registry: &'a SocketRegistry,
    socket_id: String,
    evicted: Arc<Notify>,
}

impl SocketRegistration<'_> {
    /// The socket receives events from now on. False where it was evicted meanwhile.
    pub fn mark_subscribed(&self) -> bool {
        let mut sockets = self.registry.sockets();
        let socket = sockets.get_mut(&self.socket_id);
        socket.map(|socket| socket.subscribed = true).is_some()
    }

    /// Waits until another socket evicts this one.
    pub async fn evicted(&self) {
        self.evicted.notified().await;
    }
}

impl Drop for SocketRegistration<'_> {
    fn drop(&mut self) {
        self.registry.sockets().remove(&self.socket_id);
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
        let (one, two, three) =
            (register("1.1").unwrap(), register("2.2").unwrap(), register("3.3").unwrap());
        assert!(one.mark_subscribed() && two.mark_subscribed());
        registry.assign_session("1.1", "a");
        registry.assign_session("9.9", "b");
        let families = registry.session_families();
        assert_eq!(families.len(), 1);
        assert!(registry.without_session(&families, &HashSet::from(["a".to_owned()])).is_empty());
        assert_eq!(registry.without_session(&families, &HashSet::new()), HashSet::from(["1.1".to_owned()]));
        for _ in 0..MAX_CHECKS_WITHOUT_SESSION {
            registry.without_session(&families, &HashSet::from(["a".to_owned()]));
        }
        assert_eq!(
            registry.without_session(&families, &HashSet::from(["a".to_owned()])),
            HashSet::from(["2.2".to_owned()])
        );
        drop((one, two, three));
        assert_eq!(registry.count(), 0);
    }

    #[tokio::test]
    async fn a_new_socket_evicts_the_oldest_anonymous_one_of_the_address_with_most() {
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
        first.evicted().await;
        assert!(!first.mark_subscribed(), "it was evicted");
        assert_eq!(registry.count(), 4);
        // A client of another address evicts a socket of the attacker, and may then subscribe.
        let other = register("6.6", "203.0.113.2").unwrap();
        second.evicted().await;
        assert!(client.mark_subscribed() && other.mark_subscribed());
        drop((first, second));
        assert_eq!(registry.count(), 4, "dropping an evicted registration removes nothing");
        // At the limit a new socket evicts the last anonymous one, and never a subscribed one.
        let last = register("7.7", "203.0.113.3").unwrap();
        let newest = register("8.8", "203.0.113.4").unwrap();
        third.evicted().await;
        assert!(last.mark_subscribed() && newest.mark_subscribed());
        assert!(register("9.9", "203.0.113.5").is_none());
        drop((signed_in, client, third, other, last, newest));
        assert_eq!(registry.count(), 0);
    }
}
