//! Recovery codes in the database, as hashes only.

use panel_contract::ids::UserId;
use panel_contract::moment::Time;
use panel_platform::db::{DbResult, Source as _, Sql};
use panel_platform::work::Work;

/// Uses an unused code of an account up; false where it has none with this hash.
pub(in crate::auth) async fn use_up(
    work: &mut Work,
    user: UserId,
    code_hash: Vec<u8>,
    now: Time,
) -> DbResult<bool> {
    let sql = Sql::new(
        "UPDATE recovery_codes SET used_at = ? WHERE user_id = ? AND code_hash = ? AND used_at IS NULL",
    );
    Ok(work.exec(sql.bind(now).bind(user).bind(code_hash)).await? > 0)
}

/// Deletes the codes of an account, used ones too.
pub(in crate::auth) async fn forget(work: &mut Work, user: UserId) -> DbResult<()> {
    work.exec(Sql::new("DELETE FROM recovery_codes WHERE user_id = ?").bind(user)).await.map(drop)
}

/// Adds a code to those of an account.
pub(in crate::auth) async fn insert(
    work: &mut Work,
    user: UserId,
    code_hash: Vec<u8>,
    now: Time,
) -> DbResult<()> {
    let sql = Sql::new("INSERT INTO recovery_codes (user_id, code_hash, created_at) VALUES (?, ?, ?)");
    work.exec(sql.bind(user).bind(code_hash).bind(now)).await.map(drop)
}
