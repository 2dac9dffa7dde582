//! SQL of password hashes. The store never gets a plain password, and returns a hash only within its [`super::Account`].

use panel_contract::ids::UserId;
use panel_platform::db::{DbResult, Source, Sql};
use panel_platform::work::UnitOfWork;

/// Replaces `old` by a newer hash of the same password, unless the password was changed meanwhile.
pub(in crate::auth) async fn rehash(db: &mut impl Source, id: UserId, old: &str, new: &str) -> DbResult<()> {
    let sql = Sql::new("UPDATE users SET password_hash = ? WHERE id = ? AND password_hash = ?");
    db.exec(sql.bind(new).bind(id).bind(old)).await.map(drop)
}

/// Replaces the hash `current` by that of another password; false if the password was changed meanwhile.
pub(in crate::auth) async fn replace(
    work: &mut UnitOfWork,
    id: UserId,
    current: Option<&str>,
    new: &str,
) -> DbResult<bool> {
    let stamp = work.stamp();
    let sql =
        Sql::new("UPDATE users SET password_hash = ?, updated_at = ? WHERE id = ? AND password_hash = ?");
    Ok(work.exec(sql.bind(new).bind(stamp).bind(id).bind(current)).await? == 1)
}

/// Sets the hash of an account without a check of the former password.
pub(in crate::auth) async fn set(work: &mut UnitOfWork, id: UserId, new: &str) -> DbResult<()> {
    let stamp = work.stamp();
    let sql = Sql::new("UPDATE users SET password_hash = ?, updated_at = ? WHERE id = ?");
    work.exec(sql.bind(new).bind(stamp).bind(id)).await.map(drop)
}
