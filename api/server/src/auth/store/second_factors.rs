//! SQL of second factors: the factors of an account, its authenticator app, and the pending setup of an app. Passkeys and recovery
//! codes have their own stores. The store gets secrets sealed only.

use panel_contract::ids::{SessionId, UserId};
use panel_contract::moment::Time;
use panel_contract::second_factor::SecondFactor;
use panel_platform::db::{DbResult, Source, Sql};
use panel_platform::settings;

use super::requires_second_factor;
use crate::auth::factor_state::is_app_removable;

/// The second factors of an account, and whether it needs one.
pub(in crate::auth) async fn state(db: &mut impl Source, user: UserId) -> DbResult<SecondFactor> {
    let sql = Sql::new(concat!(
        "SELECT u.totp_secret IS NOT NULL, (SELECT count(*) FROM passkeys p WHERE p.user_id = u.id), ",
        requires_second_factor!(),
        ", (SELECT count(*) FROM recovery_codes c WHERE c.user_id = u.id AND c.used_at IS NULL) FROM users u WHERE u.id = ?",
    ));
    let sql = sql.bind(settings::SECOND_FACTOR_FOR_ALL_STAFF).bind(user);
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

/// The name and the email address of an account's owner.
pub(in crate::auth) async fn owner(db: &mut impl Source, user: UserId) -> DbResult<(String, String)> {
    db.fetch_one(Sql::new("SELECT name, email FROM users WHERE id = ?").bind(user)).await
}

/// The sealed secret of the pending setup, and whether this session may confirm it: it belongs to the sign-in that started the
/// setup, and the secret is not expired.
pub(in crate::auth) async fn enrolment(
    db: &mut impl Source,
    user: UserId,
    session: SessionId,
    now: Time,
) -> DbResult<Option<(Vec<u8>, bool)>> {
    let sql = Sql::new(
        "SELECT e.secret, e.expires_at > ? AND EXISTS (
           SELECT 1 FROM sessions s WHERE s.id = ? AND s.family_id = e.family_id)
         FROM authenticator_enrolments e WHERE e.user_id = ?",
    );
    db.fetch_optional(sql.bind(now).bind(session).bind(user)).await
}

/// Starts a setup in this session. It replaces an earlier one.
pub(in crate::auth) async fn begin_enrolment(
    db: &mut impl Source,
    (user, session): (UserId, SessionId),
    sealed: Vec<u8>,
    expires_at: Time,
) -> DbResult<()> {
    let sql = Sql::new(
        "INSERT INTO authenticator_enrolments (user_id, family_id, secret, expires_at)
         VALUES (?, (SELECT s.family_id FROM sessions s WHERE s.id = ?), ?, ?)
         ON CONFLICT (user_id) DO UPDATE SET family_id = excluded.family_id, secret = excluded.secret,
           expires_at = excluded.expires_at",
    );
    db.execute(sql.bind(user).bind(session).bind(sealed).bind(expires_at)).await.map(drop)
}

/// Deletes the pending setup of an account.
pub(in crate::auth) async fn delete_enrolment(db: &mut impl Source, user: UserId) -> DbResult<()> {
    let sql = Sql::new("DELETE FROM authenticator_enrolments WHERE user_id = ?").bind(user);
    db.execute(sql).await.map(drop)
}

/// Enables the authenticator app of an account with the time step of its first code; false if it already has an app.
pub(in crate::auth) async fn enable_app(
    db: &mut impl Source,
    user: UserId,
    sealed: Vec<u8>,
    step: i64,
) -> DbResult<bool> {
    let sql =
        Sql::new("UPDATE users SET totp_secret = ?, totp_last_step = ? WHERE id = ? AND totp_secret IS NULL");
    Ok(db.execute(sql.bind(sealed).bind(step).bind(user)).await? == 1)
}

/// Removes the authenticator app of an account; false if it has none.
pub(in crate::auth) async fn disable_app(db: &mut impl Source, user: UserId) -> DbResult<bool> {
    let sql = Sql::new(
        "UPDATE users SET totp_secret = NULL, totp_last_step = NULL WHERE id = ? AND totp_secret IS NOT NULL",
    );
    Ok(db.execute(sql.bind(user)).await? == 1)
}
