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

/// One address may hold the fraction 1/4 of the bytes for unauthenticated callers, or one largest body.
const ADDRESS_SHARE: usize = 4;

/// The reservations of one process.
#[derive(Debug)]
pub struct BodyBudget {
    all_bytes: usize,
    public_bytes: usize,
    address_bytes: usize,
    bodies_per_address: u32,
    used: Mutex<BudgetUse>,
    /// One permit: of the large bodies, which wait in files, one at a time is in memory.
    large: Arc<Semaphore>,
    /// One permit: while a large body is parsed no image is decoded, because each may use most of the memory for uploads.
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
    unfinished: u32,
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
            address_bytes: (limits.public_bodies_bytes / ADDRESS_SHARE).max(largest),
            bodies_per_address: limits.bodies_per_address,
            used: Mutex::default(),
            large: Arc::new(Semaphore::new(1)),
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
    pub(crate) fn empty(self: &Arc<Self>, sender: Sender) -> Reservation {
        Reservation {
            budget: Arc::clone(self),
            address: network_of(sender.ip),
            is_public: !sender.is_signed_in,
            bytes: 0,
            overhead: 0,
            is_finished: true,
            turn: None,
            parsing: None,
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
        let unfinished = used.addresses.get(&address).map_or(0, |held| held.unfinished);
        if unfinished >= self.bodies_per_address {
            return Err(BudgetRefusal::Address);
        }
        self.add(&mut used, address, sender.is_signed_in, overhead)?;
        used.addresses.entry(address).or_default().unfinished += 1;
        drop(used);
        let mut reservation = self.empty(sender);
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
        let fits = |held: usize, max: usize| held.checked_add(bytes).is_some_and(|sum| sum <= max);
        if !fits(used.all_bytes, self.all_bytes) {
            return Err(BudgetRefusal::Full);
        }
        if !is_signed_in {
            let held = used.addresses.get(&address).map_or(0, |held| held.public_bytes);
            if !fits(held, self.address_bytes) {
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
    fn release(&mut self, address: IpAddr, is_public: bool, bytes: usize, unfinished: u32) {
        self.all_bytes = self.all_bytes.saturating_sub(bytes);
        let public = if is_public { bytes } else { 0 };
        self.public_bytes = self.public_bytes.saturating_sub(public);
        if let Entry::Occupied(mut entry) = self.addresses.entry(address) {
            let held = entry.get_mut();
            held.public_bytes = held.public_bytes.saturating_sub(public);
            held.unfinished = held.unfinished.saturating_sub(unfinished);
            if held.public_bytes == 0 && held.unfinished == 0 {
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
    /// The permit of a large body to be in memory.
    turn: Option<OwnedSemaphorePermit>,
    parsing: Option<OwnedSemaphorePermit>,
}

impl Reservation {
    /// Waits until no other large body is in memory. This body holds the turn until the reservation is dropped.
    pub(crate) async fn wait_for_turn(&mut self) {
        // The semaphores are never closed.
        self.turn = Arc::clone(&self.budget.large).acquire_owned().await.ok();
        self.parsing = self.budget.decode_permit().acquire_owned().await.ok();
    }

    /// Releases the decode permit once the body is parsed and dropped, so that images can be decoded, also those of this request.
    pub(crate) fn release_decode_permit(&mut self) {
        self.parsing = None;
    }

    /// Reserves `more` bytes.
    pub(crate) fn grow(&mut self, more: usize) -> Result<(), BudgetRefusal> {
        let mut used = self.budget.lock();
        self.budget.add(&mut used, self.address, !self.is_public, more)?;
        self.bytes += more;
        Ok(())
    }

    /// The body is complete: its address may send another one, and only the body's own bytes stay reserved.
    pub(crate) fn finish(&mut self) {
        if !self.is_finished {
            self.is_finished = true;
            self.bytes -= self.overhead;
            self.budget.lock().release(self.address, self.is_public, self.overhead, 1);
        }
    }

    /// Releases all bytes before the drop.
    pub(crate) fn clear(&mut self) {
        let bytes = std::mem::take(&mut self.bytes);
        self.budget.lock().release(self.address, self.is_public, bytes, 0);
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let unfinished = u32::from(!self.is_finished);
        self.budget.lock().release(self.address, self.is_public, self.bytes, unfinished);
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
        let mut one = budget.begin(public(1), 0).unwrap();
        let two = budget.begin(staff(1), 0).unwrap();
        one.grow(10 * KIB).unwrap();
        assert_eq!(budget.reserved(), 2 * OVERHEAD_BYTES + 10 * KIB);
        one.finish();
        one.finish();
        assert_eq!(budget.reserved(), OVERHEAD_BYTES + 10 * KIB);
        drop(two);
        assert_eq!(budget.reserved(), 10 * KIB);
        drop(one);
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
        let mut held: Vec<_> = (0..3).map(|_| budget.begin(staff(1), 0).unwrap()).collect();
        assert_eq!(budget.begin(staff(1), 0).unwrap_err(), BudgetRefusal::Address);
        assert!(budget.begin(staff(2), 0).is_ok(), "another address is not affected");
        held[0].finish();
        assert!(budget.begin(staff(1), 0).is_ok(), "a finished body no longer counts");
    }

    #[test]
    fn limits_the_bytes_of_unauthenticated_callers_per_address() {
        let budget = budget();
        let mut one = budget.begin(public(1), 0).unwrap();
        one.grow(48 * KIB).unwrap();
        assert_eq!(one.grow(1), Err(BudgetRefusal::Address), "a quarter of 256 KiB");
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
        let held: Vec<_> = (1..=4).map(fill).collect();
        assert_eq!(budget.begin(public(5), 0).unwrap_err(), BudgetRefusal::Full);
        let mut body = budget.begin(staff(5), 0).unwrap();
        body.grow(512 * KIB - 256 * KIB - OVERHEAD_BYTES).unwrap();
        assert_eq!(body.grow(1), Err(BudgetRefusal::Full), "all bodies together have a limit as well");
        assert_eq!(body.grow(usize::MAX), Err(BudgetRefusal::Full), "no overflow");
        assert_eq!(budget.begin(staff(6), 0).unwrap_err(), BudgetRefusal::Full);
        drop(held);
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
