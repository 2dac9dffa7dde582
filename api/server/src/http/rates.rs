//! Rate limits of requests: one token bucket per token or API key and one per address, which fill up evenly within a minute. The
//! limits apply to this process only; limits across processes, as for sign-ins, are counted in the database.

use std::net::IpAddr;
use std::num::NonZeroU32;

use governor::clock::{Clock as _, DefaultClock};
use governor::middleware::StateInformationMiddleware;
use governor::state::keyed::DefaultKeyedStateStore;
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

use panel_platform::config::Limits;

type CallerLimiter =
    RateLimiter<String, DefaultKeyedStateStore<String>, DefaultClock, StateInformationMiddleware>;

pub struct RequestRates {
    callers: CallerLimiter,
    addresses: DefaultKeyedRateLimiter<IpAddr>,
    caller_limit: u32,
    address_limit: u32,
}

/// The rate limit of a client, and the remaining requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateStatus {
    /// Requests per minute.
    pub limit: u32,
    /// Requests that the client may send now.
    pub remaining: u32,
}

/// The client has reached the rate limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimited {
    /// Requests per minute.
    pub limit: u32,
    /// The value of the `Retry-After` header, in seconds.
    pub wait_secs: u64,
}

impl RequestRates {
    #[must_use]
    pub fn new(limits: &Limits) -> Self {
        // A limit of zero would reject every request, so the minimum is one.
        let quota = |limit: u32| Quota::per_minute(NonZeroU32::new(limit).unwrap_or(NonZeroU32::MIN));
        Self {
            callers: RateLimiter::keyed(quota(limits.requests_per_minute)).with_middleware(),
            addresses: RateLimiter::keyed(quota(limits.address_requests_per_minute)),
            caller_limit: limits.requests_per_minute,
            address_limit: limits.address_requests_per_minute,
        }
    }

    /// Counts a request of a client. `key` identifies its session or API key, or its address if it has neither.
    pub fn check_caller(&self, key: &str) -> Result<RateStatus, RateLimited> {
        let limit = self.caller_limit;
        match self.callers.check_key(&key.to_owned()) {
            Ok(state) => Ok(RateStatus { limit, remaining: state.remaining_burst_capacity() }),
            Err(not_until) => Err(RateLimited {
                limit,
                wait_secs: ceil_secs(not_until.wait_time_from(self.callers.clock().now())),
            }),
        }
    }

    /// Counts a request, authenticated or not, of an address.
    pub fn check_address(&self, ip: IpAddr) -> Result<(), RateLimited> {
        let limit = self.address_limit;
        self.addresses.check_key(&ip).map_err(|not_until| RateLimited {
            limit,
            wait_secs: ceil_secs(not_until.wait_time_from(self.addresses.clock().now())),
        })
    }

    /// Removes buckets that are full again.
    pub fn remove_full_buckets(&self) {
        self.callers.retain_recent();
        self.callers.shrink_to_fit();
        self.addresses.retain_recent();
        self.addresses.shrink_to_fit();
    }
}

/// The wait in seconds, rounded up so that a retry is not too early.
fn ceil_secs(wait: std::time::Duration) -> u64 {
    wait.as_secs() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_a_request_above_the_rate_with_the_wait_time() {
        let rates = RequestRates::new(&Limits {
            requests_per_minute: 2,
            address_requests_per_minute: 1,
            ..Limits::default()
        });
        assert_eq!(rates.check_caller("a"), Ok(RateStatus { limit: 2, remaining: 1 }));
        assert_eq!(rates.check_caller("a"), Ok(RateStatus { limit: 2, remaining: 0 }));
        let rate_limited = rates.check_caller("a").unwrap_err();
        assert!(rate_limited.limit == 2 && (1..=31).contains(&rate_limited.wait_secs), "{rate_limited:?}");
        assert!(rates.check_caller("b").is_ok());
        let ip = IpAddr::from([203, 0, 113, 7]);
        assert!(rates.check_address(ip).is_ok() && rates.check_address(ip).is_err());
        rates.remove_full_buckets();
        assert!(rates.check_caller("a").is_err());
    }
}
