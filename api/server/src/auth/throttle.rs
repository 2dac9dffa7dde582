//! Slowing down guessing: per account and network, and per address. Rows in the database, so that every process
//! knows, and a restart forgets nothing.

use std::net::IpAddr;

use panel_contract::moment::Time;

use crate::config::Limits;
use crate::db::{Db, Source as _, Sql};
use crate::http::error::{ApiError, Result};

/// Attempts of one address are counted this long.
const WINDOW_MICROS: i64 = 60_000_000;
/// Failures of one account are counted this long.
const DAY_MICROS: i64 = 86_400_000_000;

/// Who tries to sign in as whom.
pub struct Attempt {
    account_key: String,
    address_key: String,
}

/// What was counted under one key.
#[derive(sqlx::FromRow)]
struct Counted {
    failures: i64,
    window_started_at: Time,
}

impl Attempt {
    /// Of `email` (lower case) from `ip`. Failures count by network (/24, /64), attempts by address; whoever has an
    /// IPv6 address has a whole /64 of them.
    #[must_use]
    pub fn new(email: &str, ip: IpAddr) -> Self {
        // Dual-stack sockets show IPv4 as IPv6: uncovered, or all of IPv4 would be one network.
        let ip = ip.to_canonical();
        let network = match ip {
            IpAddr::V4(ip) => ipnet::Ipv4Net::new_assert(ip, 24).trunc().to_string(),
            IpAddr::V6(ip) => ipnet::Ipv6Net::new_assert(ip, 64).trunc().to_string(),
        };
        let address = if ip.is_ipv4() { ip.to_string() } else { network.clone() };
        Self { account_key: format!("login|{email}|{network}"), address_key: format!("address|{address}") }
    }

    /// Lets the attempt through, or says how long to wait. Counts the attempt of the address.
    pub async fn admit(&self, db: &Db, limits: &Limits, now: Time) -> Result<()> {
        let counted = count(db, &self.address_key, now, WINDOW_MICROS).await?;
        if counted.failures > limits.logins_per_minute {
            return Err(ApiError::throttled(seconds(counted.window_started_at.0 + WINDOW_MICROS - now.0)));
        }
        let sql = Sql::new("SELECT blocked_until FROM login_throttle WHERE key = ?")
            .bind(self.account_key.as_str());
        match (&mut &*db).opt::<(Time,)>(sql).await? {
            Some((until,)) if until > now => Err(ApiError::throttled(seconds(until.0 - now.0))),
            _ => Ok(()),
        }
    }

    /// A wrong password or wrong digits: after `login_failures` of them the account waits, each time twice as long.
    pub async fn failed(&self, db: &Db, limits: &Limits, now: Time) -> Result<()> {
        let failures = count(db, &self.account_key, now, DAY_MICROS).await?.failures;
        metrics::counter!("panel_login_failures_total").increment(1);
        if failures >= limits.login_failures {
            let sql = Sql::new("UPDATE login_throttle SET blocked_until = ? WHERE key = ?");
            let until = now.0 + wait(limits, failures - limits.login_failures);
            (&mut &*db).exec(sql.bind(until).bind(self.account_key.as_str())).await?;
        }
        Ok(())
    }

    /// Signed in: the account's failures are forgotten.
    pub async fn succeeded(&self, db: &Db) -> Result<()> {
        (&mut &*db)
            .exec(Sql::new("DELETE FROM login_throttle WHERE key = ?").bind(self.account_key.as_str()))
            .await?;
        Ok(())
    }
}

/// How long to wait after so many failures too many, in microseconds.
fn wait(limits: &Limits, beyond: i64) -> i64 {
    let doublings = u32::try_from(beyond).unwrap_or(20).min(20);
    let seconds = limits.login_wait_seconds.saturating_mul(1_i64 << doublings);
    seconds.min(limits.login_longest_wait_seconds).saturating_mul(1_000_000)
}

/// Rounded up: earlier would be too early.
fn seconds(micros: i64) -> u64 {
    u64::try_from(micros.max(0) / 1_000_000 + 1).unwrap_or(1)
}

/// Counts one more under `key`; how many there were in the window, and since when it runs.
async fn count(db: &Db, key: &str, now: Time, window: i64) -> Result<Counted> {
    let sql = Sql::new(
        "INSERT INTO login_throttle AS t (key, failures, window_started_at, blocked_until) VALUES (?, 1, ?, 0)
         ON CONFLICT (key) DO UPDATE SET
           failures = CASE WHEN t.window_started_at <= ? THEN 1 ELSE t.failures + 1 END,
           window_started_at = CASE WHEN t.window_started_at <= ? THEN excluded.window_started_at ELSE t.window_started_at END
         RETURNING failures, window_started_at",
    );
    let since = now.0 - window;
    let mut tx = db.begin().await?;
    let counted = tx.one(sql.bind(key).bind(now).bind(since).bind(since)).await?;
    tx.commit().await?;
    Ok(counted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_longest() {
        let limits = Limits::default();
        let minutes: Vec<i64> = (0..7).map(|beyond| wait(&limits, beyond) / 60_000_000).collect();
        assert_eq!(minutes, [1, 2, 4, 8, 15, 15, 15]);
        assert_eq!(wait(&limits, i64::MAX), 900_000_000);
    }

    #[test]
    fn an_address_is_judged_by_what_it_is() {
        let of = |ip: &str| Attempt::new("a@b.c", ip.parse().unwrap());
        assert_eq!(of("::ffff:203.0.113.9").address_key, "address|203.0.113.9");
        assert_eq!(of("203.0.113.9").account_key, "login|a@b.c|203.0.113.0/24");
        assert_eq!(of("::ffff:203.0.113.9").account_key, of("203.0.113.200").account_key);
        assert_eq!(of("2001:db8::1").address_key, of("2001:db8::ffff:2").address_key);
        assert_ne!(of("203.0.113.9").address_key, of("203.0.113.200").address_key);
    }
}
