//! The size of a demo, and the seeds of its pseudo-random values.

pub(crate) const HOUR_MICROS: i64 = 3_600_000_000;
pub(crate) const DAY_MICROS: i64 = 24 * HOUR_MICROS;

/// Modulus of the demo's pseudo-random numbers: the largest prime below 2^31.
pub(crate) const RANDOM_MODULUS: i64 = 2_147_483_647;

/// DemoSize and seed of a demo.
#[derive(Debug, Clone, Copy)]
pub struct DemoSize {
    /// Number of orders.
    pub orders: i64,
    /// Number of customers.
    pub users: i64,
    /// The same seed gives the same records.
    pub seed: u64,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct DemoPlan {
    pub size: DemoSize,
    /// The server's SQL condition that provider `p` is available.
    pub available_provider_sql: &'static str,
    /// The time of the newest records: microseconds since 1970, rounded down to the hour.
    pub now: i64,
    /// Ids of staff accounts are lower.
    pub first_customer_id: i64,
    /// The staff member who refunded the newest orders; `None` if the demo has no such account.
    pub moderator_id: Option<i64>,
    /// The staff member who shares saved views and decides withdrawals; `None` if the demo has no such account.
    pub owner_id: Option<i64>,
}

impl DemoPlan {
    /// The seed of the pseudo-random sequence with this number.
    pub(crate) fn random_seed(&self, sequence: i64) -> i64 {
        let seed = i64::try_from(self.size.seed % 1_000_003).unwrap_or(0);
        (seed * 7_919 + sequence * 104_729 + 12_345) % RANDOM_MODULUS
    }

    /// Only orders with a higher id have related records, such as placement attempts and audit entries, because staff mostly open
    /// the newest orders.
    pub(crate) fn last_order_id_without_details(&self) -> i64 {
        self.size.orders - 20_000
    }
}
