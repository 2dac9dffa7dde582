//! SQL of sessions, handoff codes and the accounts of staff members.

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
use panel_platform::db::{DbResult, Source, Sql};
use panel_platform::settings::{
    SECOND_FACTOR_FOR_ALL_STAFF, SESSION_ABSOLUTE_DAYS, SESSION_IDLE_DAYS, SESSION_PRESET,
};
use panel_platform::sql;

/// A session with its user, found by its token.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct SessionRow {
    pub id: SessionId,
    pub user_id: UserId,
    /// The sign-in: shared by all sessions that were refreshed from it.
    pub family_id: String,
    /// When the person signed in.
    pub signed_in_at: Time,
    /// The stored absolute end; in a session that was read for a request, its end by the current settings.
    pub expires_at: Time,
    /// The last recorded use.
    pub last_used_at: Time,
    /// When a newer token replaced the token of this session.
    pub rotated_at: Option<Time>,
    pub revoked_at: Option<Time>,
    /// When its user last confirmed their identity.
    pub confirmed_at: Option<Time>,
    pub name: String,
    pub email: String,
    pub status: String,
    /// The version that grows with every change of permissions, sessions or session settings.
    pub access_version: i64,
    /// Whether the user needs a second factor that they do not have.
    pub must_enrol: bool,
}

/// Whether the user `u` needs a second factor, by a role or by the panel setting for all staff, whose key is the parameter. An
/// unset setting counts as off.
macro_rules! requires_second_factor {
    () => {
        "(EXISTS (SELECT 1 FROM user_roles x JOIN roles r ON r.id = x.role_id WHERE x.user_id = u.id AND r.requires_second_factor)
           OR EXISTS (SELECT 1 FROM settings g WHERE g.key = ? AND g.value = 'true'))"
    };
}
pub(super) use requires_second_factor;

/// Whether the user `u` needs a second factor that they do not have.
macro_rules! must_enrol {
    () => {
        concat!(
            "(u.totp_secret IS NULL AND ",
            requires_second_factor!(),
            " AND NOT EXISTS (SELECT 1 FROM passkeys p WHERE p.user_id = u.id)) AS must_enrol"
        )
    };
}

/// The session with this token hash. Every authenticated request runs this one statement.
pub async fn session(db: &mut impl Source, token_hash: &[u8]) -> Result<Option<SessionRow>> {
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
    /// When the person signed in.
    pub signed_in_at: Time,
    /// The absolute end of the session.
    pub expires_at: Time,
    pub ip: String,
    /// The client's `User-Agent`.
    pub user_agent: String,
    /// When its user confirmed their identity: by password, or in the session that created the handoff code.
    pub confirmed_at: Option<Time>,
}

pub async fn insert_session(db: &mut impl Source, session: NewSession, now: Time) -> Result<()> {
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

/// Marks a session as replaced; false if it was revoked meanwhile.
pub async fn mark_rotated(db: &mut impl Source, id: SessionId, now: Time) -> Result<bool> {
    let sql = Sql::new(
        "UPDATE sessions SET rotated_at = COALESCE(rotated_at, ?) WHERE id = ? AND revoked_at IS NULL",
    );
    Ok(db.execute(sql.bind(now).bind(id)).await? == 1)
}

/// Locks the access version, so that no other transaction changes permissions until this one ends. Lock sessions after it and never
/// before, because triggers on sessions write the version.
pub async fn lock_access_version(db: &mut impl Source) -> Result<()> {
    db.fetch_one::<(i64,)>(lock_access_version_sql()).await?;
    Ok(())
}

fn lock_access_version_sql() -> Sql {
    Sql::new("SELECT n FROM access_version WHERE id = 1").for_update()
}

/// Ends all sessions of one sign-in.
pub async fn revoke_family(db: &mut impl Source, family_id: &str, now: Time) -> Result<()> {
    // Repeated until no session is left: a concurrent refresh may have added one that the first statement did not see.
    loop {
        let sql = lock_access_version_sql().into_materialized_cte().push(
            "UPDATE sessions SET revoked_at = ? WHERE family_id = ? AND revoked_at IS NULL AND EXISTS (SELECT 1 FROM due)",
        );
        if db.execute(sql.bind(now).bind(family_id)).await? == 0 {
            return Ok(());
        }
    }
}

/// Revokes all sessions of a user, except the sign-in of the session `except`, if given. Returns the number of revoked tokens. The
/// caller must hold the lock of the access version ([`lock_access_version`]).
pub async fn end_sessions(
    db: &mut impl Source,
    user_id: UserId,
    except: Option<SessionId>,
    now: Time,
) -> DbResult<u64> {
    let sql = Sql::new(
        "UPDATE sessions SET revoked_at = ? WHERE user_id = ? AND revoked_at IS NULL
           AND family_id NOT IN (SELECT s.family_id FROM sessions s WHERE s.id = ?)",
    );
    db.execute(sql.bind(now).bind(user_id).bind(except.map_or(0, SessionId::get))).await
}

/// The stored settings of the session lifetime in one statement: preset, idle days, absolute days.
pub async fn lifetime_settings(db: &mut impl Source) -> DbResult<[Option<String>; 3]> {
    let sql = Sql::new(
        "SELECT (SELECT value FROM settings WHERE key = ?), (SELECT value FROM settings WHERE key = ?),
           (SELECT value FROM settings WHERE key = ?)",
    );
    let sql = sql.bind(SESSION_PRESET).bind(SESSION_IDLE_DAYS).bind(SESSION_ABSOLUTE_DAYS);
    let (preset, idle, absolute): (Option<String>, Option<String>, Option<String>) =
        db.fetch_one(sql).await?;
    Ok([preset, idle, absolute])
}

/// Maximum number of sessions that one call of [`delete_ended_sessions`] deletes.
pub const DELETE_BATCH: i64 = 500;

/// Deletes some of the expired sessions, those past their absolute end first. Returns how many, and 0 when none is left. Tokens
/// of a sign-in that is still in use stay, also replaced ones, because the use of a replaced token reveals a theft.
pub async fn delete_ended_sessions(db: &mut impl Source, now: Time) -> DbResult<u64> {
    let expired = "DELETE FROM sessions WHERE EXISTS (SELECT 1 FROM due) AND id IN (
      SELECT s.id FROM sessions s WHERE s.expires_at < ? ORDER BY s.expires_at LIMIT ?)";
    let sql = lock_access_version_sql().into_materialized_cte().push(expired).bind(now).bind(DELETE_BATCH);
    let deleted = db.execute(sql).await?;
    if deleted > 0 {
        return Ok(deleted);
    }
    let idle_since = SessionLifetime::read(db).await?.idle_since(now);
    let idle = "DELETE FROM sessions WHERE EXISTS (SELECT 1 FROM due) AND id IN (
      SELECT s.id FROM sessions s WHERE s.last_used_at < ? AND NOT EXISTS (
        SELECT 1 FROM sessions f WHERE f.family_id = s.family_id AND f.last_used_at >= ?)
      ORDER BY s.last_used_at LIMIT ?)";
    let sql = lock_access_version_sql().into_materialized_cte().push(idle).bind(idle_since).bind(idle_since);
    db.execute(sql.bind(DELETE_BATCH)).await
}

/// Records the use of a session. Called at most once per minute and session.
pub async fn touch(db: &mut impl Source, id: SessionId, now: Time) -> Result<()> {
    db.execute(Sql::new("UPDATE sessions SET last_used_at = ? WHERE id = ?").bind(now).bind(id)).await?;
    Ok(())
}

/// Records that the user of a session confirmed their identity; false if the session was revoked meanwhile.
pub async fn confirm(db: &mut impl Source, id: SessionId, now: Time) -> Result<bool> {
    let sql = Sql::new("UPDATE sessions SET confirmed_at = ? WHERE id = ? AND revoked_at IS NULL");
    Ok(db.execute(sql.bind(now).bind(id)).await? == 1)
}

/// Whether the caller's session is still open when its transaction writes: a session that was revoked meanwhile must not
/// complete what it started. The caller must hold the lock of the access version ([`lock_access_version`]).
pub async fn is_open(db: &mut impl Source, id: SessionId) -> DbResult<bool> {
    let sql = Sql::new("SELECT id FROM sessions WHERE id = ? AND revoked_at IS NULL").bind(id);
    Ok(db.fetch_optional::<(SessionId,)>(sql).await?.is_some())
}

/// An account with everything that a sign-in checks.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct Account {
    pub id: UserId,
    pub name: String,
    pub email: String,
    /// Argon2id hash; `None` for an account without a password.
    pub password_hash: Option<String>,
    pub status: String,
    /// The sealed TOTP secret.
    pub totp_secret: Option<Vec<u8>>,
    /// The last used TOTP time step.
    pub totp_last_step: Option<i64>,
    pub passkeys: i64,
    /// Whether the user needs a second factor that they do not have.
    pub must_enrol: bool,
}

impl Account {
    /// Whether the checks of `other` are valid for this account: it has the same password, status and number of second factors.
    #[must_use]
    pub fn is_unchanged_since(&self, other: &Self) -> bool {
        let factors = |account: &Self| (account.totp_secret.is_some(), account.passkeys, account.must_enrol);
        self.password_hash == other.password_hash
            && self.status == other.status
            && factors(self) == factors(other)
    }

    #[must_use]
    pub fn has_passkey(&self) -> bool {
        self.passkeys > 0
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

/// The account with this email address (in lower case).
pub async fn account_by_email(db: &mut impl Source, email: &str) -> Result<Option<Account>> {
    let sql = Sql::new(SELECT_ACCOUNT).bind(SECOND_FACTOR_FOR_ALL_STAFF);
    Ok(db.fetch_optional(sql.push("u.email = ?").bind(email)).await?)
}

pub async fn account(db: &mut impl Source, id: UserId) -> Result<Option<Account>> {
    let sql = Sql::new(SELECT_ACCOUNT).bind(SECOND_FACTOR_FOR_ALL_STAFF);
    Ok(db.fetch_optional(sql.push("u.id = ?").bind(id)).await?)
}

/// Whether the account belongs to a staff member who may sign in.
pub async fn may_sign_in(db: &mut impl Source, id: UserId) -> DbResult<bool> {
    let sql = Sql::new("SELECT id FROM users WHERE id = ? AND status <> 'deactivated' AND is_staff = TRUE");
    Ok(db.fetch_optional::<(UserId,)>(sql.bind(id)).await?.is_some())
}

/// Records the use of a TOTP time step; false if this step or a later one was already used.
pub async fn use_totp_step(db: &mut impl Source, id: UserId, step: i64) -> Result<bool> {
    let sql = Sql::new(
        "UPDATE users SET totp_last_step = ? WHERE id = ? AND (totp_last_step IS NULL OR totp_last_step < ?)",
    );
    Ok(db.execute(sql.bind(step).bind(id).bind(step)).await? == 1)
}

/// Stores a handoff code of a session's sign-in; false if the session no longer exists.
pub async fn insert_handoff_code(
    db: &mut impl Source,
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

/// A handoff code is valid if it is unused and not expired, and the sign-in that created it lasts. Binds: the code's hash, now,
/// now.
const VALID_CODE: &str =
    "code_hash = ? AND used_at IS NULL AND expires_at > ? AND EXISTS (SELECT 1 FROM sessions s
  WHERE s.family_id = handoff_codes.family_id AND s.revoked_at IS NULL AND s.expires_at > ?)";

/// The owner and the expiry of a handoff code; `None` if it is unknown, used or expired.
pub async fn handoff_code(
    db: &mut impl Source,
    code_hash: Vec<u8>,
    now: Time,
) -> Result<Option<(UserId, Time)>> {
    let sql = Sql::new("SELECT user_id, expires_at FROM handoff_codes WHERE ").push(VALID_CODE);
    Ok(db.fetch_optional(sql.bind(code_hash).bind(now).bind(now)).await?)
}

/// Consumes a handoff code. Returns when the sign-in that created it began and when its owner last confirmed their identity;
/// `None` if the code is unknown, used or expired.
pub async fn consume_handoff_code(
    db: &mut impl Source,
    code_hash: Vec<u8>,
    now: Time,
) -> Result<Option<(Time, Option<Time>)>> {
    let sql = Sql::new("UPDATE handoff_codes SET used_at = ? WHERE ").bind(now).push(VALID_CODE);
    let sql = sql.bind(code_hash).bind(now).bind(now).push(" RETURNING signed_in_at, confirmed_at");
    Ok(db.fetch_optional(sql).await?)
}

/// Whether the panel has any user.
pub async fn has_users(db: &mut impl Source) -> Result<bool> {
    Ok(db.fetch_optional::<(UserId,)>(Sql::new("SELECT id FROM users LIMIT 1")).await?.is_some())
}

/// Inserts a user with or without a password. An existing email address is a unique violation.
pub async fn insert_user(
    db: &mut impl Source,
    name: &str,
    email: &str,
    hash: Option<&str>,
    now: Time,
) -> DbResult<UserId> {
    let sql = sql!(
        "INSERT INTO users (name, email, password_hash, created_at, updated_at) \
           VALUES (@name, @email, @password_hash, @now, @now) RETURNING id",
        { name, email, password_hash: hash, now },
    );
    Ok(db.fetch_one::<(UserId,)>(sql).await?.0)
}

/// Creates a role (or finds it by name), adds `permissions` to it, and assigns it to a user.
pub async fn grant_role(
    db: &mut impl Source,
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
