//! Sizes of a demo, and the seeds of its pseudo-random values.

pub(crate) const HOUR_MICROS: i64 = 3_600_000_000;
pub(crate) const DAY_MICROS: i64 = 24 * HOUR_MICROS;

/// The modulus of the demo's random generator: a prime below 2^31.
pub(crate) const PRIME: i64 = 2_147_483_647;

/// Size and seed of a demo.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    pub orders: i64,
    pub users: i64,
    /// The same seed gives the same records.
    pub seed: u64,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct DemoPlan {
    pub size: Size,
    /// The server's SQL condition that provider `p` is available.
    pub available_provider_sql: &'static str,
    /// The time of the newest records: microseconds since 1970, rounded down to the hour.
    pub now: i64,
    /// Staff accounts have lower ids.
    pub first_customer_id: i64,
    /// The staff member who made the recent refunds.
    pub moderator_id: Option<i64>,
    /// The staff member who shares views.
    pub owner_id: Option<i64>,
}

impl DemoPlan {
    /// The seed of one of the demo's pseudo-random sequences.
    pub(crate) fn random_seed(&self, sequence: i64) -> i64 {
        let seed = i64::try_from(self.size.seed % 1_000_003).unwrap_or(0);
        (seed * 7_919 + sequence * 104_729 + 12_345) % PRIME
    }

    /// Only orders above this id have related records, such as attempts and audit entries: staff look at the newest orders.
    pub(crate) fn detailed_orders_above(&self) -> i64 {
        self.size.orders - 20_000
    }
}
