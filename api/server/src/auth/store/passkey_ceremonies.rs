//! SQL of pending passkey challenges. A challenge belongs to an account, a purpose and, except at sign-in, to the sign-in of its
//! session. The store gets its token as a hash only.

use panel_contract::ids::{SessionId, UserId};
use panel_contract::moment::Time;
use panel_platform::db::{DbResult, Sql, SqlExecutor as _, Tx};
use panel_platform::sql;

/// A challenge to insert.
pub(in crate::auth) struct NewCeremony {
    /// SHA-256 of the token for its answer.
    pub(in crate::auth) token_hash: Vec<u8>,
    /// The account whose passkeys may answer it.
    pub(in crate::auth) user_id: UserId,
    /// The purpose of the answer.
    pub(in crate::auth) purpose: &'static str,
    /// The session that may answer it; `None` at sign-in.
    pub(in crate::auth) session: Option<SessionId>,
    /// The state of webauthn-rs, as JSON.
    pub(in crate::auth) state: String,
    pub(in crate::auth) expires_at: Time,
}

/// Inserts a challenge. It replaces no other one.
pub(in crate::auth) async fn insert(tx: &mut Tx, ceremony: NewCeremony) -> DbResult<()> {
    let sql = sql!(
        "INSERT INTO passkey_ceremonies (token_hash, user_id, purpose, family_id, state, expires_at)
         VALUES (@token_hash, @user_id, @purpose, (SELECT s.family_id FROM sessions s WHERE s.id = @session), @state, \
           @expires_at)",
        {
            token_hash: ceremony.token_hash,
            user_id: ceremony.user_id,
            purpose: ceremony.purpose,
            session: ceremony.session,
            state: ceremony.state,
            expires_at: ceremony.expires_at,
        },
    );
    tx.execute(sql).await.map(drop)
}

/// Deletes the expired challenges of an account and purpose, and those of the sign-in of `session`.
pub(in crate::auth) async fn delete_replaced(
    tx: &mut Tx,
    user: UserId,
    purpose: &'static str,
    session: Option<SessionId>,
    now: Time,
) -> DbResult<()> {
    let sql = Sql::new(
        "DELETE FROM passkey_ceremonies WHERE user_id = ? AND purpose = ?
           AND (expires_at <= ? OR family_id = (SELECT s.family_id FROM sessions s WHERE s.id = ?))",
    );
    tx.execute(sql.bind(user).bind(purpose).bind(now).bind(session)).await.map(drop)
}

/// Deletes a challenge and returns its state in one statement, so that only one of two answers gets it. `None` if it is unknown,
/// used, expired, or of another account, purpose or sign-in.
pub(in crate::auth) async fn consume(
    tx: &mut Tx,
    token_hash: Vec<u8>,
    user: UserId,
    purpose: &'static str,
    session: Option<SessionId>,
    now: Time,
) -> DbResult<Option<String>> {
    let sql = sql!(
        "DELETE FROM passkey_ceremonies WHERE token_hash = @token_hash AND user_id = @user AND purpose = @purpose \
           AND expires_at > @now
           AND COALESCE(family_id, '') = COALESCE((SELECT s.family_id FROM sessions s WHERE s.id = @session), '')
         RETURNING state",
        { token_hash, user, purpose, now, session },
    );
    Ok(tx.fetch_optional::<(String,)>(sql).await?.map(|row| row.0))
}
