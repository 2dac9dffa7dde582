//! SQL of recovery codes, which are stored as hashes only.

use panel_contract::ids::UserId;
use panel_contract::moment::Time;
use panel_platform::db::{DbResult, Sql, SqlExecutor as _};
use panel_platform::work::UnitOfWork;

/// Consumes a code of an account; false if it has no unused code with this hash.
pub(in crate::auth) async fn consume(
    work: &mut UnitOfWork,
    user: UserId,
    code_hash: Vec<u8>,
    now: Time,
) -> DbResult<bool> {
    let sql = Sql::new(
        "UPDATE recovery_codes SET used_at = ? WHERE user_id = ? AND code_hash = ? AND used_at IS NULL",
    );
    Ok(work.execute(sql.bind(now).bind(user).bind(code_hash)).await? > 0)
}

/// Deletes the codes of an account, also used ones.
pub(in crate::auth) async fn delete(work: &mut UnitOfWork, user: UserId) -> DbResult<()> {
    work.execute(Sql::new("DELETE FROM recovery_codes WHERE user_id = ?").bind(user)).await.map(drop)
}

/// Inserts a code of an account.
pub(in crate::auth) async fn insert(
    work: &mut UnitOfWork,
    user: UserId,
    code_hash: Vec<u8>,
    now: Time,
) -> DbResult<()> {
    let sql = Sql::new("INSERT INTO recovery_codes (user_id, code_hash, created_at) VALUES (?, ?, ?)");
    work.execute(sql.bind(user).bind(code_hash).bind(now)).await.map(drop)
}
