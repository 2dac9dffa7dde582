//! SQL of attempt counters and of the networks from which accounts usually sign in. The audit of failed sign-ins has its
//! counters in the same table, so that they are deleted together.

use std::time::Duration;

use panel_contract::ids::UserId;
use panel_contract::moment::Time;
use panel_platform::db::{DbResult, Source, Sql, Tx};
use panel_platform::sql;

/// The row of a counter.
#[derive(Clone, Copy)]
pub(in crate::auth) struct Counter<'a> {
    /// The key, such as `login|anna@panel.test`.
    pub(in crate::auth) key: &'a str,
    /// The email address of the account; `None` for a counter of a client's address.
    pub(in crate::auth) email: Option<&'a str>,
}

/// The window and the limit of a counter.
#[derive(Clone, Copy)]
pub(in crate::auth) struct ThrottleRule {
    /// The counter restarts this long after its first attempt.
    pub(in crate::auth) window: Duration,
    /// Maximum number of attempts in one window.
    pub(in crate::auth) max: i64,
}

/// Counts one attempt, in one statement that serializes concurrent ones. Returns the count, or `None` if the counter is at its
/// limit or blocked.
pub(in crate::auth) async fn count(
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
         WHERE t.blocked_until <= @now AND (t.window_started_at <= @window_start OR t.failures < @failures)
         RETURNING failures",
        { key: counter.key, email: counter.email, now, window_start, failures: rule.max },
    );
    Ok(tx.fetch_optional::<(i64,)>(sql).await?.map(|row| row.0))
}

/// Blocks a counter until `until`: earlier attempts are refused and not counted.
pub(in crate::auth) async fn block(tx: &mut Tx, key: &str, until: Time) -> DbResult<()> {
    let sql = Sql::new("UPDATE login_throttle SET blocked_until = ? WHERE key = ?");
    tx.execute(sql.bind(until).bind(key)).await.map(drop)
}

/// Subtracts one failure and removes the block.
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

/// The start of a counter's window and the end of its block; the epoch if there is no such counter.
pub(in crate::auth) async fn window_and_block(tx: &mut Tx, key: &str) -> DbResult<(Time, Time)> {
    let sql = Sql::new("SELECT window_started_at, blocked_until FROM login_throttle WHERE key = ?");
    Ok(tx.fetch_optional(sql.bind(key)).await?.unwrap_or_default())
}

/// Returns true for the first call per key and window, and false for others, which change no row.
pub(in crate::auth) async fn count_first(
    db: &mut impl Source,
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

/// Deletes all counters of an account, by its address and its id, when the account is erased.
pub(crate) async fn forget_account(db: &mut impl Source, user_id: UserId, email: &str) -> DbResult<()> {
    db.execute(Sql::new("DELETE FROM login_throttle WHERE email = ?").bind(email)).await?;
    db.execute(Sql::new("DELETE FROM login_throttle WHERE user_id = ?").bind(user_id)).await?;
    Ok(())
}

/// Whether the account with this email address has signed in from a network since `since`.
pub(in crate::auth) async fn is_usual_network(
    db: &mut impl Source,
    email: &str,
    network: &str,
    since: Time,
) -> DbResult<bool> {
    let sql = Sql::new(
        "SELECT n.last_used_at FROM user_login_networks n JOIN users u ON u.id = n.user_id
         WHERE u.email = ? AND n.network = ? AND n.last_used_at > ?",
    );
    Ok(db.fetch_optional::<(i64,)>(sql.bind(email).bind(network).bind(since)).await?.is_some())
}

/// Records that an account signed in from a network.
pub(in crate::auth) async fn record_network(
    db: &mut impl Source,
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
