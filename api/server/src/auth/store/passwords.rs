//! Password hashes in the database. A password never comes here in plain, and a hash leaves only with its [`super::Account`].

use panel_contract::ids::UserId;
use panel_platform::db::{DbResult, Source, Sql};
use panel_platform::work::Work;

/// Puts a newer hash of the same password in the place of `old`, unless the password was changed meanwhile.
pub(in crate::auth) async fn rehash(db: &mut impl Source, id: UserId, old: &str, new: &str) -> DbResult<()> {
    let sql = Sql::new("UPDATE users SET password_hash = ? WHERE id = ? AND password_hash = ?");
    db.exec(sql.bind(new).bind(id).bind(old)).await.map(drop)
}

/// Puts the hash of another password in the place of `confirmed`; false where the password was changed meanwhile.
pub(in crate::auth) async fn replace(
    work: &mut Work,
    id: UserId,
    confirmed: Option<&str>,
    new: &str,
) -> DbResult<bool> {
    let stamp = work.stamp();
    let sql =
        Sql::new("UPDATE users SET password_hash = ?, updated_at = ? WHERE id = ? AND password_hash = ?");
    Ok(work.exec(sql.bind(new).bind(stamp).bind(id).bind(confirmed)).await? == 1)
}

/// Sets the hash of an account, whatever its former password was.
pub(in crate::auth) async fn set(work: &mut Work, id: UserId, new: &str) -> DbResult<()> {
    let stamp = work.stamp();
    let sql = Sql::new("UPDATE users SET password_hash = ?, updated_at = ? WHERE id = ?");
    work.exec(sql.bind(new).bind(stamp).bind(id)).await.map(drop)
}
