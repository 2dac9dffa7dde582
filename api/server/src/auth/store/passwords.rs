//! SQL of password hashes. The store never gets a plain password, and returns a hash only within its [`super::Account`].

use panel_contract::ids::UserId;
use panel_platform::db::{DbResult, Source, Sql};
use panel_platform::work::UnitOfWork;

/// Replaces `old_hash` by a newer hash of the same password, unless the password was changed meanwhile.
pub(in crate::auth) async fn rehash(
    db: &mut impl Source,
    id: UserId,
    old_hash: &str,
    new_hash: &str,
) -> DbResult<()> {
    let sql = Sql::new("UPDATE users SET password_hash = ? WHERE id = ? AND password_hash = ?");
    db.execute(sql.bind(new_hash).bind(id).bind(old_hash)).await.map(drop)
}

/// Replaces `current_hash` by the hash of a new password; false if the password was changed meanwhile.
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

/// Sets the hash of an account without a check of the former password.
pub(in crate::auth) async fn set(work: &mut UnitOfWork, id: UserId, new_hash: &str) -> DbResult<()> {
    let timestamp = work.timestamp();
    let sql = Sql::new("UPDATE users SET password_hash = ?, updated_at = ? WHERE id = ?");
    work.execute(sql.bind(new_hash).bind(timestamp).bind(id)).await.map(drop)
}
