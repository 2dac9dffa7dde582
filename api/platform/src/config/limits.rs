//! Limits of one client, one address and all callers together. They never depend on a handler.

use serde::{Deserialize, Serialize};

/// Bytes of memory of an unfinished body besides its own bytes: hyper's read buffer, the trailers, the request head.
pub const OVERHEAD_BYTES: usize = 16 * 1024;
/// Largest allowed minimum rate, in bytes per second; a higher one would refuse ordinary mobile connections.
const MAX_MINIMUM_RATE: u64 = 1_000_000;

/// Limits, with safe defaults.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Seconds in which a client must send its request head.
    pub header_seconds: u64,
    /// Seconds for a whole request, except long exports.
    pub request_seconds: u64,
    /// Seconds in which a client must read at least one byte of its answer.
    pub write_stall_seconds: u64,
    /// Maximum concurrent connections, including live sockets.
    pub connections: u32,
    /// Maximum concurrent connections of one address (IPv6: one /64), except trusted proxies.
    pub connections_per_address: u32,
    /// Maximum concurrent live sockets; capped at three quarters of the connections.
    pub sockets: usize,
    /// How many of them may be without a subscription, which is the proof that the client is signed in.
    pub unsubscribed_sockets: usize,
    /// Seconds in which a live socket must subscribe.
    pub socket_subscribe_seconds: u64,
    /// Maximum bytes of a request body.
    pub body_bytes: usize,
    /// Bytes of memory for the bodies of all requests that run at the same time.
    pub all_bodies_bytes: usize,
    /// How many of those bytes unauthenticated callers may use.
    pub public_bodies_bytes: usize,
    /// Maximum concurrent request bodies of one address (IPv6: one /64).
    pub bodies_per_address: u32,
    /// Seconds before the minimum rate of a body applies.
    pub body_grace_seconds: u64,
    /// Minimum average rate of a body after the grace period, in bytes per second.
    pub body_bytes_per_second: u64,
    /// Requests of one session per minute.
    pub requests_per_minute: u32,
    /// Requests of one address per minute, for all users together.
    pub address_requests_per_minute: u32,
    /// Sign-in attempts of one address per minute.
    pub logins_per_minute: i64,
    /// Failed sign-ins of one account from one address before the account must wait there.
    pub login_failures: i64,
    /// Failed sign-ins of one account per day from unusual networks before it needs a captcha, or must wait where no captcha is
    /// configured.
    pub login_failures_per_account: i64,
    /// Seconds of the first wait; each further failure doubles it.
    pub login_wait_seconds: i64,
    /// Maximum seconds of a wait.
    pub login_longest_wait_seconds: i64,
    /// Maximum concurrent password hashes.
    pub password_workers: usize,
}

impl Limits {
    /// Maximum concurrent live sockets; a quarter of the connections stays for requests.
    #[must_use]
    pub fn max_sockets(&self) -> usize {
        let connections = usize::try_from(self.connections).unwrap_or(usize::MAX);
        self.sockets.min(connections - connections.div_ceil(4))
    }

    /// Refuses zeros, with which the panel would refuse all requests, and budgets below the largest body. `upload_bytes` is the maximum
    /// size of a request with files.
    pub(super) fn check(&self, upload_bytes: usize) -> Result<(), String> {
        let all = [
            ("header_seconds", self.header_seconds == 0),
            ("request_seconds", self.request_seconds == 0),
            ("write_stall_seconds", self.write_stall_seconds == 0),
            ("connections", self.connections == 0),
            ("connections_per_address", self.connections_per_address == 0),
            ("socket_subscribe_seconds", self.socket_subscribe_seconds == 0),
            ("body_bytes", self.body_bytes == 0),
            ("bodies_per_address", self.bodies_per_address == 0),
            ("body_grace_seconds", self.body_grace_seconds == 0),
            ("requests_per_minute", self.requests_per_minute == 0),
            ("address_requests_per_minute", self.address_requests_per_minute == 0),
            ("logins_per_minute", self.logins_per_minute < 1),
            ("login_failures", self.login_failures < 1),
            ("login_failures_per_account", self.login_failures_per_account < 1),
            ("login_wait_seconds", self.login_wait_seconds < 1),
            ("login_longest_wait_seconds", self.login_longest_wait_seconds < 1),
            ("password_workers", self.password_workers == 0),
        ];
        if let Some((key, _)) = all.into_iter().find(|(_, is_zero)| *is_zero) {
            return Err(format!("configuration: limits.{key} must be at least 1"));
        }
        if !(1..=MAX_MINIMUM_RATE).contains(&self.body_bytes_per_second) {
            return Err(format!(
                "configuration: limits.body_bytes_per_second must be 1 to {MAX_MINIMUM_RATE}"
            ));
        }
        self.check_budgets(upload_bytes)
    }

    fn check_budgets(&self, upload_bytes: usize) -> Result<(), String> {
        let public = self.body_bytes.saturating_add(OVERHEAD_BYTES);
        if self.public_bodies_bytes < public {
            return Err(format!(
                "configuration: limits.public_bodies_bytes must be at least {public}, so that one body of limits.body_bytes fits"
            ));
        }
        let all = upload_bytes.saturating_add(OVERHEAD_BYTES).max(self.public_bodies_bytes);
        if self.all_bodies_bytes < all {
            return Err(format!(
                "configuration: limits.all_bodies_bytes must be at least {all}, so that limits.public_bodies_bytes and one body of uploads.request_bytes fit"
            ));
        }
        Ok(())
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            header_seconds: 10,
            request_seconds: 60,
            write_stall_seconds: 30,
            connections: 800,
            connections_per_address: 256,
            sockets: 500,
            unsubscribed_sockets: 100,
            socket_subscribe_seconds: 10,
            body_bytes: 1 << 20,
            all_bodies_bytes: 64 << 20,
            public_bodies_bytes: 8 << 20,
            bodies_per_address: 100,
            body_grace_seconds: 5,
            body_bytes_per_second: 500,
            requests_per_minute: 1_200,
            address_requests_per_minute: 12_000,
            logins_per_minute: 20,
            login_failures: 5,
            login_failures_per_account: 20,
            login_wait_seconds: 60,
            login_longest_wait_seconds: 900,
            password_workers: 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sockets_leave_connections_for_requests() {
        let max = |connections, sockets| Limits { connections, sockets, ..Limits::default() }.max_sockets();
        assert_eq!(Limits::default().max_sockets(), 500);
        assert_eq!((max(400, 500), max(400, 200), max(3, 500), max(1, 500)), (300, 200, 2, 0));
    }

    #[test]
    fn errors_name_zeros_and_budgets_below_one_body() {
        let uploads = 16 << 20;
        Limits::default().check(uploads).unwrap();
        let wrong = |change: fn(&mut Limits)| {
            let mut limits = Limits::default();
            change(&mut limits);
            limits.check(uploads).unwrap_err()
        };
        assert!(wrong(|limits| limits.connections = 0).contains("limits.connections must"));
        assert!(
            wrong(|limits| limits.connections_per_address = 0)
                .contains("limits.connections_per_address must")
        );
        assert!(wrong(|limits| limits.write_stall_seconds = 0).contains("limits.write_stall_seconds must"));
        let subscribe = |limits: &mut Limits| limits.socket_subscribe_seconds = 0;
        assert!(wrong(subscribe).contains("limits.socket_subscribe_seconds must"));
        assert!(wrong(|limits| limits.bodies_per_address = 0).contains("limits.bodies_per_address must"));
        assert!(wrong(|limits| limits.body_grace_seconds = 0).contains("limits.body_grace_seconds must"));
        for rate in [0, MAX_MINIMUM_RATE + 1] {
            let error = Limits { body_bytes_per_second: rate, ..Limits::default() }.check(uploads);
            assert!(error.unwrap_err().contains("limits.body_bytes_per_second must be 1 to 1000000"));
        }
        let public = |limits: &mut Limits| limits.public_bodies_bytes = limits.body_bytes;
        assert!(wrong(public).contains("limits.public_bodies_bytes must be at least 1064960"));
        assert!(wrong(|limits| limits.public_bodies_bytes = 0).contains("limits.public_bodies_bytes must"));
        assert!(wrong(|limits| limits.all_bodies_bytes = 0).contains("limits.all_bodies_bytes must"));
        let all = |limits: &mut Limits| limits.all_bodies_bytes = 16 << 20;
        assert!(wrong(all).contains("limits.all_bodies_bytes must be at least 16793600"));
        // A larger upload needs a larger budget.
        assert!(Limits::default().check(64 << 20).unwrap_err().contains("uploads.request_bytes"));
    }
}
