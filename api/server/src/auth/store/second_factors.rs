//! Statements for second factors: the factors of an account, its authenticator app, and the pending setup of an app. Passkeys and
//! recovery codes have modules of their own. The caller passes secrets only in encrypted form.

use panel_contract::ids::{SessionId, UserId};
use panel_contract::moment::Time;
use panel_contract::second_factor::SecondFactor;
use panel_platform::db::{DbResult, Sql, SqlExecutor};
use panel_platform::settings;

use super::requires_second_factor;
use crate::auth::factor_state::is_app_removable;

/// Loads which second factors an account has, and whether it needs one.
pub(in crate::auth) async fn load_state(
    db: &mut impl SqlExecutor,
    user_id: UserId,
) -> DbResult<SecondFactor> {
    let sql = Sql::new(concat!(
        "SELECT u.totp_secret IS NOT NULL, (SELECT count(*) FROM passkeys p WHERE p.user_id = u.id), ",
        requires_second_factor!(),
        ", (SELECT count(*) FROM recovery_codes c WHERE c.user_id = u.id AND c.used_at IS NULL) FROM users u WHERE u.id = ?",
    ));
    let sql = sql.bind(settings::SECOND_FACTOR_FOR_ALL_STAFF).bind(user_id);
    let (has_authenticator_app, passkeys, is_required, recovery_codes_left): (bool, i64, bool, i64) =
        db.fetch_one(sql).await?;
    let is_enabled = has_authenticator_app || passkeys > 0;
    let is_app_removable = is_app_removable(has_authenticator_app, passkeys, is_required);
    Ok(SecondFactor {
        is_enabled,
        has_authenticator_app,
        passkeys,
        is_required,
        recovery_codes_left,
        is_app_removable,
    })
}

/// Loads name and email address of the owner of an account.
pub(in crate::auth) async fn load_owner(
    db: &mut impl SqlExecutor,
    user_id: UserId,
) -> DbResult<(String, String)> {
    db.fetch_one(Sql::new("SELECT name, email FROM users WHERE id = ?").bind(user_id)).await
}

/// Loads the encrypted secret of the pending setup, and whether this session may confirm the secret: it belongs to the sign-in that
/// started the setup, and the secret is not expired.
pub(in crate::auth) async fn load_enrolment(
    db: &mut impl SqlExecutor,
    user_id: UserId,
    session_id: SessionId,
    now: Time,
) -> DbResult<Option<(Vec<u8>, bool)>> {
    let sql = Sql::new(
        "SELECT e.secret, e.expires_at > ? AND EXISTS (
           SELECT 1 FROM sessions s WHERE s.id = ? AND s.family_id = e.family_id)
         FROM authenticator_enrolments e WHERE e.user_id = ?",
    );
    db.fetch_optional(sql.bind(now).bind(session_id).bind(user_id)).await
}

/// Stores a pending setup, which replaces an earlier pending setup of the account.
pub(in crate::auth) async fn begin_enrolment(
    db: &mut impl SqlExecutor,
    (user_id, session_id): (UserId, SessionId),
    sealed_secret: Vec<u8>,
    expires_at: Time,
) -> DbResult<()> {
    let sql = Sql::new(
        "INSERT INTO authenticator_enrolments (user_id, family_id, secret, expires_at)
         VALUES (?, (SELECT s.family_id FROM sessions s WHERE s.id = ?), ?, ?)
         ON CONFLICT (user_id) DO UPDATE SET family_id = excluded.family_id, secret = excluded.secret,
           expires_at = excluded.expires_at",
    );
    db.execute(sql.bind(user_id).bind(session_id).bind(sealed_secret).bind(expires_at)).await.map(drop)
}

/// Deletes the pending setup of an account.
pub(in crate::auth) async fn delete_enrolment(db: &mut impl SqlExecutor, user_id: UserId) -> DbResult<()> {
    let sql = Sql::new("DELETE FROM authenticator_enrolments WHERE user_id = ?").bind(user_id);
    db.execute(sql).await.map(drop)
}

/// Enables the authenticator app of an account. `time_step` is the time step of its first code. Returns false if the account already
/// has an app.
pub(in crate::auth) async fn enable_app(
    db: &mut impl SqlExecutor,
    user_id: UserId,
    sealed_secret: Vec<u8>,
    time_step: i64,
) -> DbResult<bool> {
    let sql =
        Sql::new("UPDATE users SET totp_secret = ?, totp_last_step = ? WHERE id = ? AND totp_secret IS NULL");
    Ok(db.execute(sql.bind(sealed_secret).bind(time_step).bind(user_id)).await? == 1)
}

/// Removes the authenticator app of an account. Returns false if the account has no app.
pub(in crate::auth) async fn disable_app(db: &mut impl SqlExecutor, user_id: UserId) -> DbResult<bool> {
    let sql = Sql::new(
        "UPDATE users SET totp_secret = NULL, totp_last_step = NULL WHERE id = ? AND totp_secret IS NOT NULL",
    );
    Ok(db.execute(sql.bind(user_id)).await? == 1)
}
