//! Limits the number of open connections, in total and per address. This module must not read from connections.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use panel_kernel::client_network::client_network;
use panel_platform::config::Limits;

/// The open connections of one listener.
#[derive(Debug)]
pub(crate) struct Connections {
    limit: u32,
    limit_per_address: u32,
    semaphore: Arc<Semaphore>,
    open_by_address: Arc<OpenByAddress>,
}

/// Number of open connections per address. An address without connections is removed, so that the map stays small.
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
            semaphore: Arc::new(Semaphore::new(limits.connections as usize)),
            open_by_address: Arc::default(),
        }
    }

    /// Waits until the server may accept another connection.
    pub(crate) async fn wait_for_permit(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.semaphore).acquire_owned().await.ok()
    }

    /// Counts an accepted connection. Returns `None` if its address has reached the limit. A trusted proxy has no limit per
    /// address, because it forwards the requests of many clients.
    pub(crate) fn admit(
        &self,
        semaphore_permit: OwnedSemaphorePermit,
        ip: IpAddr,
        is_trusted_proxy: bool,
    ) -> Option<ConnectionPermit> {
        let address = client_network(ip);
        if !is_trusted_proxy {
            let mut open_by_address = self.open_by_address.lock();
            let count = open_by_address.get(&address).copied().unwrap_or(0);
            if count >= self.limit_per_address {
                return None;
            }
            open_by_address.insert(address, count + 1);
        }
        let address_count = (!is_trusted_proxy).then(|| (Arc::clone(&self.open_by_address), address));
        Some(ConnectionPermit(Arc::new(CountedConnection {
            _semaphore_permit: semaphore_permit,
            address_count,
        })))
    }

    /// Waits until all connections are closed.
    pub(crate) async fn wait_until_closed(&self) {
        drop(self.semaphore.acquire_many(self.limit).await);
    }
}

/// Counts one connection as open until the last clone is dropped. The handler of an upgrade holds a clone, because an upgraded
/// connection outlives the task that served its requests.
#[derive(Debug, Clone)]
pub(crate) struct ConnectionPermit(#[expect(dead_code, reason = "held for its drop")] Arc<CountedConnection>);

#[derive(Debug)]
struct CountedConnection {
    _semaphore_permit: OwnedSemaphorePermit,
    /// The map and the address whose count decreases when the connection closes; `None` for a trusted proxy.
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
        let semaphore_permit = connections.wait_for_permit().await.unwrap();
        connections.admit(semaphore_permit, ip.parse().unwrap(), is_trusted_proxy)
    }

    #[tokio::test]
    async fn limits_connections_per_address() {
        let connections = connections();
        let first = admit(&connections, "2001:db8::1", false).await.unwrap();
        let second = admit(&connections, "2001:db8::2", false).await.unwrap();
        assert!(
            admit(&connections, "2001:db8::3", false).await.is_none(),
            "addresses of the same /64 network share a limit"
        );
        let other = admit(&connections, "203.0.113.1", false).await.unwrap();
        let clone = first.clone();
        drop(first);
        assert!(
            admit(&connections, "2001:db8::3", false).await.is_none(),
            "the connection must count until the last clone is dropped"
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
        assert_eq!(connections.semaphore.available_permits(), 0);
        drop(permits);
        assert_eq!(connections.semaphore.available_permits(), 4);
    }
}
