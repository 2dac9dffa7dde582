//! Slowing down guessing: per account and address, and per address. Rows in the database, so that every process
//! knows, and a restart forgets nothing.

use std::net::IpAddr;

use panel_contract::moment::Time;

use crate::config::Limits;
use crate::db::{Db, Source as _, Sql};
use crate::http::error::{ApiError, Result};

/// Attempts of one address are counted this long.
const WINDOW_MICROS: i64 = 60_000_000;
/// The longest wait.
const LONGEST_MICROS: i64 = 15 * 60_000_000;

/// Who tries to sign in as whom.
pub struct Attempt {
    account_key: String,
    address_key: String,
}

impl Attempt {
    /// Of `email` (lower case) from `ip`; addresses count by network (/24, /64).
    #[must_use]
    pub fn new(email: &str, ip: IpAddr) -> Self {
        let network = match ip {
            IpAddr::V4(ip) => ipnet::Ipv4Net::new_assert(ip, 24).trunc().to_string(),
            IpAddr::V6(ip) => ipnet::Ipv6Net::new_assert(ip, 64).trunc().to_string(),
        };
        Self { account_key: format!("login|{email}|{network}"), address_key: format!("address|{network}") }
    }

    /// Lets the attempt through, or says how long to wait. Counts the attempt of the address.
    pub async fn admit(&self, db: &Db, limits: &Limits, now: Time) -> Result<()> {
        let attempts = count(db, &self.address_key, now, WINDOW_MICROS).await?;
        if attempts > limits.logins_per_minute {
            return Err(ApiError::throttled(60));
        }
        let sql = Sql::new("SELECT blocked_until FROM login_throttle WHERE key = ?")
            .bind(self.account_key.as_str());
        match (&mut &*db).opt::<(Time,)>(sql).await? {
            Some((until,)) if until > now => Err(ApiError::throttled(seconds(until.0 - now.0))),
            _ => Ok(()),
        }
    }

    /// A wrong password: after `login_failures` of them the account waits a minute, then twice as long each time.
    pub async fn failed(&self, db: &Db, limits: &Limits, now: Time) -> Result<()> {
        let failures = count(db, &self.account_key, now, 24 * 3_600_000_000).await?;
        metrics::counter!("panel_login_failures_total").increment(1);
        if failures >= limits.login_failures {
            let doublings = u32::try_from(failures - limits.login_failures).unwrap_or(10).min(10);
            let wait = (60_000_000_i64 << doublings).min(LONGEST_MICROS);
            let sql = Sql::new("UPDATE login_throttle SET blocked_until = ? WHERE key = ?");
            (&mut &*db).exec(sql.bind(now.0 + wait).bind(self.account_key.as_str())).await?;
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

fn seconds(micros: i64) -> u64 {
    u64::try_from(micros / 1_000_000 + 1).unwrap_or(1)
}

/// Counts one more under `key` and answers how many there were in the window.
async fn count(mut db: &Db, key: &str, now: Time, window: i64) -> Result<i64> {
    let sql = Sql::new(
        "INSERT INTO login_throttle AS t (key, failures, window_started_at, blocked_until) VALUES (?, 1, ?, 0)
         ON CONFLICT (key) DO UPDATE SET
           failures = CASE WHEN t.window_started_at < ? THEN 1 ELSE t.failures + 1 END,
           window_started_at = CASE WHEN t.window_started_at < ? THEN excluded.window_started_at ELSE t.window_started_at END
         RETURNING failures",
    );
    let since = now.0 - window;
    let mut tx = db.begin().await?;
    let (failures,): (i64,) = tx.one(sql.bind(key).bind(now).bind(since).bind(since)).await?;
    tx.commit().await?;
    let _ = &mut db;
    Ok(failures)
}
