//! Limits the number of open connections, in total and per address. This module never reads from them.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use panel_kernel::client_network::network_of;
use panel_platform::config::Limits;

/// The open connections of one listener.
#[derive(Debug)]
pub(crate) struct Connections {
    limit: u32,
    limit_per_address: u32,
    slots: Arc<Semaphore>,
    open_by_address: Arc<OpenByAddress>,
}

/// Counts of addresses with open connections. Other addresses are removed, so that the map stays small.
#[derive(Debug, Default)]
struct OpenByAddress(Mutex<HashMap<IpAddr, u32>>);

impl OpenByAddress {
    fn lock(&self) -> MutexGuard<'_, HashMap<IpAddr, u32>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Connections {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            limit: limits.connections,
            limit_per_address: limits.connections_per_address,
            slots: Arc::new(Semaphore::new(limits.connections as usize)),
            open_by_address: Arc::default(),
        }
    }

    /// Waits until one more connection may be accepted.
    pub(crate) async fn wait_for_slot(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.slots).acquire_owned().await.ok()
    }

    /// Counts the connection that was accepted into `slot`. Returns `None` if its address has reached the limit. A trusted proxy
    /// has no such limit, because its connections are those of many clients.
    pub(crate) fn admit(
        &self,
        slot: OwnedSemaphorePermit,
        ip: IpAddr,
        is_trusted_proxy: bool,
    ) -> Option<ConnectionPermit> {
        let address = network_of(ip);
        if !is_trusted_proxy {
            let mut open_by_address = self.open_by_address.lock();
            let count = open_by_address.get(&address).copied().unwrap_or(0);
            if count >= self.limit_per_address {
                return None;
            }
            open_by_address.insert(address, count + 1);
        }
        let address_count = (!is_trusted_proxy).then(|| (Arc::clone(&self.open_by_address), address));
        Some(ConnectionPermit(Arc::new(CountedConnection { _slot: slot, address_count })))
    }

    /// Waits until the last connection has ended.
    pub(crate) async fn wait_until_closed(&self) {
        drop(self.slots.acquire_many(self.limit).await);
    }
}

/// Counts one connection until the last clone is dropped. An upgraded connection outlives the task that served its requests, so
/// the handler of the upgrade holds a clone.
#[derive(Debug, Clone)]
pub(crate) struct ConnectionPermit(#[expect(dead_code, reason = "held for its drop")] Arc<CountedConnection>);

#[derive(Debug)]
struct CountedConnection {
    _slot: OwnedSemaphorePermit,
    address_count: Option<(Arc<OpenByAddress>, IpAddr)>,
}

impl Drop for CountedConnection {
    fn drop(&mut self) {
        let Some((open_by_address, address)) = &self.address_count else { return };
        let mut open_by_address = open_by_address.lock();
        match open_by_address.get_mut(address) {
            Some(count) if *count > 1 => *count -= 1,
            _ => drop(open_by_address.remove(address)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connections() -> Connections {
        Connections::new(&Limits { connections: 4, connections_per_address: 2, ..Limits::default() })
    }

    async fn admit(connections: &Connections, ip: &str, is_trusted_proxy: bool) -> Option<ConnectionPermit> {
        let slot = connections.wait_for_slot().await.unwrap();
        connections.admit(slot, ip.parse().unwrap(), is_trusted_proxy)
    }

    #[tokio::test]
    async fn limits_connections_per_address() {
        let connections = connections();
        let first = admit(&connections, "2001:db8::1", false).await.unwrap();
        let second = admit(&connections, "2001:db8::2", false).await.unwrap();
        assert!(
            admit(&connections, "2001:db8::3", false).await.is_none(),
            "the address is in the same /64 network"
        );
        let other = admit(&connections, "203.0.113.1", false).await.unwrap();
        let clone = first.clone();
        drop(first);
        assert!(
            admit(&connections, "2001:db8::3", false).await.is_none(),
            "an upgraded connection still counts"
        );
        drop(clone);
        let third = admit(&connections, "2001:db8::3", false).await.unwrap();
        drop((second, other, third));
        assert!(connections.open_by_address.lock().is_empty());
        connections.wait_until_closed().await;
    }

    #[tokio::test]
    async fn a_trusted_proxy_has_no_connection_limit_per_address() {
        let connections = connections();
        let mut permits = Vec::new();
        for _ in 0..4 {
            permits.push(admit(&connections, "127.0.0.1", true).await.unwrap());
        }
        assert_eq!(connections.slots.available_permits(), 0);
        drop(permits);
        assert_eq!(connections.slots.available_permits(), 4);
    }
}
