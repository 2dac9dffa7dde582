//! Slows down guessing of secrets: passwords and the digits of second factors. An attempt is counted before its secret is
//! checked and given back when the secret fits, so that parallel guesses are never more than sequential ones. The counters
//! are rows of the database, so that all processes share them and a restart forgets nothing. Never checks a secret itself.
//!
//! Three counters per attempt: attempts of an address per minute, failures of an account from one network, and failures of
//! an account from all networks that it does not usually sign in from. Above the last one an attempt needs a captcha, or
//! waits where none is configured. Usual networks have no part in it, so an attacker elsewhere cannot lock the person out.

use std::net::IpAddr;
use std::time::Duration;

use panel_contract::ids::UserId;
use panel_contract::moment::{DAY, Time};
use panel_kernel::backoff::{Backoff, Chance};
use panel_kernel::error::{Error, Result};

use crate::app::App;
use crate::auth::store::throttle::{self as store, Counter, Rule};
use crate::auth::traces;
use crate::context::Ctx;
use crate::metrics::LOGIN_FAILURES;
use panel_platform::config::Limits;
use panel_platform::db::{Db, Source, Tx};

/// Attempts of one address are counted this long.
const ADDRESS_WINDOW: Duration = Duration::from_mins(1);
/// Failures are counted this long.
const FAILURE_WINDOW: Duration = DAY;
/// A network is usual for an account this long after the last sign-in from it.
pub const USUAL: Duration = Duration::from_hours(30 * 24);

/// What a secret is asked for; each purpose has counters of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To sign in.
    Login,
    /// To confirm by the password who uses a session that is signed in already. Each kind of proof has a purpose of its own,
    /// so that an attacker who has one of them cannot forget their failures with the other.
    ConfirmByPassword,
    /// The same by digits or a recovery code.
    ConfirmByCode,
    /// The same by a passkey.
    ConfirmByPasskey,
    /// To show that a new authenticator app has its secret.
    Enrolment,
    /// To get an email with a link after a forgotten password.
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

/// What is known of a captcha when an attempt is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Captcha {
    /// None can be asked for, so an attempt above the limit waits.
    Unavailable,
    /// One can be asked for.
    Unsolved,
    /// It was solved for this attempt.
    Solved,
}

/// An account and where its secret is tried from.
#[derive(Debug)]
pub struct Attempt {
    email: String,
    network: String,
    network_key: String,
    account_key: String,
    address_key: String,
}

impl Attempt {
    /// Of the account with `email` (lower case) from `ip`.
    #[must_use]
    pub fn new(purpose: Purpose, email: &str, ip: IpAddr) -> Self {
        let (network, purpose) = (network(ip), purpose.as_str());
        // A client that has an IPv6 address has a whole /64 of them.
        let address = match ip.to_canonical() {
            IpAddr::V4(ip) => ip.to_string(),
            IpAddr::V6(_) => network.clone(),
        };
        Self {
            email: email.to_owned(),
            network_key: format!("{purpose}|{email}|{network}"),
            account_key: format!("{purpose}|{email}"),
            address_key: format!("address|{address}"),
            network,
        }
    }

    /// Counts the attempt of its address; an error with the time to wait when it has made too many.
    pub async fn admit(&self, app: &App) -> Result<()> {
        let now = app.clock.now();
        let mut tx = app.db.begin().await?;
        let rule = Rule { window: ADDRESS_WINDOW, most: app.config.limits.logins_per_minute };
        let counter = Counter { key: &self.address_key, email: None };
        if store::count(&mut tx, counter, now, rule).await?.is_some() {
            return Ok(tx.commit().await?);
        }
        let (started, _) = store::window_and_block(&mut tx, &self.address_key).await?;
        Err(Error::throttled(secs_up(started.after(ADDRESS_WINDOW).since(now))))
    }

    /// Counts a failure of the account before its secret is checked. None when a captcha has to be solved first; an error
    /// with the time to wait when there were too many. A reservation that is dropped stays counted.
    pub async fn reserve(&self, app: &App, captcha: Captcha) -> Result<Option<Reservation>> {
        let (now, limits) = (app.clock.now(), &app.config.limits);
        let since = now.before(USUAL);
        let is_usual = store::is_usual(&mut &app.db, &self.email, &self.network, since).await?;
        // Always the network before the account, so that two attempts never wait for each other.
        let mut tx = app.db.begin().await?;
        if !count_or_block(&mut tx, self.of(&self.network_key), now, limits.login_failures, limits).await? {
            return Err(self.blocked(tx, &self.network_key, now).await);
        }
        if !is_usual {
            let most = limits.login_failures_per_account;
            let is_counted = match captcha {
                Captcha::Unavailable => {
                    count_or_block(&mut tx, self.of(&self.account_key), now, most, limits).await?
                }
                Captcha::Unsolved => {
                    let rule = Rule { window: FAILURE_WINDOW, most };
                    store::count(&mut tx, self.of(&self.account_key), now, rule).await?.is_some()
                }
                Captcha::Solved => {
                    let rule = Rule { window: FAILURE_WINDOW, most: i64::MAX };
                    store::count(&mut tx, self.of(&self.account_key), now, rule).await?.is_some()
                }
            };
            if !is_counted && captcha == Captcha::Unsolved {
                tx.rollback().await?;
                return Ok(None);
            }
            if !is_counted {
                return Err(self.blocked(tx, &self.account_key, now).await);
            }
        }
        tx.commit().await?;
        let account_key = (!is_usual).then(|| self.account_key.clone());
        Ok(Some(Reservation { network_key: self.network_key.clone(), account_key }))
    }

    fn of<'a>(&'a self, key: &'a str) -> Counter<'a> {
        Counter { key, email: Some(&self.email) }
    }

    /// The refusal of an attempt whose counter is blocked; nothing of the attempt stays counted.
    async fn blocked(&self, mut tx: Tx, key: &str, now: Time) -> Error {
        let until = store::window_and_block(&mut tx, key).await.map(|(_, until)| until);
        drop(tx.rollback().await);
        until.map_or_else(Error::from, |until| Error::throttled(secs_up(until.since(now))))
    }
}

/// Counts an attempt of the caller's address, then checks one proof ([`confirm_next_by`]).
pub async fn confirm_by<T>(
    ctx: &Ctx,
    purpose: Purpose,
    email: &str,
    check: impl Future<Output = Result<std::result::Result<T, Error>>> + Send,
) -> Result<T> {
    Attempt::new(purpose, email, ctx.meta.ip).admit(&ctx.app).await?;
    confirm_next_by(ctx, purpose, email, check).await
}

/// Runs the check of one proof of a signed-in person: counted as a failure of its kind before it begins, and given back when it
/// fits or cannot be carried out. `Err` of the check is the refusal of a wrong proof. No captcha is drawn for a person who is
/// signed in: above the limit they wait. For a further proof of an attempt that [`confirm_by`] counted.
pub async fn confirm_next_by<T>(
    ctx: &Ctx,
    purpose: Purpose,
    email: &str,
    check: impl Future<Output = Result<std::result::Result<T, Error>>> + Send,
) -> Result<T> {
    let app = &ctx.app;
    let attempt = Attempt::new(purpose, email, ctx.meta.ip);
    let reservation = attempt.reserve(app, Captcha::Unavailable).await?;
    let reservation = reservation.ok_or_else(|| Error::Fault("a captcha was asked for".into()))?;
    match check.await {
        Ok(Ok(known)) => {
            reservation.succeeded(&app.db).await?;
            Ok(known)
        }
        Ok(Err(refused)) => {
            reservation.failed();
            traces::confirmation_refused(ctx);
            Err(refused)
        }
        Err(error) => {
            reservation.release(&app.db).await?;
            Err(error)
        }
    }
}

/// A failure counted ahead of the check of its secret.
#[derive(Debug)]
#[must_use = "say how the check ended"]
pub struct Reservation {
    network_key: String,
    /// None for a usual network.
    account_key: Option<String>,
}

impl Reservation {
    /// The secret was wrong: the failure stays counted.
    pub fn failed(self) {
        LOGIN_FAILURES.only().increment(1);
    }

    /// The secret was not checked, or not in full: the failure is given back.
    pub async fn release(self, db: &Db) -> Result<()> {
        let mut tx = db.begin().await?;
        store::give_back(&mut tx, &self.network_key).await?;
        self.release_account(&mut tx).await?;
        Ok(tx.commit().await?)
    }

    /// The secret fits: the failures of this network are forgotten. Those of other networks stay.
    pub async fn succeeded(self, db: &Db) -> Result<()> {
        let mut tx = db.begin().await?;
        store::forget(&mut tx, &self.network_key).await?;
        self.release_account(&mut tx).await?;
        Ok(tx.commit().await?)
    }

    async fn release_account(&self, tx: &mut Tx) -> Result<()> {
        match &self.account_key {
            Some(key) => Ok(store::give_back(tx, key).await?),
            None => Ok(()),
        }
    }
}

/// The network of an address: failures count by /24 of IPv4 and /64 of IPv6.
#[must_use]
pub fn network(ip: IpAddr) -> String {
    // Dual-stack sockets show IPv4 as IPv6: all of IPv4 would be one network.
    match ip.to_canonical() {
        IpAddr::V4(ip) => ipnet::Ipv4Net::new_assert(ip, 24).trunc().to_string(),
        IpAddr::V6(ip) => ipnet::Ipv6Net::new_assert(ip, 64).trunc().to_string(),
    }
}

/// Until when the next sign-in waits after the last allowed failure and so many beyond it.
fn blocked_until(limits: &Limits, beyond: i64, now: Time) -> Time {
    let [first, longest] = [limits.login_wait_seconds, limits.login_longest_wait_seconds]
        .map(|seconds| Duration::from_secs(seconds.unsigned_abs()));
    Backoff::doubling(first, longest).at(beyond.saturating_add(1), Chance::NONE, now)
}

/// Rounded up: earlier would be too early.
const fn secs_up(wait: Duration) -> u64 {
    wait.as_secs() + 1
}

/// Counts one more failure; from the last allowed one on the next has to wait, each time twice as long. False when this
/// one has to.
async fn count_or_block(
    tx: &mut Tx,
    counter: Counter<'_>,
    now: Time,
    allowed: i64,
    limits: &Limits,
) -> Result<bool> {
    let rule = Rule { window: FAILURE_WINDOW, most: i64::MAX };
    let Some(failures) = store::count(tx, counter, now, rule).await? else { return Ok(false) };
    if failures >= allowed {
        store::block(tx, counter.key, blocked_until(limits, failures - allowed, now)).await?;
    }
    Ok(true)
}

/// Notes that an account signed in from `ip`.
pub async fn note_sign_in(db: &mut impl Source, user_id: UserId, ip: IpAddr, now: Time) -> Result<()> {
    Ok(store::note_network(db, user_id, &network(ip), now).await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_longest() {
        let limits = Limits::default();
        let minutes: Vec<i64> =
            (0..7).map(|beyond| blocked_until(&limits, beyond, Time(0)).0 / 60_000_000).collect();
        assert_eq!(minutes, [1, 2, 4, 8, 15, 15, 15]);
        assert_eq!(blocked_until(&limits, i64::MAX, Time(0)), Time(900_000_000));
    }

    #[test]
    fn an_address_is_judged_by_what_it_is() {
        let of = |ip: &str| Attempt::new(Purpose::Login, "a@b.c", ip.parse().unwrap());
        assert_eq!(of("::ffff:203.0.113.9").address_key, "address|203.0.113.9");
        assert_eq!(of("203.0.113.9").network_key, "login|a@b.c|203.0.113.0/24");
        assert_eq!(of("::ffff:203.0.113.9").network_key, of("203.0.113.200").network_key);
        assert_eq!(of("2001:db8::1").address_key, of("2001:db8::ffff:2").address_key);
        assert_ne!(of("203.0.113.9").address_key, of("203.0.113.200").address_key);
        assert_eq!(of("203.0.113.9").account_key, of("2001:db8::1").account_key);
    }
}
