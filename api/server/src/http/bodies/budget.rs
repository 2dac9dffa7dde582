//! The memory budget of request bodies. Code reserves bytes before it allocates them, and releases them on drop. A reservation
//! succeeds or fails immediately, so bodies cannot block one another.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use panel_kernel::client_network::client_network;
use panel_platform::config::Limits;
use panel_platform::config::OVERHEAD_BYTES;

/// An address may reserve a quarter of the bytes for unauthenticated clients, but at least the bytes of the largest body.
const ADDRESS_DIVISOR: usize = 4;

/// The budget of this process.
#[derive(Debug)]
pub struct BodyBudget {
    max_bytes: usize,
    /// Limit of all unauthenticated clients together.
    max_public_bytes: usize,
    /// Limit of the unauthenticated clients of one address.
    max_public_bytes_per_address: usize,
    max_bodies_per_address: u32,
    usage: Mutex<BudgetUsage>,
    /// Has one permit, because only one of the large bodies, which wait in files, may be in memory at a time.
    large_body_permit: Arc<Semaphore>,
    /// Has one permit. The server must not parse a large body while it decodes an image, because each may use most of the memory
    /// for uploads.
    decode_permit: Arc<Semaphore>,
}

#[derive(Debug, Default)]
struct BudgetUsage {
    reserved_bytes: usize,
    /// Reserved bytes of unauthenticated clients.
    public_bytes: usize,
    /// An address without reservations is removed, so that the map stays small.
    addresses: HashMap<IpAddr, AddressUsage>,
}

#[derive(Debug, Default, Clone, Copy)]
struct AddressUsage {
    unfinished_bodies: u32,
    public_bytes: usize,
}

/// The client that sends a body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sender {
    pub(crate) ip: IpAddr,
    /// Whether the request has a valid token. The server checks the token before it reads the body.
    pub(crate) is_signed_in: bool,
}

/// The reason why a reservation failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BudgetError {
    /// The address has reached its limit of unfinished bodies or of bytes.
    AddressLimitReached,
    /// All bodies together have reached the limit of bytes.
    Exhausted,
}

impl BodyBudget {
    #[must_use]
    pub fn new(limits: &Limits) -> Self {
        let largest_body_bytes = limits.body_bytes.saturating_add(OVERHEAD_BYTES);
        Self {
            max_bytes: limits.all_bodies_bytes,
            max_public_bytes: limits.public_bodies_bytes,
            max_public_bytes_per_address: (limits.public_bodies_bytes / ADDRESS_DIVISOR)
                .max(largest_body_bytes),
            max_bodies_per_address: limits.bodies_per_address,
            usage: Mutex::default(),
            large_body_permit: Arc::new(Semaphore::new(1)),
            decode_permit: Arc::new(Semaphore::new(1)),
        }
    }

    /// Code must hold this semaphore's permit while it parses a large body or decodes an image.
    pub(crate) fn decode_permit(&self) -> Arc<Semaphore> {
        Arc::clone(&self.decode_permit)
    }

    #[must_use]
    pub fn reserved_bytes(&self) -> usize {
        self.lock().reserved_bytes
    }

    /// Creates an empty reservation, which does not count as an unfinished body.
    pub(crate) fn empty_reservation(self: &Arc<Self>, sender: Sender) -> Reservation {
        Reservation {
            budget: Arc::clone(self),
            address: client_network(sender.ip),
            is_public: !sender.is_signed_in,
            bytes: 0,
            overhead_bytes: 0,
            is_finished: true,
            large_body_permit: None,
            decode_permit: None,
        }
    }

    /// Creates the reservation of a new body. It reserves the overhead of the request: its head of `head_bytes` and hyper's
    /// buffers.
    pub(crate) fn reserve_body(
        self: &Arc<Self>,
        sender: Sender,
        head_bytes: usize,
    ) -> Result<Reservation, BudgetError> {
        let overhead_bytes = OVERHEAD_BYTES.max(head_bytes.saturating_add(OVERHEAD_BYTES / 2));
        let address = client_network(sender.ip);
        let mut usage = self.lock();
        let unfinished_bodies =
            usage.addresses.get(&address).map_or(0, |address_usage| address_usage.unfinished_bodies);
        if unfinished_bodies >= self.max_bodies_per_address {
            return Err(BudgetError::AddressLimitReached);
        }
        self.reserve(&mut usage, address, sender.is_signed_in, overhead_bytes)?;
        usage.addresses.entry(address).or_default().unfinished_bodies += 1;
        drop(usage);
        let mut reservation = self.empty_reservation(sender);
        (reservation.bytes, reservation.overhead_bytes, reservation.is_finished) =
            (overhead_bytes, overhead_bytes, false);
        Ok(reservation)
    }

    /// Reserves all `bytes`, or none if a limit is reached.
    fn reserve(
        &self,
        usage: &mut BudgetUsage,
        address: IpAddr,
        is_signed_in: bool,
        bytes: usize,
    ) -> Result<(), BudgetError> {
        let is_within = |current: usize, max: usize| current.checked_add(bytes).is_some_and(|sum| sum <= max);
        if !is_within(usage.reserved_bytes, self.max_bytes) {
            return Err(BudgetError::Exhausted);
        }
        if !is_signed_in {
            let address_bytes =
                usage.addresses.get(&address).map_or(0, |address_usage| address_usage.public_bytes);
            if !is_within(address_bytes, self.max_public_bytes_per_address) {
                return Err(BudgetError::AddressLimitReached);
            }
            if !is_within(usage.public_bytes, self.max_public_bytes) {
                return Err(BudgetError::Exhausted);
            }
            usage.public_bytes += bytes;
            usage.addresses.entry(address).or_default().public_bytes += bytes;
        }
        usage.reserved_bytes += bytes;
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, BudgetUsage> {
        self.usage.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl BudgetUsage {
    fn release(&mut self, address: IpAddr, is_public: bool, bytes: usize, unfinished_bodies: u32) {
        self.reserved_bytes = self.reserved_bytes.saturating_sub(bytes);
        let public_bytes = if is_public { bytes } else { 0 };
        self.public_bytes = self.public_bytes.saturating_sub(public_bytes);
        if let Entry::Occupied(mut entry) = self.addresses.entry(address) {
            let address_usage = entry.get_mut();
            address_usage.public_bytes = address_usage.public_bytes.saturating_sub(public_bytes);
            address_usage.unfinished_bodies =
                address_usage.unfinished_bodies.saturating_sub(unfinished_bodies);
            if address_usage.public_bytes == 0 && address_usage.unfinished_bodies == 0 {
                entry.remove();
            }
        }
    }
}

/// The reserved bytes of one body. Dropping the reservation releases them, also if the client disconnects.
#[derive(Debug)]
pub(crate) struct Reservation {
    budget: Arc<BodyBudget>,
    address: IpAddr,
    is_public: bool,
    bytes: usize,
    /// Part of `bytes` that is released when the body is complete.
    overhead_bytes: usize,
    is_finished: bool,
    /// `None` for a small body.
    large_body_permit: Option<OwnedSemaphorePermit>,
    decode_permit: Option<OwnedSemaphorePermit>,
}

impl Reservation {
    /// Waits until no other large body is in memory. The reservation holds the permit until it is dropped.
    pub(crate) async fn wait_for_large_body_permit(&mut self) {
        // The semaphores are never closed.
        self.large_body_permit = Arc::clone(&self.budget.large_body_permit).acquire_owned().await.ok();
        self.decode_permit = self.budget.decode_permit().acquire_owned().await.ok();
    }

    /// Releases the decode permit. Call this when the body is parsed and dropped, so that the server can decode images, also
    /// those of this request.
    pub(crate) fn release_decode_permit(&mut self) {
        self.decode_permit = None;
    }

    pub(crate) fn grow(&mut self, additional_bytes: usize) -> Result<(), BudgetError> {
        let mut usage = self.budget.lock();
        self.budget.reserve(&mut usage, self.address, !self.is_public, additional_bytes)?;
        self.bytes += additional_bytes;
        Ok(())
    }

    /// Marks the body as complete. Its address may send another body, and only the bytes of the body itself stay reserved.
    pub(crate) fn mark_complete(&mut self) {
        if !self.is_finished {
            self.is_finished = true;
            self.bytes -= self.overhead_bytes;
            self.budget.lock().release(self.address, self.is_public, self.overhead_bytes, 1);
        }
    }

    /// Releases all bytes, but keeps the reservation for further bytes.
    pub(crate) fn release_bytes(&mut self) {
        let bytes = std::mem::take(&mut self.bytes);
        self.budget.lock().release(self.address, self.is_public, bytes, 0);
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let unfinished_bodies = u32::from(!self.is_finished);
        self.budget.lock().release(self.address, self.is_public, self.bytes, unfinished_bodies);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIB: usize = 1024;

    fn new_budget() -> Arc<BodyBudget> {
        Arc::new(BodyBudget::new(&Limits {
            body_bytes: 48 * KIB,
            all_bodies_bytes: 512 * KIB,
            public_bodies_bytes: 256 * KIB,
            bodies_per_address: 3,
            ..Limits::default()
        }))
    }

    fn public_sender(last_octet: u8) -> Sender {
        Sender { ip: IpAddr::from([203, 0, 113, last_octet]), is_signed_in: false }
    }

    fn staff_sender(last_octet: u8) -> Sender {
        Sender { is_signed_in: true, ..public_sender(last_octet) }
    }

    #[test]
    fn releases_all_reserved_bytes() {
        let budget = new_budget();
        let mut first = budget.reserve_body(public_sender(1), 0).unwrap();
        let second = budget.reserve_body(staff_sender(1), 0).unwrap();
        first.grow(10 * KIB).unwrap();
        assert_eq!(budget.reserved_bytes(), 2 * OVERHEAD_BYTES + 10 * KIB);
        first.mark_complete();
        first.mark_complete();
        assert_eq!(budget.reserved_bytes(), OVERHEAD_BYTES + 10 * KIB);
        drop(second);
        assert_eq!(budget.reserved_bytes(), 10 * KIB);
        drop(first);
        let usage = budget.lock();
        assert!(
            usage.reserved_bytes == 0 && usage.public_bytes == 0 && usage.addresses.is_empty(),
            "{usage:?}"
        );
    }

    #[test]
    fn the_reservation_of_a_body_includes_its_long_head() {
        let budget = new_budget();
        let mut body = budget.reserve_body(public_sender(1), 40 * KIB).unwrap();
        assert_eq!(budget.reserved_bytes(), 48 * KIB);
        body.grow(KIB).unwrap();
        body.mark_complete();
        assert_eq!(budget.reserved_bytes(), KIB);
    }

    #[test]
    fn limits_unfinished_bodies_per_address() {
        let budget = new_budget();
        let mut reservations: Vec<_> =
            (0..3).map(|_| budget.reserve_body(staff_sender(1), 0).unwrap()).collect();
        assert_eq!(budget.reserve_body(staff_sender(1), 0).unwrap_err(), BudgetError::AddressLimitReached);
        assert!(budget.reserve_body(staff_sender(2), 0).is_ok(), "the limit must not affect another address");
        reservations[0].mark_complete();
        assert!(budget.reserve_body(staff_sender(1), 0).is_ok(), "a finished body must not count");
    }

    #[test]
    fn limits_the_bytes_of_unauthenticated_clients_per_address() {
        let budget = new_budget();
        let mut first = budget.reserve_body(public_sender(1), 0).unwrap();
        first.grow(48 * KIB).unwrap();
        assert_eq!(
            first.grow(1),
            Err(BudgetError::AddressLimitReached),
            "an address may use a quarter of 256 KiB"
        );
        assert_eq!(budget.reserve_body(public_sender(1), 0).unwrap_err(), BudgetError::AddressLimitReached);
        budget.reserve_body(staff_sender(1), 0).unwrap().grow(48 * KIB).unwrap();
        budget.reserve_body(public_sender(2), 0).unwrap().grow(48 * KIB).unwrap();
    }

    #[test]
    fn unauthenticated_clients_cannot_use_the_bytes_of_authenticated_clients() {
        let budget = new_budget();
        let reserve_largest_body = |last_octet| {
            let mut body = budget.reserve_body(public_sender(last_octet), 0).unwrap();
            body.grow(48 * KIB).unwrap();
            body
        };
        let reservations: Vec<_> = (1..=4).map(reserve_largest_body).collect();
        assert_eq!(budget.reserve_body(public_sender(5), 0).unwrap_err(), BudgetError::Exhausted);
        let mut body = budget.reserve_body(staff_sender(5), 0).unwrap();
        body.grow(512 * KIB - 256 * KIB - OVERHEAD_BYTES).unwrap();
        assert_eq!(body.grow(1), Err(BudgetError::Exhausted), "all bodies together must not exceed 512 KiB");
        assert_eq!(body.grow(usize::MAX), Err(BudgetError::Exhausted), "the sum must not overflow");
        assert_eq!(budget.reserve_body(staff_sender(6), 0).unwrap_err(), BudgetError::Exhausted);
        drop(reservations);
        assert!(budget.reserve_body(public_sender(5), 0).is_ok());
    }

    #[test]
    fn an_ipv6_client_is_counted_by_its_network() {
        let parse_ip = |text: &str| text.parse::<IpAddr>().unwrap();
        assert_eq!(
            client_network(parse_ip("2001:db8:1:2:3:4:5:6")),
            client_network(parse_ip("2001:db8:1:2::1"))
        );
        assert_ne!(client_network(parse_ip("2001:db8:1:2::1")), client_network(parse_ip("2001:db8:1:3::1")));
        assert_eq!(client_network(parse_ip("::ffff:203.0.113.1")), parse_ip("203.0.113.1"));
    }
}
