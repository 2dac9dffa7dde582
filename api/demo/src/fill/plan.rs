//! How much of everything a demo has, and the dice that every step throws.

/// Microseconds of an hour.
pub(crate) const HOUR_MICROS: i64 = 3_600_000_000;

/// Microseconds of a day.
pub(crate) const DAY_MICROS: i64 = 24 * HOUR_MICROS;

/// The modulus of the demo's dice: a prime below 2^31.
pub(crate) const PRIME: i64 = 2_147_483_647;

/// How much of everything, and when.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    /// Orders.
    pub orders: i64,
    /// Customers.
    pub users: i64,
    /// The same number makes the same records.
    pub seed: u64,
}

/// What every step needs to know.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plan {
    pub size: Size,
    /// Whether provider `p` is available, as SQL: the server's own condition.
    pub available_provider: &'static str,
    /// The hour that the records lead up to.
    pub now: i64,
    /// The first customer's id; those of the staff are below.
    pub first_user: i64,
    /// Who returned money lately.
    pub moderator: Option<i64>,
    /// Whose views everybody sees.
    pub owner: Option<i64>,
}

impl Plan {
    /// A start for the dice numbered `die`.
    pub(crate) fn die(&self, die: i64) -> i64 {
        let seed = i64::try_from(self.size.seed % 1_000_003).unwrap_or(0);
        (seed * 7_919 + die * 104_729 + 12_345) % PRIME
    }

    /// Orders above this id have everything that hangs on orders; a person looks at the newest.
    pub(crate) fn newest(&self) -> i64 {
        self.size.orders - 20_000
    }
}
