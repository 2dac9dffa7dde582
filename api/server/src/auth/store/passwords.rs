//! Statements for password hashes. This module never gets a password in plain text; [`super::Account`] holds the loaded hash.

use panel_contract::ids::UserId;
use panel_platform::db::{DbResult, Sql, SqlExecutor};
use panel_platform::work::UnitOfWork;

/// Replaces `old_hash` by a hash of the same password with current parameters, unless the password was changed meanwhile.
pub(in crate::auth) async fn rehash(
    db: &mut impl SqlExecutor,
    id: UserId,
    old_hash: &str,
    new_hash: &str,
) -> DbResult<()> {
    let sql = Sql::new("UPDATE users SET password_hash = ? WHERE id = ? AND password_hash = ?");
    db.execute(sql.bind(new_hash).bind(id).bind(old_hash)).await.map(drop)
}

/// Replaces `current_hash` by the hash of a new password. Returns false if the password was changed meanwhile.
pub(in crate::auth) async fn replace(
    work: &mut UnitOfWork,
    id: UserId,
    current_hash: Option<&str>,
    new_hash: &str,
) -> DbResult<bool> {
    let timestamp = work.timestamp();
    let sql =
        Sql::new("UPDATE users SET password_hash = ?, updated_at = ? WHERE id = ? AND password_hash = ?");
    Ok(work.execute(sql.bind(new_hash).bind(timestamp).bind(id).bind(current_hash)).await? == 1)
}

/// Sets the password hash of an account, whatever its current hash is.
pub(in crate::auth) async fn set(work: &mut UnitOfWork, id: UserId, new_hash: &str) -> DbResult<()> {
    let timestamp = work.timestamp();
    let sql = Sql::new("UPDATE users SET password_hash = ?, updated_at = ? WHERE id = ?");
    work.execute(sql.bind(new_hash).bind(timestamp).bind(id)).await.map(drop)
}
