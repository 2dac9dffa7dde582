//! Limits of connections, request bodies and sign-ins: of one client, of one address and of all callers together.

use serde::{Deserialize, Serialize};

/// Bytes of memory that an unfinished body needs besides its own bytes: hyper's read buffer, the trailers, the request head.
pub const OVERHEAD_BYTES: usize = 16 * 1024;
/// Upper bound of `body_bytes_per_second`; a higher minimum rate would reject ordinary mobile connections.
const MAX_BODY_BYTES_PER_SECOND: u64 = 1_000_000;

/// Limits, with safe defaults.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Seconds in which a client must send its request head.
    pub header_seconds: u64,
    /// Seconds for a whole request, except long exports.
    pub request_seconds: u64,
    /// Seconds in which a client must read at least one byte of its response.
    pub write_stall_seconds: u64,
    /// Maximum concurrent connections, including live sockets.
    pub connections: u32,
    /// Maximum concurrent connections of one address (IPv6: one /64), except trusted proxies.
    pub connections_per_address: u32,
    /// Maximum concurrent live sockets; capped at three quarters of the connections.
    pub sockets: usize,
    /// Maximum concurrent live sockets without a subscription; only a signed-in client can subscribe.
    pub unsubscribed_sockets: usize,
    /// Seconds in which a live socket must subscribe.
    pub socket_subscribe_seconds: u64,
    /// Maximum bytes of a request body.
    pub body_bytes: usize,
    /// Bytes of memory for the bodies of all requests that run at the same time.
    pub all_bodies_bytes: usize,
    /// How many bytes of `all_bodies_bytes` unauthenticated callers may use.
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
    /// After this many failed sign-ins from one address, the account must wait before it tries again from that address.
    pub login_failures: i64,
    /// After this many failed sign-ins per day from unusual networks, the account needs a captcha, or must wait if no captcha is
    /// configured.
    pub login_failures_per_account: i64,
    /// Seconds of the first wait; each further failed sign-in doubles the wait.
    pub login_wait_seconds: i64,
    /// Maximum seconds of a wait.
    pub login_longest_wait_seconds: i64,
    /// Maximum concurrent password hashes.
    pub password_workers: usize,
}

impl Limits {
    /// Returns the maximum of concurrent live sockets, which leaves a quarter of the connections for requests.
    #[must_use]
    pub fn max_sockets(&self) -> usize {
        let connections = usize::try_from(self.connections).unwrap_or(usize::MAX);
        self.sockets.min(connections - connections.div_ceil(4))
    }

    /// Rejects zeros, with which the panel would reject all requests, and budgets that are smaller than the largest body.
    /// `upload_bytes` is the maximum size of a request with files.
    pub(super) fn check(&self, upload_bytes: usize) -> Result<(), String> {
        let zero_checks = [
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
        if let Some((key, _)) = zero_checks.into_iter().find(|(_, is_zero)| *is_zero) {
            return Err(format!("configuration: limits.{key} must be at least 1"));
        }
        if !(1..=MAX_BODY_BYTES_PER_SECOND).contains(&self.body_bytes_per_second) {
            return Err(format!(
                "configuration: limits.body_bytes_per_second must be 1 to {MAX_BODY_BYTES_PER_SECOND}"
            ));
        }
        self.check_budgets(upload_bytes)
    }

    fn check_budgets(&self, upload_bytes: usize) -> Result<(), String> {
        let min_public = self.body_bytes.saturating_add(OVERHEAD_BYTES);
        if self.public_bodies_bytes < min_public {
            return Err(format!(
                "configuration: limits.public_bodies_bytes must be at least {min_public}, so that one body of limits.body_bytes fits"
            ));
        }
        let min_all = upload_bytes.saturating_add(OVERHEAD_BYTES).max(self.public_bodies_bytes);
        if self.all_bodies_bytes < min_all {
            return Err(format!(
                "configuration: limits.all_bodies_bytes must be at least {min_all}, so that limits.public_bodies_bytes and one body of uploads.request_bytes fit"
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
        let max_sockets =
            |connections, sockets| Limits { connections, sockets, ..Limits::default() }.max_sockets();
        assert_eq!(Limits::default().max_sockets(), 500);
        for (connections, sockets, expected) in [(400, 500, 300), (400, 200, 200), (3, 500, 2), (1, 500, 0)] {
            assert_eq!(max_sockets(connections, sockets), expected);
        }
    }

    #[test]
    fn errors_name_zeros_and_budgets_below_one_body() {
        let upload_bytes = 16 << 20;
        Limits::default().check(upload_bytes).unwrap();
        let check_error = |change: fn(&mut Limits)| {
            let mut limits = Limits::default();
            change(&mut limits);
            limits.check(upload_bytes).unwrap_err()
        };
        assert!(check_error(|limits| limits.connections = 0).contains("limits.connections must"));
        assert!(
            check_error(|limits| limits.connections_per_address = 0)
                .contains("limits.connections_per_address must")
        );
        assert!(
            check_error(|limits| limits.write_stall_seconds = 0).contains("limits.write_stall_seconds must")
        );
        let no_subscribe_time = |limits: &mut Limits| limits.socket_subscribe_seconds = 0;
        assert!(check_error(no_subscribe_time).contains("limits.socket_subscribe_seconds must"));
        assert!(
            check_error(|limits| limits.bodies_per_address = 0).contains("limits.bodies_per_address must")
        );
        assert!(
            check_error(|limits| limits.body_grace_seconds = 0).contains("limits.body_grace_seconds must")
        );
        for rate in [0, MAX_BODY_BYTES_PER_SECOND + 1] {
            let error = Limits { body_bytes_per_second: rate, ..Limits::default() }.check(upload_bytes);
            assert!(error.unwrap_err().contains("limits.body_bytes_per_second must be 1 to 1000000"));
        }
        let too_small_for_public_body = |limits: &mut Limits| limits.public_bodies_bytes = limits.body_bytes;
        assert!(
            check_error(too_small_for_public_body)
                .contains("limits.public_bodies_bytes must be at least 1064960")
        );
        assert!(
            check_error(|limits| limits.public_bodies_bytes = 0).contains("limits.public_bodies_bytes must")
        );
        assert!(check_error(|limits| limits.all_bodies_bytes = 0).contains("limits.all_bodies_bytes must"));
        let too_small_for_upload = |limits: &mut Limits| limits.all_bodies_bytes = 16 << 20;
        assert!(
            check_error(too_small_for_upload).contains("limits.all_bodies_bytes must be at least 16793600")
        );
        // A larger upload needs a larger budget.
        assert!(Limits::default().check(64 << 20).unwrap_err().contains("uploads.request_bytes"));
    }
}
