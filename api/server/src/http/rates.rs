//! How often somebody may ask: one bucket per caller and one per address, filled again evenly over a minute.
//! In this process only; what must hold across processes (sign-in) is counted in the database.

use std::net::IpAddr;
use std::num::NonZeroU32;

use governor::clock::{Clock as _, DefaultClock};
use governor::middleware::StateInformationMiddleware;
use governor::state::keyed::DefaultKeyedStateStore;
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

use panel_platform::config::Limits;

type Callers = RateLimiter<String, DefaultKeyedStateStore<String>, DefaultClock, StateInformationMiddleware>;

/// The buckets.
pub struct Rates {
    callers: Callers,
    addresses: DefaultKeyedRateLimiter<IpAddr>,
    caller_limit: u32,
    address_limit: u32,
}

/// What is left to a caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Left {
    /// Requests a minute.
    pub limit: u32,
    /// Requests left now.
    pub remaining: u32,
}

/// A caller must wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooOften {
    /// Requests a minute.
    pub limit: u32,
    /// The wait of the `Retry-After` header.
    pub wait_secs: u64,
}

impl Rates {
    /// With the configured limits.
    #[must_use]
    pub fn new(limits: &Limits) -> Self {
        // Zero would let nobody in: the smallest rate is one.
        let quota = |limit: u32| Quota::per_minute(NonZeroU32::new(limit).unwrap_or(NonZeroU32::MIN));
        Self {
            callers: RateLimiter::keyed(quota(limits.requests_per_minute)).with_middleware(),
            addresses: RateLimiter::keyed(quota(limits.address_requests_per_minute)),
            caller_limit: limits.requests_per_minute,
            address_limit: limits.address_requests_per_minute,
        }
    }

    /// Counts a request of a session, or of an address without one.
    pub fn of_caller(&self, key: &str) -> Result<Left, TooOften> {
        let limit = self.caller_limit;
        match self.callers.check_key(&key.to_owned()) {
            Ok(state) => Ok(Left { limit, remaining: state.remaining_burst_capacity() }),
            Err(until) => {
                Err(TooOften { limit, wait_secs: secs_up(until.wait_time_from(self.callers.clock().now())) })
            }
        }
    }

    /// Counts a request of an address, whoever is signed in there.
    pub fn of_address(&self, ip: IpAddr) -> Result<(), TooOften> {
        let limit = self.address_limit;
        self.addresses.check_key(&ip).map_err(|until| TooOften {
            limit,
            wait_secs: secs_up(until.wait_time_from(self.addresses.clock().now())),
        })
    }

    /// Forgets buckets that are full again.
    pub fn tidy(&self) {
        self.callers.retain_recent();
        self.callers.shrink_to_fit();
        self.addresses.retain_recent();
        self.addresses.shrink_to_fit();
    }
}

/// Rounded up: earlier would be too early.
fn secs_up(wait: std::time::Duration) -> u64 {
    wait.as_secs() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_request_of_a_minute_is_refused_with_the_time_to_wait() {
        let rates = Rates::new(&Limits {
            requests_per_minute: 2,
            address_requests_per_minute: 1,
            ..Limits::default()
        });
        assert_eq!(rates.of_caller("a"), Ok(Left { limit: 2, remaining: 1 }));
        assert_eq!(rates.of_caller("a"), Ok(Left { limit: 2, remaining: 0 }));
        let refused = rates.of_caller("a").unwrap_err();
        assert!(refused.limit == 2 && (1..=31).contains(&refused.wait_secs), "{refused:?}");
        assert!(rates.of_caller("b").is_ok());
        let ip = IpAddr::from([203, 0, 113, 7]);
        assert!(rates.of_address(ip).is_ok() && rates.of_address(ip).is_err());
        rates.tidy();
        assert!(rates.of_caller("a").is_err());
    }
}
