//! Throttles the guessing of passwords and second factors. An attempt counts as a failure before its secret is checked, and the failure is
//! subtracted if the secret is correct, so that parallel guesses have no advantage over sequential guesses. The counters are stored in the
//! database, so that all processes share them and a restart keeps them. This module never checks a secret.
//!
//! Three counters apply to each attempt: the attempts of an IP address per minute, the failures of an account from one network, and the
//! failures of an account from all networks except its usual networks. Above the maximum of the last counter, an attempt needs a captcha,
//! or must wait if no captcha is configured. Usual networks are excepted, so that an attacker cannot lock the owner of the account out.

use std::net::IpAddr;
use std::time::Duration;

use panel_contract::ids::UserId;
use panel_contract::moment::{DAY, Time};
use panel_kernel::backoff::{Backoff, JitterFraction};
use panel_kernel::error::{Error, Result};

use crate::app::App;
use crate::auth::sign_in_audit;
use crate::auth::store::throttle::{self as store, Counter, ThrottleRule};
use crate::context::Ctx;
use crate::metrics::LOGIN_FAILURES;
use panel_platform::config::Limits;
use panel_platform::db::{Db, SqlExecutor, Tx};

/// The window of the counter of attempts per IP address.
const ADDRESS_WINDOW: Duration = Duration::from_mins(1);
/// The window of the counters of failures.
const FAILURE_WINDOW: Duration = DAY;
/// How long a network counts as usual for an account after the last sign-in from it.
pub const USUAL_NETWORK_TTL: Duration = Duration::from_hours(30 * 24);

/// Why a secret is checked. Each purpose has its own counters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    Login,
    /// To confirm the identity of a signed-in caller with a password. Each kind of secret has a purpose of its own, so that an
    /// attacker who has one secret cannot reset the failures of another kind of secret.
    ConfirmByPassword,
    /// To confirm the identity of a signed-in caller with the digits of an app or a recovery code.
    ConfirmByCode,
    /// To confirm the identity of a signed-in caller with a passkey.
    ConfirmByPasskey,
    /// To check the first code of a new authenticator app.
    Enrolment,
    /// To request an email with a link after a forgotten password.
    PasswordReset,
}

impl Purpose {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Login => "login",
            Self::ConfirmByPassword => "confirm_password",
            Self::ConfirmByCode => "confirm_code",
            Self::ConfirmByPasskey => "confirm_passkey",
            Self::Enrolment => "enrolment",
            Self::PasswordReset => "password_reset",
        }
    }
}

/// Whether the client solved a captcha for an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaptchaState {
    /// No captcha is configured, so an attempt above the limit must wait.
    Unavailable,
    /// A captcha is configured, and the client did not solve it.
    Unsolved,
    /// The client solved a captcha for this attempt.
    Solved,
}

/// An attempt of a client to sign in to an account, or to confirm an identity with a secret of this account.
#[derive(Debug)]
pub struct Attempt {
    email: String,
    network: String,
    network_key: String,
    account_key: String,
    address_key: String,
}

impl Attempt {
    /// `email` is the address of the account in lower case, `ip` the address of the client.
    #[must_use]
    pub fn new(purpose: Purpose, email: &str, ip: IpAddr) -> Self {
        let (network, purpose) = (throttled_network(ip), purpose.as_str());
        // A client with IPv6 usually has all addresses of a /64 network.
        let client_address = match ip.to_canonical() {
            IpAddr::V4(ip) => ip.to_string(),
            IpAddr::V6(_) => network.clone(),
        };
        Self {
            email: email.to_owned(),
            network_key: format!("{purpose}|{email}|{network}"),
            account_key: format!("{purpose}|{email}"),
            address_key: format!("address|{client_address}"),
            network,
        }
    }

    /// Counts the attempt for the IP address of the client.
    ///
    /// # Errors
    /// A 429 with the time to wait if the IP address has made too many attempts.
    pub async fn admit(&self, app: &App) -> Result<()> {
        let now = app.clock.now();
        let mut tx = app.db.begin().await?;
        let rule = ThrottleRule { window: ADDRESS_WINDOW, max_attempts: app.config.limits.logins_per_minute };
        let counter = Counter { key: &self.address_key, email: None };
        if store::count_attempt(&mut tx, counter, now, rule).await?.is_some() {
            return Ok(tx.commit().await?);
        }
        let (window_started_at, _) = store::load_window_and_block(&mut tx, &self.address_key).await?;
        Err(Error::throttled(ceil_secs(window_started_at.plus(ADDRESS_WINDOW).since(now))))
    }

    /// Counts a failure of the account before its secret is checked. Returns `None` if the client must solve a captcha first. If the
    /// reservation is dropped, the failure stays counted.
    ///
    /// # Errors
    /// A 429 with the time to wait after too many failures.
    pub async fn reserve(&self, app: &App, captcha: CaptchaState) -> Result<Option<Reservation>> {
        let (now, limits) = (app.clock.now(), &app.config.limits);
        let usual_since = now.minus(USUAL_NETWORK_TTL);
        let is_usual_network =
            store::is_usual_network(&mut &app.db, &self.email, &self.network, usual_since).await?;
        // Every attempt writes the row of the network before the row of the account, so that two attempts cannot deadlock.
        let mut tx = app.db.begin().await?;
        if !count_or_block(&mut tx, self.counter(&self.network_key), now, limits.login_failures, limits)
            .await?
        {
            return Err(self.roll_back_blocked(tx, &self.network_key, now).await);
        }
        if !is_usual_network {
            let max_failures = limits.login_failures_per_account;
            let is_counted = match captcha {
                CaptchaState::Unavailable => {
                    count_or_block(&mut tx, self.counter(&self.account_key), now, max_failures, limits)
                        .await?
                }
                CaptchaState::Unsolved => {
                    let rule = ThrottleRule { window: FAILURE_WINDOW, max_attempts: max_failures };
                    store::count_attempt(&mut tx, self.counter(&self.account_key), now, rule).await?.is_some()
                }
                CaptchaState::Solved => {
                    let rule = ThrottleRule { window: FAILURE_WINDOW, max_attempts: i64::MAX };
                    store::count_attempt(&mut tx, self.counter(&self.account_key), now, rule).await?.is_some()
                }
            };
            if !is_counted && captcha == CaptchaState::Unsolved {
                tx.rollback().await?;
                return Ok(None);
            }
            if !is_counted {
                return Err(self.roll_back_blocked(tx, &self.account_key, now).await);
            }
        }
        tx.commit().await?;
        let account_key = (!is_usual_network).then(|| self.account_key.clone());
        Ok(Some(Reservation { network_key: self.network_key.clone(), account_key }))
    }

    fn counter<'a>(&'a self, key: &'a str) -> Counter<'a> {
        Counter { key, email: Some(&self.email) }
    }

    /// Rolls the attempt back, so that it does not count, and returns the 429 with the time until which the counter is blocked.
    async fn roll_back_blocked(&self, mut tx: Tx, key: &str, now: Time) -> Error {
        let blocked_until =
            store::load_window_and_block(&mut tx, key).await.map(|(_, blocked_until)| blocked_until);
        drop(tx.rollback().await);
        blocked_until.map_or_else(Error::from, |time| Error::throttled(ceil_secs(time.since(now))))
    }
}

/// Counts an attempt for the IP address of the caller, then runs the check of a secret like [`check_next_throttled`].
pub async fn check_throttled<T>(
    ctx: &Ctx,
    purpose: Purpose,
    email: &str,
    check: impl Future<Output = Result<std::result::Result<T, Error>>> + Send,
) -> Result<T> {
    Attempt::new(purpose, email, ctx.meta.ip).admit(&ctx.app).await?;
    check_next_throttled(ctx, purpose, email, check).await
}

/// Runs the check of a secret of a signed-in caller. The check counts as a failure before it begins, and the failure is subtracted if the
/// secret is correct or the check fails to run. The inner `Err` of `check` means that the secret is wrong. A signed-in caller cannot solve
/// a captcha, and must wait above the maximum. Used for a further secret of a request, after [`check_throttled`] has counted the attempt.
pub async fn check_next_throttled<T>(
    ctx: &Ctx,
    purpose: Purpose,
    email: &str,
    check: impl Future<Output = Result<std::result::Result<T, Error>>> + Send,
) -> Result<T> {
    let app = &ctx.app;
    let attempt = Attempt::new(purpose, email, ctx.meta.ip);
    let reservation = attempt.reserve(app, CaptchaState::Unavailable).await?;
    let reservation =
        reservation.ok_or_else(|| Error::Internal("a captcha was required of a signed-in caller".into()))?;
    match check.await {
        Ok(Ok(check_output)) => {
            reservation.record_success(&app.db).await?;
            Ok(check_output)
        }
        Ok(Err(wrong_secret_error)) => {
            reservation.record_failure();
            sign_in_audit::record_failed_confirmation(ctx);
            Err(wrong_secret_error)
        }
        Err(error) => {
            reservation.release(&app.db).await?;
            Err(error)
        }
    }
}

/// A failure that is counted before the secret is checked.
#[derive(Debug)]
#[must_use = "record the outcome of the check"]
pub struct Reservation {
    network_key: String,
    /// `None` for a usual network.
    account_key: Option<String>,
}

impl Reservation {
    /// Call it if the secret was wrong: the failure stays counted.
    pub fn record_failure(self) {
        LOGIN_FAILURES.unlabeled().increment(1);
    }

    /// Call it if the check did not complete: the failure is subtracted again.
    pub async fn release(self, db: &Db) -> Result<()> {
        let mut tx = db.begin().await?;
        store::release(&mut tx, &self.network_key).await?;
        self.release_account(&mut tx).await?;
        Ok(tx.commit().await?)
    }

    /// Call it if the secret was correct: the failures of this network are reset. The failures of other networks stay counted.
    pub async fn record_success(self, db: &Db) -> Result<()> {
        let mut tx = db.begin().await?;
        store::reset(&mut tx, &self.network_key).await?;
        self.release_account(&mut tx).await?;
        Ok(tx.commit().await?)
    }

    async fn release_account(&self, tx: &mut Tx) -> Result<()> {
        match &self.account_key {
            Some(key) => Ok(store::release(tx, key).await?),
            None => Ok(()),
        }
    }
}

/// Returns the network by which failures are counted: /24 for IPv4 and /64 for IPv6.
#[must_use]
pub fn throttled_network(ip: IpAddr) -> String {
    // Dual-stack sockets report IPv4 addresses as IPv6 addresses, of which all would belong to one /64 network.
    match ip.to_canonical() {
        IpAddr::V4(ip) => ipnet::Ipv4Net::new_assert(ip, 24).trunc().to_string(),
        IpAddr::V6(ip) => ipnet::Ipv6Net::new_assert(ip, 64).trunc().to_string(),
    }
}

/// Computes when the block ends after the last allowed failure and `excess_failures` further failures.
fn blocked_until(limits: &Limits, excess_failures: i64, now: Time) -> Time {
    let [first_wait, max_wait] = [limits.login_wait_seconds, limits.login_longest_wait_seconds]
        .map(|seconds| Duration::from_secs(seconds.unsigned_abs()));
    Backoff::doubling(first_wait, max_wait).next_attempt_at(
        excess_failures.saturating_add(1),
        JitterFraction::NONE,
        now,
    )
}

/// Rounds a wait up to seconds, so that a retry is not too early.
const fn ceil_secs(wait: Duration) -> u64 {
    wait.as_secs() + 1
}

/// Counts a failure. From the last allowed failure on, each failure blocks the next attempt, each time twice as long. Returns false if the
/// counter is blocked already.
async fn count_or_block(
    tx: &mut Tx,
    counter: Counter<'_>,
    now: Time,
    max_failures: i64,
    limits: &Limits,
) -> Result<bool> {
    let rule = ThrottleRule { window: FAILURE_WINDOW, max_attempts: i64::MAX };
    let Some(failures) = store::count_attempt(tx, counter, now, rule).await? else { return Ok(false) };
    if failures >= max_failures {
        store::block(tx, counter.key, blocked_until(limits, failures - max_failures, now)).await?;
    }
    Ok(true)
}

/// Records the network from which an account signed in.
pub async fn record_network_of_sign_in(
    db: &mut impl SqlExecutor,
    user_id: UserId,
    ip: IpAddr,
    now: Time,
) -> Result<()> {
    Ok(store::record_network(db, user_id, &throttled_network(ip), now).await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wait_doubles_up_to_the_maximum() {
        let limits = Limits::default();
        let minutes: Vec<i64> =
            (0..7).map(|failures| blocked_until(&limits, failures, Time(0)).0 / 60_000_000).collect();
        assert_eq!(minutes, [1, 2, 4, 8, 15, 15, 15]);
        assert_eq!(blocked_until(&limits, i64::MAX, Time(0)), Time(900_000_000));
    }

    #[test]
    fn addresses_of_one_network_share_the_counter_of_failures() {
        let attempt = |ip: &str| Attempt::new(Purpose::Login, "a@b.c", ip.parse().unwrap());
        assert_eq!(attempt("::ffff:203.0.113.9").address_key, "address|203.0.113.9");
        assert_eq!(attempt("203.0.113.9").network_key, "login|a@b.c|203.0.113.0/24");
        assert_eq!(attempt("::ffff:203.0.113.9").network_key, attempt("203.0.113.200").network_key);
        assert_eq!(attempt("2001:db8::1").address_key, attempt("2001:db8::ffff:2").address_key);
        assert_ne!(attempt("203.0.113.9").address_key, attempt("203.0.113.200").address_key);
        assert_eq!(attempt("203.0.113.9").account_key, attempt("2001:db8::1").account_key);
    }
}
