//! Statements for sessions, handoff codes and the accounts of staff members.

pub(super) mod open_sessions;
pub(super) mod passkey_ceremonies;
pub(super) mod passkeys;
pub(super) mod passwords;
pub(super) mod recovery_codes;
pub(super) mod second_factors;
pub(crate) mod staff_accounts;
pub(crate) mod throttle;

use panel_contract::ids::{RoleId, SessionId, UserId};
use panel_contract::moment::Time;
use panel_kernel::error::Result;

use crate::auth::lifetime::SessionLifetime;
use panel_platform::db::{DbResult, Sql, SqlExecutor};
use panel_platform::settings::{
    SECOND_FACTOR_FOR_ALL_STAFF, SESSION_ABSOLUTE_DAYS, SESSION_IDLE_DAYS, SESSION_PRESET,
};
use panel_platform::sql;

/// A session and its user, loaded by the hash of the session token.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct SessionRow {
    pub id: SessionId,
    pub user_id: UserId,
    /// Identifies the sign-in. A refresh creates a session of the same family.
    pub family_id: String,
    /// When the user signed in.
    pub signed_in_at: Time,
    /// The stored absolute expiry. After the authentication of a request: the expiry according to the current settings.
    pub expires_at: Time,
    /// The last recorded use.
    pub last_used_at: Time,
    /// When a newer token replaced the token of this session.
    pub rotated_at: Option<Time>,
    pub revoked_at: Option<Time>,
    /// When the user last confirmed their identity.
    pub confirmed_at: Option<Time>,
    pub name: String,
    pub email: String,
    pub status: String,
    /// The access version, which grows with every change of permissions, sessions or session settings.
    pub access_version: i64,
    /// Whether the user needs a second factor that they do not have.
    pub must_enrol: bool,
}

/// SQL condition: a role or the setting for all staff requires a second factor of the user `u`. Binds the key of the setting. A
/// setting that is not stored counts as off.
macro_rules! requires_second_factor {
    () => {
        "(EXISTS (SELECT 1 FROM user_roles x JOIN roles r ON r.id = x.role_id WHERE x.user_id = u.id AND r.requires_second_factor)
           OR EXISTS (SELECT 1 FROM settings g WHERE g.key = ? AND g.value = 'true'))"
    };
}
pub(super) use requires_second_factor;

/// SQL column `must_enrol`: a second factor is required of the user `u`, but the user has none.
macro_rules! must_enrol {
    () => {
        concat!(
            "(u.totp_secret IS NULL AND ",
            requires_second_factor!(),
            " AND NOT EXISTS (SELECT 1 FROM passkeys p WHERE p.user_id = u.id)) AS must_enrol"
        )
    };
}

/// Loads the session with this token hash. Every authenticated request runs this statement.
pub async fn load_session(db: &mut impl SqlExecutor, token_hash: &[u8]) -> Result<Option<SessionRow>> {
    let sql = Sql::new(concat!(
        "SELECT s.id, s.user_id, s.family_id, s.signed_in_at, s.expires_at, s.last_used_at, s.rotated_at, s.revoked_at, s.confirmed_at, u.name, u.email, u.status,
           (SELECT n FROM access_version) AS access_version, ",
        must_enrol!(),
        " FROM sessions s JOIN users u ON u.id = s.user_id WHERE s.token_hash = ?",
    ));
    Ok(db.fetch_optional(sql.bind(SECOND_FACTOR_FOR_ALL_STAFF).bind(token_hash.to_vec())).await?)
}

/// A session to insert.
pub struct NewSession {
    pub user_id: UserId,
    pub family_id: String,
    /// SHA-256 of the token.
    pub token_hash: Vec<u8>,
    /// When the user signed in.
    pub signed_in_at: Time,
    /// When the session expires even if it is used.
    pub expires_at: Time,
    pub ip: String,
    /// The client's `User-Agent`.
    pub user_agent: String,
    /// When the user last confirmed their identity: at a sign-in with a password, or in the session that created the handoff code.
    pub confirmed_at: Option<Time>,
}

pub async fn insert_session(db: &mut impl SqlExecutor, session: NewSession, now: Time) -> Result<()> {
    let sql = sql!(
        "INSERT INTO sessions (user_id, family_id, token_hash, created_at, signed_in_at, expires_at, last_used_at, ip_address, \
           user_agent, confirmed_at)
         VALUES (@user_id, @family_id, @token_hash, @now, @signed_in_at, @expires_at, @now, @ip_address, @user_agent, \
           @confirmed_at)",
        {
            user_id: session.user_id,
            family_id: session.family_id,
            token_hash: session.token_hash,
            now,
            signed_in_at: session.signed_in_at,
            expires_at: session.expires_at,
            ip_address: session.ip,
            user_agent: session.user_agent,
            confirmed_at: session.confirmed_at,
        },
    );
    db.execute(sql).await?;
    Ok(())
}

/// Marks a session as replaced by a refresh. Returns false if the session was revoked meanwhile.
pub async fn mark_rotated(db: &mut impl SqlExecutor, id: SessionId, now: Time) -> Result<bool> {
    let sql = Sql::new(
        "UPDATE sessions SET rotated_at = COALESCE(rotated_at, ?) WHERE id = ? AND revoked_at IS NULL",
    );
    Ok(db.execute(sql.bind(now).bind(id)).await? == 1)
}

/// Locks the access version, so that no other transaction changes permissions until this transaction ends. Lock the access version
/// before any session, because triggers on the table `sessions` write the version.
pub async fn lock_access_version(db: &mut impl SqlExecutor) -> Result<()> {
    db.fetch_one::<(i64,)>(lock_access_version_sql()).await?;
    Ok(())
}

fn lock_access_version_sql() -> Sql {
    Sql::new("SELECT n FROM access_version WHERE id = 1").for_update()
}

/// Ends all sessions of one sign-in.
pub async fn revoke_family(db: &mut impl SqlExecutor, family_id: &str, now: Time) -> Result<()> {
    // A concurrent refresh may have added a session that the first statement did not see, so the statement runs until it changes
    // no session.
    loop {
        let sql = lock_access_version_sql().into_materialized_cte().push(
            "UPDATE sessions SET revoked_at = ? WHERE family_id = ? AND revoked_at IS NULL AND EXISTS (SELECT 1 FROM due)",
        );
        if db.execute(sql.bind(now).bind(family_id)).await? == 0 {
            return Ok(());
        }
    }
}

/// Revokes all sessions of a user, except those of the same sign-in as the session `kept_session`. Returns the number of revoked
/// sessions. The caller must hold the lock of the access version ([`lock_access_version`]).
pub async fn end_sessions(
    db: &mut impl SqlExecutor,
    user_id: UserId,
    kept_session: Option<SessionId>,
    now: Time,
) -> DbResult<u64> {
    let sql = Sql::new(
        "UPDATE sessions SET revoked_at = ? WHERE user_id = ? AND revoked_at IS NULL
           AND family_id NOT IN (SELECT s.family_id FROM sessions s WHERE s.id = ?)",
    );
    db.execute(sql.bind(now).bind(user_id).bind(kept_session.map_or(0, SessionId::get))).await
}

/// Loads the stored settings of the session lifetime: preset, idle days, absolute days.
pub async fn load_lifetime_settings(db: &mut impl SqlExecutor) -> DbResult<[Option<String>; 3]> {
    let sql = Sql::new(
        "SELECT (SELECT value FROM settings WHERE key = ?), (SELECT value FROM settings WHERE key = ?),
           (SELECT value FROM settings WHERE key = ?)",
    );
    let sql = sql.bind(SESSION_PRESET).bind(SESSION_IDLE_DAYS).bind(SESSION_ABSOLUTE_DAYS);
    let (preset, idle, absolute): (Option<String>, Option<String>, Option<String>) =
        db.fetch_one(sql).await?;
    Ok([preset, idle, absolute])
}

/// Maximum number of sessions that one call of [`delete_expired_sessions`] deletes.
pub const DELETE_BATCH_SIZE: i64 = 500;

/// Deletes a batch of expired sessions, first those past their absolute expiry. Returns the number of deleted sessions, which is 0 if
/// no expired session remains. Keeps all sessions of a sign-in that is still in use, even the replaced ones, because a request with a
/// replaced token reveals that the token was stolen.
pub async fn delete_expired_sessions(db: &mut impl SqlExecutor, now: Time) -> DbResult<u64> {
    let delete_expired_sql = "DELETE FROM sessions WHERE EXISTS (SELECT 1 FROM due) AND id IN (
      SELECT s.id FROM sessions s WHERE s.expires_at < ? ORDER BY s.expires_at LIMIT ?)";
    let sql = lock_access_version_sql()
        .into_materialized_cte()
        .push(delete_expired_sql)
        .bind(now)
        .bind(DELETE_BATCH_SIZE);
    let deleted_count = db.execute(sql).await?;
    if deleted_count > 0 {
        return Ok(deleted_count);
    }
    let idle_cutoff = SessionLifetime::read(db).await?.idle_cutoff(now);
    let delete_idle_sql = "DELETE FROM sessions WHERE EXISTS (SELECT 1 FROM due) AND id IN (
      SELECT s.id FROM sessions s WHERE s.last_used_at < ? AND NOT EXISTS (
        SELECT 1 FROM sessions f WHERE f.family_id = s.family_id AND f.last_used_at >= ?)
      ORDER BY s.last_used_at LIMIT ?)";
    let sql = lock_access_version_sql()
        .into_materialized_cte()
        .push(delete_idle_sql)
        .bind(idle_cutoff)
        .bind(idle_cutoff);
    db.execute(sql.bind(DELETE_BATCH_SIZE)).await
}

/// Records that a session is used. The caller must not call it more than once per minute and session.
pub async fn record_session_use(db: &mut impl SqlExecutor, id: SessionId, now: Time) -> Result<()> {
    db.execute(Sql::new("UPDATE sessions SET last_used_at = ? WHERE id = ?").bind(now).bind(id)).await?;
    Ok(())
}

/// Records that the user of a session confirmed their identity. Returns false if the session was revoked meanwhile.
pub async fn record_confirmation(db: &mut impl SqlExecutor, id: SessionId, now: Time) -> Result<bool> {
    let sql = Sql::new("UPDATE sessions SET confirmed_at = ? WHERE id = ? AND revoked_at IS NULL");
    Ok(db.execute(sql.bind(now).bind(id)).await? == 1)
}

/// Whether a session is still open. Call it in the transaction that writes, because a session that was revoked meanwhile must not
/// complete its request. The caller must hold the lock of the access version ([`lock_access_version`]).
pub async fn is_session_open(db: &mut impl SqlExecutor, id: SessionId) -> DbResult<bool> {
    let sql = Sql::new("SELECT id FROM sessions WHERE id = ? AND revoked_at IS NULL").bind(id);
    Ok(db.fetch_optional::<(SessionId,)>(sql).await?.is_some())
}

/// An account with all values that a sign-in checks.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct Account {
    pub id: UserId,
    pub name: String,
    pub email: String,
    /// Argon2id hash; `None` for an account without a password.
    pub password_hash: Option<String>,
    pub status: String,
    /// The encrypted TOTP secret.
    pub totp_secret: Option<Vec<u8>>,
    /// The last used TOTP time step.
    pub totp_last_step: Option<i64>,
    #[sqlx(rename = "passkeys")]
    pub passkey_count: i64,
    /// Whether the user needs a second factor that they do not have.
    pub must_enrol: bool,
}

impl Account {
    /// Whether the checks of `verified_account`, an earlier state of this account, are still valid: the password, the status and the
    /// number of second factors are unchanged.
    #[must_use]
    pub fn is_unchanged_since(&self, verified_account: &Self) -> bool {
        let factors =
            |account: &Self| (account.totp_secret.is_some(), account.passkey_count, account.must_enrol);
        self.password_hash == verified_account.password_hash
            && self.status == verified_account.status
            && factors(self) == factors(verified_account)
    }

    #[must_use]
    pub fn has_passkey(&self) -> bool {
        self.passkey_count > 0
    }

    /// Whether sign-in requires a second factor.
    #[must_use]
    pub fn has_second_factor(&self) -> bool {
        self.totp_secret.is_some() || self.has_passkey()
    }
}

const SELECT_ACCOUNT: &str = concat!(
    "SELECT u.id, u.name, u.email, u.password_hash, u.status, u.totp_secret, u.totp_last_step,
       (SELECT count(*) FROM passkeys k WHERE k.user_id = u.id) AS passkeys, ",
    must_enrol!(),
    " FROM users u WHERE ",
);

/// Loads the account with this email address (in lower case).
pub async fn load_account_by_email(db: &mut impl SqlExecutor, email: &str) -> Result<Option<Account>> {
    let sql = Sql::new(SELECT_ACCOUNT).bind(SECOND_FACTOR_FOR_ALL_STAFF);
    Ok(db.fetch_optional(sql.push("u.email = ?").bind(email)).await?)
}

pub async fn load_account(db: &mut impl SqlExecutor, id: UserId) -> Result<Option<Account>> {
    let sql = Sql::new(SELECT_ACCOUNT).bind(SECOND_FACTOR_FOR_ALL_STAFF);
    Ok(db.fetch_optional(sql.push("u.id = ?").bind(id)).await?)
}

/// Whether the account belongs to a staff member who may sign in.
pub async fn may_sign_in(db: &mut impl SqlExecutor, id: UserId) -> DbResult<bool> {
    let sql = Sql::new("SELECT id FROM users WHERE id = ? AND status <> 'deactivated' AND is_staff = TRUE");
    Ok(db.fetch_optional::<(UserId,)>(sql.bind(id)).await?.is_some())
}

/// Records that a TOTP time step was used. Returns false if this step or a later step was used before.
pub async fn use_totp_step(db: &mut impl SqlExecutor, id: UserId, time_step: i64) -> Result<bool> {
    let sql = Sql::new(
        "UPDATE users SET totp_last_step = ? WHERE id = ? AND (totp_last_step IS NULL OR totp_last_step < ?)",
    );
    Ok(db.execute(sql.bind(time_step).bind(id).bind(time_step)).await? == 1)
}

/// Stores a handoff code that belongs to the sign-in of a session. Returns false if the session no longer exists.
pub async fn insert_handoff_code(
    db: &mut impl SqlExecutor,
    code_hash: Vec<u8>,
    session_id: SessionId,
    now: Time,
    expires_at: Time,
) -> Result<bool> {
    let sql = Sql::new(
        "INSERT INTO handoff_codes (code_hash, user_id, family_id, signed_in_at, confirmed_at, created_at, expires_at) SELECT ?, user_id, family_id, signed_in_at, confirmed_at, ?, ? FROM sessions WHERE id = ?",
    );
    Ok(db.execute(sql.bind(code_hash).bind(now).bind(expires_at).bind(session_id)).await? == 1)
}

/// SQL condition: a handoff code is unused and not expired, and a session of the sign-in that created it is valid. Binds the hash of
/// the code and twice the current time.
const VALID_CODE_CONDITION: &str =
    "code_hash = ? AND used_at IS NULL AND expires_at > ? AND EXISTS (SELECT 1 FROM sessions s
  WHERE s.family_id = handoff_codes.family_id AND s.revoked_at IS NULL AND s.expires_at > ?)";

/// Loads the owner and the expiry of a handoff code; `None` if the code is unknown, used or expired.
pub async fn load_handoff_code(
    db: &mut impl SqlExecutor,
    code_hash: Vec<u8>,
    now: Time,
) -> Result<Option<(UserId, Time)>> {
    let sql = Sql::new("SELECT user_id, expires_at FROM handoff_codes WHERE ").push(VALID_CODE_CONDITION);
    Ok(db.fetch_optional(sql.bind(code_hash).bind(now).bind(now)).await?)
}

/// Marks a handoff code as used. Returns when the owner of the code signed in, and when the owner last confirmed their identity; `None`
/// if the code is unknown, used or expired.
pub async fn consume_handoff_code(
    db: &mut impl SqlExecutor,
    code_hash: Vec<u8>,
    now: Time,
) -> Result<Option<(Time, Option<Time>)>> {
    let sql = Sql::new("UPDATE handoff_codes SET used_at = ? WHERE ").bind(now).push(VALID_CODE_CONDITION);
    let sql = sql.bind(code_hash).bind(now).bind(now).push(" RETURNING signed_in_at, confirmed_at");
    Ok(db.fetch_optional(sql).await?)
}

/// Whether any user exists.
pub async fn has_users(db: &mut impl SqlExecutor) -> Result<bool> {
    Ok(db.fetch_optional::<(UserId,)>(Sql::new("SELECT id FROM users LIMIT 1")).await?.is_some())
}

/// Inserts a user. If another user has the email address, the database returns a unique violation.
pub async fn insert_user(
    db: &mut impl SqlExecutor,
    name: &str,
    email: &str,
    password_hash: Option<&str>,
    now: Time,
) -> DbResult<UserId> {
    let sql = sql!(
        "INSERT INTO users (name, email, password_hash, created_at, updated_at) \
           VALUES (@name, @email, @password_hash, @now, @now) RETURNING id",
        { name, email, password_hash, now },
    );
    Ok(db.fetch_one::<(UserId,)>(sql).await?.0)
}

/// Creates a role if there is no role of this name, adds `permissions` to the role, and assigns the role to a user.
pub async fn grant_role(
    db: &mut impl SqlExecutor,
    user_id: UserId,
    name: &str,
    permissions: &[&str],
    now: Time,
) -> Result<()> {
    let sql = Sql::new(
        "INSERT INTO roles (name, created_at, updated_at) VALUES (?, ?, ?)
         ON CONFLICT (name) DO UPDATE SET updated_at = excluded.updated_at RETURNING id",
    );
    let (role_id,): (RoleId,) = db.fetch_one(sql.bind(name).bind(now).bind(now)).await?;
    for permission in permissions {
        let sql = Sql::new(
            "INSERT INTO role_permissions (role_id, permission) VALUES (?, ?) ON CONFLICT DO NOTHING",
        );
        db.execute(sql.bind(role_id).bind(*permission)).await?;
    }
    let sql = Sql::new("INSERT INTO user_roles (user_id, role_id) VALUES (?, ?) ON CONFLICT DO NOTHING");
    db.execute(sql.bind(user_id).bind(role_id)).await?;
    Ok(())
}
