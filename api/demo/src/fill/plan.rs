//! Sizes of a demo, and the seeds of its pseudo-random values.

/// Microseconds of an hour.
pub(crate) const HOUR_MICROS: i64 = 3_600_000_000;

/// Microseconds of a day.
pub(crate) const DAY_MICROS: i64 = 24 * HOUR_MICROS;

/// The modulus of the demo's random generator: a prime below 2^31.
pub(crate) const PRIME: i64 = 2_147_483_647;

/// Size and seed of a demo.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    /// Number of orders.
    pub orders: i64,
    /// Number of customers.
    pub users: i64,
    /// Seed; the same seed gives the same records.
    pub seed: u64,
}

/// Input of every step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plan {
    pub size: Size,
    /// Whether provider `p` is available, as SQL: the server's own condition.
    pub available_provider: &'static str,
    /// The time of the newest records, rounded down to the hour.
    pub now: i64,
    /// Id of the first customer; staff accounts have lower ids.
    pub first_user: i64,
    /// The staff member who made the recent refunds.
    pub moderator: Option<i64>,
    /// The staff member who shares views.
    pub owner: Option<i64>,
}

impl Plan {
    /// The seed of the random sequence number `die`.
    pub(crate) fn die(&self, die: i64) -> i64 {
        let seed = i64::try_from(self.size.seed % 1_000_003).unwrap_or(0);
        (seed * 7_919 + die * 104_729 + 12_345) % PRIME
    }

    /// Orders above this id have all related records, because people look at the newest orders.
    pub(crate) fn newest(&self) -> i64 {
        self.size.orders - 20_000
    }
}
