//! Statements for the counters of attempts, and for the networks from which accounts usually sign in. The counters that limit audit
//! entries of failed sign-ins are rows of the same table, so that the erasure of an account deletes all of its counters.

use std::time::Duration;

use panel_contract::ids::UserId;
use panel_contract::moment::Time;
use panel_platform::db::{DbResult, Sql, SqlExecutor, Tx};
use panel_platform::sql;

/// The row of a counter in the table `login_throttle`.
#[derive(Clone, Copy)]
pub(in crate::auth) struct Counter<'a> {
    /// Key of the counter, such as `login|anna@panel.test`.
    pub(in crate::auth) key: &'a str,
    /// The email address of the account; `None` if the counter belongs to the IP address of a client.
    pub(in crate::auth) email: Option<&'a str>,
}

/// The window and the limit of a counter.
#[derive(Clone, Copy)]
pub(in crate::auth) struct ThrottleRule {
    /// The counter restarts when this time has passed since its first attempt.
    pub(in crate::auth) window: Duration,
    /// Maximum number of attempts in one window.
    pub(in crate::auth) max_attempts: i64,
}

/// Counts one attempt before its result is known; [`release`] takes back a successful one. Returns the number of attempts in the window, or `None` if the counter has reached its maximum or is blocked.
/// Concurrent calls run one after the other, because each updates the row of the counter.
pub(in crate::auth) async fn count_attempt(
    tx: &mut Tx,
    counter: Counter<'_>,
    now: Time,
    rule: ThrottleRule,
) -> DbResult<Option<i64>> {
    let window_start = now.minus(rule.window);
    let sql = sql!(
        "INSERT INTO login_throttle AS t (key, email, failures, window_started_at, blocked_until) \
           VALUES (@key, @email, 1, @now, 0)
         ON CONFLICT (key) DO UPDATE SET
           failures = CASE WHEN t.window_started_at <= @window_start THEN 1 ELSE t.failures + 1 END,
           window_started_at = CASE WHEN t.window_started_at <= @window_start THEN excluded.window_started_at ELSE t.window_started_at END
         WHERE t.blocked_until <= @now AND (t.window_started_at <= @window_start OR t.failures < @max_attempts)
         RETURNING failures",
        { key: counter.key, email: counter.email, now, window_start, max_attempts: rule.max_attempts },
    );
    Ok(tx.fetch_optional::<(i64,)>(sql).await?.map(|(attempt_count,)| attempt_count))
}

/// Blocks a counter until `blocked_until`. Attempts before this time are rejected and not counted.
pub(in crate::auth) async fn block(tx: &mut Tx, key: &str, blocked_until: Time) -> DbResult<()> {
    let sql = Sql::new("UPDATE login_throttle SET blocked_until = ? WHERE key = ?");
    tx.execute(sql.bind(blocked_until).bind(key)).await.map(drop)
}

/// Takes back an attempt that succeeded, so that only failures stay counted, and removes the block of the counter.
pub(in crate::auth) async fn release(tx: &mut Tx, key: &str) -> DbResult<()> {
    let sql = Sql::new(
        "UPDATE login_throttle SET failures = failures - 1, blocked_until = 0 WHERE key = ? AND failures > 0",
    );
    tx.execute(sql.bind(key)).await.map(drop)
}

pub(in crate::auth) async fn reset(tx: &mut Tx, key: &str) -> DbResult<()> {
    let sql = Sql::new("DELETE FROM login_throttle WHERE key = ?");
    tx.execute(sql.bind(key)).await.map(drop)
}

/// Loads the start of a counter's window and the end of its block. Both are the Unix epoch if there is no such counter.
pub(in crate::auth) async fn load_window_and_block(tx: &mut Tx, key: &str) -> DbResult<(Time, Time)> {
    let sql = Sql::new("SELECT window_started_at, blocked_until FROM login_throttle WHERE key = ?");
    Ok(tx.fetch_optional(sql.bind(key)).await?.unwrap_or_default())
}

/// Returns true for the first call with this key in a window. All other calls return false and change no row.
pub(in crate::auth) async fn is_first_in_window(
    db: &mut impl SqlExecutor,
    key: &str,
    user_id: Option<UserId>,
    now: Time,
    window: Duration,
) -> DbResult<bool> {
    let sql = Sql::new(
        "INSERT INTO login_throttle AS t (key, user_id, failures, window_started_at, blocked_until) VALUES (?, ?, 1, ?, 0)
         ON CONFLICT (key) DO UPDATE SET window_started_at = excluded.window_started_at WHERE t.window_started_at <= ?",
    );
    Ok(db.execute(sql.bind(key).bind(user_id).bind(now).bind(now.minus(window))).await? == 1)
}

/// Deletes all counters of an account, because the personal data of the account is erased. Some counters have the email address of the
/// account, others its id.
pub(crate) async fn delete_counters_of_account(
    db: &mut impl SqlExecutor,
    user_id: UserId,
    email: &str,
) -> DbResult<()> {
    db.execute(Sql::new("DELETE FROM login_throttle WHERE email = ?").bind(email)).await?;
    db.execute(Sql::new("DELETE FROM login_throttle WHERE user_id = ?").bind(user_id)).await?;
    Ok(())
}

/// Whether the account with this email address has signed in from a network after `usual_since`.
pub(in crate::auth) async fn is_usual_network(
    db: &mut impl SqlExecutor,
    email: &str,
    network: &str,
    usual_since: Time,
) -> DbResult<bool> {
    let sql = Sql::new(
        "SELECT n.last_used_at FROM user_login_networks n JOIN users u ON u.id = n.user_id
         WHERE u.email = ? AND n.network = ? AND n.last_used_at > ?",
    );
    Ok(db.fetch_optional::<(i64,)>(sql.bind(email).bind(network).bind(usual_since)).await?.is_some())
}

/// Records that an account signed in from a network.
pub(in crate::auth) async fn record_network(
    db: &mut impl SqlExecutor,
    user_id: UserId,
    network: &str,
    now: Time,
) -> DbResult<()> {
    let sql = Sql::new(
        "INSERT INTO user_login_networks (user_id, network, last_used_at) VALUES (?, ?, ?)
         ON CONFLICT (user_id, network) DO UPDATE SET last_used_at = excluded.last_used_at",
    );
    db.execute(sql.bind(user_id).bind(network).bind(now)).await.map(drop)
}
