//! The memory budget of request bodies: bytes are reserved before they are allocated and released on drop. A reservation is
//! granted or refused immediately, so bodies cannot block one another.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use panel_kernel::client_network::network_of;
use panel_platform::config::Limits;
use panel_platform::config::OVERHEAD_BYTES;

/// One address may reserve a quarter of the bytes for unauthenticated callers, but at least the largest body.
const ADDRESS_DIVISOR: usize = 4;

/// The reservations of one process.
#[derive(Debug)]
pub struct BodyBudget {
    all_bytes: usize,
    public_bytes: usize,
    address_bytes: usize,
    bodies_per_address: u32,
    used: Mutex<BudgetUse>,
    /// One permit, because only one of the large bodies, which wait in files, may be in memory at a time.
    large_body_permit: Arc<Semaphore>,
    /// One permit: a large body is not parsed while an image is decoded, because each may use most of the memory for uploads.
    decode_permit: Arc<Semaphore>,
}

#[derive(Debug, Default)]
struct BudgetUse {
    all_bytes: usize,
    public_bytes: usize,
    /// Addresses with reservations. Others are removed, so that the map stays small.
    addresses: HashMap<IpAddr, AddressUse>,
}

#[derive(Debug, Default, Clone, Copy)]
struct AddressUse {
    unfinished_bodies: u32,
    public_bytes: usize,
}

/// The sender of a body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sender {
    pub(crate) ip: IpAddr,
    /// Whether the request has a valid token, which is checked before the body is read.
    pub(crate) is_signed_in: bool,
}

/// The reason why a body gets no memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BudgetRefusal {
    /// The address has reached its limit of unfinished bodies or of bytes.
    Address,
    /// All bodies together have reached the limit of bytes.
    Full,
}

impl BodyBudget {
    /// With the configured limits.
    #[must_use]
    pub fn new(limits: &Limits) -> Self {
        let largest = limits.body_bytes.saturating_add(OVERHEAD_BYTES);
        Self {
            all_bytes: limits.all_bodies_bytes,
            public_bytes: limits.public_bodies_bytes,
            address_bytes: (limits.public_bodies_bytes / ADDRESS_DIVISOR).max(largest),
            bodies_per_address: limits.bodies_per_address,
            used: Mutex::default(),
            large_body_permit: Arc::new(Semaphore::new(1)),
            decode_permit: Arc::new(Semaphore::new(1)),
        }
    }

    /// The permit under which a large body is parsed, or an image decoded.
    pub(crate) fn decode_permit(&self) -> Arc<Semaphore> {
        Arc::clone(&self.decode_permit)
    }

    /// Bytes that are reserved now.
    #[must_use]
    pub fn reserved(&self) -> usize {
        self.lock().all_bytes
    }

    /// An empty reservation, which does not count as an unfinished body.
    pub(crate) fn empty_reservation(self: &Arc<Self>, sender: Sender) -> Reservation {
        Reservation {
            budget: Arc::clone(self),
            address: network_of(sender.ip),
            is_public: !sender.is_signed_in,
            bytes: 0,
            overhead: 0,
            is_finished: true,
            large_body_turn: None,
            decode_permit_held: None,
        }
    }

    /// Starts a body: reserves the overhead of its request, `head_bytes` and hyper's buffers.
    pub(crate) fn begin(
        self: &Arc<Self>,
        sender: Sender,
        head_bytes: usize,
    ) -> Result<Reservation, BudgetRefusal> {
        let overhead = OVERHEAD_BYTES.max(head_bytes.saturating_add(OVERHEAD_BYTES / 2));
        let address = network_of(sender.ip);
        let mut used = self.lock();
        let unfinished_bodies = used.addresses.get(&address).map_or(0, |usage| usage.unfinished_bodies);
        if unfinished_bodies >= self.bodies_per_address {
            return Err(BudgetRefusal::Address);
        }
        self.add(&mut used, address, sender.is_signed_in, overhead)?;
        used.addresses.entry(address).or_default().unfinished_bodies += 1;
        drop(used);
        let mut reservation = self.empty_reservation(sender);
        (reservation.bytes, reservation.overhead, reservation.is_finished) = (overhead, overhead, false);
        Ok(reservation)
    }

    /// Reserves all of `bytes` or none.
    fn add(
        &self,
        used: &mut BudgetUse,
        address: IpAddr,
        is_signed_in: bool,
        bytes: usize,
    ) -> Result<(), BudgetRefusal> {
        let fits = |used: usize, max: usize| used.checked_add(bytes).is_some_and(|sum| sum <= max);
        if !fits(used.all_bytes, self.all_bytes) {
            return Err(BudgetRefusal::Full);
        }
        if !is_signed_in {
            let used_by_address = used.addresses.get(&address).map_or(0, |usage| usage.public_bytes);
            if !fits(used_by_address, self.address_bytes) {
                return Err(BudgetRefusal::Address);
            }
            if !fits(used.public_bytes, self.public_bytes) {
                return Err(BudgetRefusal::Full);
            }
            used.public_bytes += bytes;
            used.addresses.entry(address).or_default().public_bytes += bytes;
        }
        used.all_bytes += bytes;
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, BudgetUse> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl BudgetUse {
    fn release(&mut self, address: IpAddr, is_public: bool, bytes: usize, unfinished_bodies: u32) {
        self.all_bytes = self.all_bytes.saturating_sub(bytes);
        let public = if is_public { bytes } else { 0 };
        self.public_bytes = self.public_bytes.saturating_sub(public);
        if let Entry::Occupied(mut entry) = self.addresses.entry(address) {
            let usage = entry.get_mut();
            usage.public_bytes = usage.public_bytes.saturating_sub(public);
            usage.unfinished_bodies = usage.unfinished_bodies.saturating_sub(unfinished_bodies);
            if usage.public_bytes == 0 && usage.unfinished_bodies == 0 {
                entry.remove();
            }
        }
    }
}

/// The reserved bytes of one body. They are released on drop, also when the client disconnects.
#[derive(Debug)]
pub(crate) struct Reservation {
    budget: Arc<BodyBudget>,
    address: IpAddr,
    is_public: bool,
    bytes: usize,
    /// How many of the bytes are released when the body is complete.
    overhead: usize,
    is_finished: bool,
    /// The permit of a large body to be in memory; `None` for a small body.
    large_body_turn: Option<OwnedSemaphorePermit>,
    decode_permit_held: Option<OwnedSemaphorePermit>,
}

impl Reservation {
    /// Waits until no other large body is in memory. This body holds the turn until the reservation is dropped.
    pub(crate) async fn wait_for_large_body_turn(&mut self) {
        // The semaphores are never closed.
        self.large_body_turn = Arc::clone(&self.budget.large_body_permit).acquire_owned().await.ok();
        self.decode_permit_held = self.budget.decode_permit().acquire_owned().await.ok();
    }

    /// Releases the decode permit once the body is parsed and dropped, so that images can be decoded, also those of this request.
    pub(crate) fn release_decode_permit(&mut self) {
        self.decode_permit_held = None;
    }

    /// Reserves `additional_bytes` bytes.
    pub(crate) fn grow(&mut self, additional_bytes: usize) -> Result<(), BudgetRefusal> {
        let mut used = self.budget.lock();
        self.budget.add(&mut used, self.address, !self.is_public, additional_bytes)?;
        self.bytes += additional_bytes;
        Ok(())
    }

    /// Marks the body as complete: its address may send another body, and only the bytes of the body itself stay reserved.
    pub(crate) fn finish(&mut self) {
        if !self.is_finished {
            self.is_finished = true;
            self.bytes -= self.overhead;
            self.budget.lock().release(self.address, self.is_public, self.overhead, 1);
        }
    }

    /// Releases all bytes immediately instead of at the drop of the reservation.
    pub(crate) fn clear(&mut self) {
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

    fn budget() -> Arc<BodyBudget> {
        Arc::new(BodyBudget::new(&Limits {
            body_bytes: 48 * KIB,
            all_bodies_bytes: 512 * KIB,
            public_bodies_bytes: 256 * KIB,
            bodies_per_address: 3,
            ..Limits::default()
        }))
    }

    fn public(last: u8) -> Sender {
        Sender { ip: IpAddr::from([203, 0, 113, last]), is_signed_in: false }
    }

    fn staff(last: u8) -> Sender {
        Sender { is_signed_in: true, ..public(last) }
    }

    #[test]
    fn releases_all_reserved_bytes() {
        let budget = budget();
        let mut first = budget.begin(public(1), 0).unwrap();
        let second = budget.begin(staff(1), 0).unwrap();
        first.grow(10 * KIB).unwrap();
        assert_eq!(budget.reserved(), 2 * OVERHEAD_BYTES + 10 * KIB);
        first.finish();
        first.finish();
        assert_eq!(budget.reserved(), OVERHEAD_BYTES + 10 * KIB);
        drop(second);
        assert_eq!(budget.reserved(), 10 * KIB);
        drop(first);
        let used = budget.lock();
        assert!(used.all_bytes == 0 && used.public_bytes == 0 && used.addresses.is_empty(), "{used:?}");
    }

    #[test]
    fn a_long_head_is_part_of_its_body() {
        let budget = budget();
        let mut body = budget.begin(public(1), 40 * KIB).unwrap();
        assert_eq!(budget.reserved(), 48 * KIB);
        body.grow(KIB).unwrap();
        body.finish();
        assert_eq!(budget.reserved(), KIB);
    }

    #[test]
    fn limits_unfinished_bodies_per_address() {
        let budget = budget();
        let mut reservations: Vec<_> = (0..3).map(|_| budget.begin(staff(1), 0).unwrap()).collect();
        assert_eq!(budget.begin(staff(1), 0).unwrap_err(), BudgetRefusal::Address);
        assert!(budget.begin(staff(2), 0).is_ok(), "another address is not affected");
        reservations[0].finish();
        assert!(budget.begin(staff(1), 0).is_ok(), "a finished body no longer counts");
    }

    #[test]
    fn limits_the_bytes_of_unauthenticated_callers_per_address() {
        let budget = budget();
        let mut first = budget.begin(public(1), 0).unwrap();
        first.grow(48 * KIB).unwrap();
        assert_eq!(first.grow(1), Err(BudgetRefusal::Address), "a quarter of 256 KiB");
        assert_eq!(budget.begin(public(1), 0).unwrap_err(), BudgetRefusal::Address);
        budget.begin(staff(1), 0).unwrap().grow(48 * KIB).unwrap();
        budget.begin(public(2), 0).unwrap().grow(48 * KIB).unwrap();
    }

    #[test]
    fn unauthenticated_callers_cannot_use_the_bytes_of_authenticated_ones() {
        let budget = budget();
        let fill = |last| {
            let mut body = budget.begin(public(last), 0).unwrap();
            body.grow(48 * KIB).unwrap();
            body
        };
        let reservations: Vec<_> = (1..=4).map(fill).collect();
        assert_eq!(budget.begin(public(5), 0).unwrap_err(), BudgetRefusal::Full);
        let mut body = budget.begin(staff(5), 0).unwrap();
        body.grow(512 * KIB - 256 * KIB - OVERHEAD_BYTES).unwrap();
        assert_eq!(body.grow(1), Err(BudgetRefusal::Full), "all bodies together have a limit as well");
        assert_eq!(body.grow(usize::MAX), Err(BudgetRefusal::Full), "the sum must not overflow");
        assert_eq!(budget.begin(staff(6), 0).unwrap_err(), BudgetRefusal::Full);
        drop(reservations);
        assert!(budget.begin(public(5), 0).is_ok());
    }

    #[test]
    fn an_ipv6_client_is_counted_by_its_network() {
        let ip = |text: &str| text.parse::<IpAddr>().unwrap();
        assert_eq!(network_of(ip("2001:db8:1:2:3:4:5:6")), network_of(ip("2001:db8:1:2::1")));
        assert_ne!(network_of(ip("2001:db8:1:2::1")), network_of(ip("2001:db8:1:3::1")));
        assert_eq!(network_of(ip("::ffff:203.0.113.1")), ip("203.0.113.1"));
    }
}
