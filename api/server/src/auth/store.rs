//! Sessions, codes and accounts in the database.

pub(super) mod open_sessions;
pub(super) mod passkey_ceremonies;
pub(super) mod passkeys;
pub(super) mod passwords;
pub(crate) mod people;
pub(super) mod recovery_codes;
pub(super) mod second_factors;
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

/// A session with its user, as a token finds it.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct SessionRow {
    /// The session's id.
    pub id: SessionId,
    /// Whose it is.
    pub user_id: UserId,
    /// Sessions that came from one sign-in by refreshing.
    pub family_id: String,
    /// When the person signed in.
    pub signed_in_at: Time,
    /// The absolute end that was stored; of a session that was looked up for a request the moment it ends by what the
    /// settings say now.
    pub expires_at: Time,
    /// When it was last seen.
    pub last_used_at: Time,
    /// When a newer token took its place.
    pub rotated_at: Option<Time>,
    /// When it was ended.
    pub revoked_at: Option<Time>,
    /// When its user last confirmed who they are.
    pub confirmed_at: Option<Time>,
    /// The user's name.
    pub name: String,
    /// The user's email address.
    pub email: String,
    /// The user's status.
    pub status: String,
    /// The number that grows with every change of permissions.
    pub access_version: i64,
    /// Whether the user needs a second factor that they do not have.
    pub must_enrol: bool,
}

/// Whether the user `u` needs a second factor, by a role or by the panel setting for all staff, whose key is the parameter. A
/// setting that was never written is off.
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

/// The session that `token_hash` belongs to: one statement on the way of every request.
pub async fn session(db: &mut impl Source, token_hash: &[u8]) -> Result<Option<SessionRow>> {
    let sql = Sql::new(concat!(
        "SELECT s.id, s.user_id, s.family_id, s.signed_in_at, s.expires_at, s.last_used_at, s.rotated_at, s.revoked_at, s.confirmed_at, u.name, u.email, u.status,
           (SELECT n FROM access_version) AS access_version, ",
        must_enrol!(),
        " FROM sessions s JOIN users u ON u.id = s.user_id WHERE s.token_hash = ?",
    ));
    Ok(db.opt(sql.bind(SECOND_FACTOR_FOR_ALL_STAFF).bind(token_hash.to_vec())).await?)
}

/// A session to be made.
pub struct NewSession {
    /// Whose.
    pub user_id: UserId,
    /// Sessions that came from one sign-in.
    pub family_id: String,
    /// SHA-256 of the token.
    pub token_hash: Vec<u8>,
    /// When the person signed in.
    pub signed_in_at: Time,
    /// The absolute end.
    pub expires_at: Time,
    /// Where it comes from.
    pub ip: String,
    /// What it calls itself.
    pub user_agent: String,
    /// When its user confirmed who they are: with their password, or in the session that a code came from.
    pub confirmed_at: Option<Time>,
}

/// Makes a session.
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
    db.exec(sql).await?;
    Ok(())
}

/// Marks a session as replaced; false when it was ended meanwhile.
pub async fn mark_rotated(db: &mut impl Source, id: SessionId, now: Time) -> Result<bool> {
    let sql = Sql::new(
        "UPDATE sessions SET rotated_at = COALESCE(rotated_at, ?) WHERE id = ? AND revoked_at IS NULL",
    );
    Ok(db.exec(sql.bind(now).bind(id)).await? == 1)
}

/// Keeps other transactions from changing permissions until this one ends. Sessions are locked after this and never before
/// it, because their triggers write the version.
pub async fn hold_access(db: &mut impl Source) -> Result<()> {
    db.one::<(i64,)>(access_held()).await?;
    Ok(())
}

fn access_held() -> Sql {
    Sql::new("SELECT n FROM access_version WHERE id = 1").for_update()
}

/// Ends all sessions of one sign-in.
pub async fn revoke_family(db: &mut impl Source, family_id: &str, now: Time) -> Result<()> {
    // Until none is left: a refresh at the same moment may have added one that the first look did not see.
    loop {
        let sql = access_held().first().push(
            "UPDATE sessions SET revoked_at = ? WHERE family_id = ? AND revoked_at IS NULL AND EXISTS (SELECT 1 FROM due)",
        );
        if db.exec(sql.bind(now).bind(family_id)).await? == 0 {
            return Ok(());
        }
    }
}

/// Ends a user's sessions but the one that the token `but` belongs to, where there is one, with all of its tokens; how many tokens there were. The
/// caller holds who may do what ([`hold_access`]).
pub async fn end_sessions(
    db: &mut impl Source,
    user_id: UserId,
    but: Option<SessionId>,
    now: Time,
) -> DbResult<u64> {
    let sql = Sql::new(
        "UPDATE sessions SET revoked_at = ? WHERE user_id = ? AND revoked_at IS NULL
           AND family_id NOT IN (SELECT s.family_id FROM sessions s WHERE s.id = ?)",
    );
    db.exec(sql.bind(now).bind(user_id).bind(but.map_or(0, SessionId::get))).await
}

/// The stored settings of how long sessions last: preset, days without use and days in all. As of one moment.
pub async fn lifetime_settings(db: &mut impl Source) -> DbResult<[Option<String>; 3]> {
    let sql = Sql::new(
        "SELECT (SELECT value FROM settings WHERE key = ?), (SELECT value FROM settings WHERE key = ?),
           (SELECT value FROM settings WHERE key = ?)",
    );
    let sql = sql.bind(SESSION_PRESET).bind(SESSION_IDLE_DAYS).bind(SESSION_ABSOLUTE_DAYS);
    let (preset, idle, absolute): (Option<String>, Option<String>, Option<String>) = db.one(sql).await?;
    Ok([preset, idle, absolute])
}

/// Most sessions that one call of [`forget_ended`] forgets.
pub const FORGOTTEN_AT_ONCE: i64 = 500;

/// Forgets some of the sessions that have ended by themselves, those that reached their absolute end first; how many, and 0 once
/// none is left. The tokens of a sign-in that is still used stay, replaced ones too: the use of a replaced one reveals a stolen
/// copy.
pub async fn forget_ended(db: &mut impl Source, now: Time) -> DbResult<u64> {
    let ended = "DELETE FROM sessions WHERE EXISTS (SELECT 1 FROM due) AND id IN (
      SELECT s.id FROM sessions s WHERE s.expires_at < ? ORDER BY s.expires_at LIMIT ?)";
    let sql = access_held().first().push(ended).bind(now).bind(FORGOTTEN_AT_ONCE);
    let ended = db.exec(sql).await?;
    if ended > 0 {
        return Ok(ended);
    }
    let idle_since = SessionLifetime::read(db).await?.idle_since(now);
    let unused = "DELETE FROM sessions WHERE EXISTS (SELECT 1 FROM due) AND id IN (
      SELECT s.id FROM sessions s WHERE s.last_used_at < ? AND NOT EXISTS (
        SELECT 1 FROM sessions f WHERE f.family_id = s.family_id AND f.last_used_at >= ?)
      ORDER BY s.last_used_at LIMIT ?)";
    let sql = access_held().first().push(unused).bind(idle_since).bind(idle_since);
    db.exec(sql.bind(FORGOTTEN_AT_ONCE)).await
}

/// Notes that a session was used; called at most once a minute for each.
pub async fn touch(db: &mut impl Source, id: SessionId, now: Time) -> Result<()> {
    db.exec(Sql::new("UPDATE sessions SET last_used_at = ? WHERE id = ?").bind(now).bind(id)).await?;
    Ok(())
}

/// Notes that the user of a session confirmed who they are; false when it was ended meanwhile.
pub async fn confirm(db: &mut impl Source, id: SessionId, now: Time) -> Result<bool> {
    let sql = Sql::new("UPDATE sessions SET confirmed_at = ? WHERE id = ? AND revoked_at IS NULL");
    Ok(db.exec(sql.bind(now).bind(id)).await? == 1)
}

/// Whether a session of the caller is still open when its transaction writes: what ended it meanwhile ended what it began. The
/// caller holds who may do what ([`hold_access`]).
pub async fn is_open(db: &mut impl Source, id: SessionId) -> DbResult<bool> {
    let sql = Sql::new("SELECT id FROM sessions WHERE id = ? AND revoked_at IS NULL").bind(id);
    Ok(db.opt::<(SessionId,)>(sql).await?.is_some())
}

/// An account as sign-in sees it.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct Account {
    /// The user's id.
    pub id: UserId,
    /// Name.
    pub name: String,
    /// E-mail address.
    pub email: String,
    /// Argon2id; none for accounts without a password.
    pub password_hash: Option<String>,
    /// Status.
    pub status: String,
    /// Sealed TOTP seed.
    pub totp_secret: Option<Vec<u8>>,
    /// The last TOTP step that was used.
    pub totp_last_step: Option<i64>,
    /// How many passkeys the account has.
    pub passkeys: i64,
    /// Whether the user needs a second factor that they do not have.
    pub must_enrol: bool,
}

impl Account {
    /// Whether a judgement of `other` holds for this account: same password, status and second factors, among them the passkey
    /// that may have signed.
    #[must_use]
    pub fn is_unchanged_since(&self, other: &Self) -> bool {
        let proofs = |of: &Self| (of.totp_secret.is_some(), of.passkeys, of.must_enrol);
        self.password_hash == other.password_hash
            && self.status == other.status
            && proofs(self) == proofs(other)
    }

    /// Whether the account has a passkey.
    #[must_use]
    pub fn has_passkey(&self) -> bool {
        self.passkeys > 0
    }

    /// Whether sign-in asks for a second factor.
    #[must_use]
    pub fn has_second_factor(&self) -> bool {
        self.totp_secret.is_some() || self.has_passkey()
    }
}

const ACCOUNT: &str = concat!(
    "SELECT u.id, u.name, u.email, u.password_hash, u.status, u.totp_secret, u.totp_last_step,
       (SELECT count(*) FROM passkeys k WHERE k.user_id = u.id) AS passkeys, ",
    must_enrol!(),
    " FROM users u WHERE ",
);

/// The account with this email address (lower case).
pub async fn account_by_email(db: &mut impl Source, email: &str) -> Result<Option<Account>> {
    let sql = Sql::new(ACCOUNT).bind(SECOND_FACTOR_FOR_ALL_STAFF);
    Ok(db.opt(sql.push("u.email = ?").bind(email)).await?)
}

/// The account with this id.
pub async fn account(db: &mut impl Source, id: UserId) -> Result<Option<Account>> {
    let sql = Sql::new(ACCOUNT).bind(SECOND_FACTOR_FOR_ALL_STAFF);
    Ok(db.opt(sql.push("u.id = ?").bind(id)).await?)
}

/// Whether the account is one of staff that may sign in.
pub async fn may_sign_in(db: &mut impl Source, id: UserId) -> DbResult<bool> {
    let sql = Sql::new("SELECT id FROM users WHERE id = ? AND status <> 'deactivated' AND is_staff = TRUE");
    Ok(db.opt::<(UserId,)>(sql.bind(id)).await?.is_some())
}

/// Remembers a TOTP step; false when it or a later one was used before.
pub async fn use_totp_step(db: &mut impl Source, id: UserId, step: i64) -> Result<bool> {
    let sql = Sql::new(
        "UPDATE users SET totp_last_step = ? WHERE id = ? AND (totp_last_step IS NULL OR totp_last_step < ?)",
    );
    Ok(db.exec(sql.bind(step).bind(id).bind(step)).await? == 1)
}

/// Keeps a handoff code of the sign-in that a session belongs to; false when the session is gone.
pub async fn insert_code(
    db: &mut impl Source,
    code_hash: Vec<u8>,
    session_id: SessionId,
    now: Time,
    expires_at: Time,
) -> Result<bool> {
    let sql = Sql::new(
        "INSERT INTO handoff_codes (code_hash, user_id, family_id, signed_in_at, confirmed_at, created_at, expires_at) SELECT ?, user_id, family_id, signed_in_at, confirmed_at, ?, ? FROM sessions WHERE id = ?",
    );
    Ok(db.exec(sql.bind(code_hash).bind(now).bind(expires_at).bind(session_id)).await? == 1)
}

/// A handoff code is good while it is unused and not over, and the sign-in that made it lasts. Binds: the code, now, now.
const GOOD_CODE: &str =
    "code_hash = ? AND used_at IS NULL AND expires_at > ? AND EXISTS (SELECT 1 FROM sessions s
  WHERE s.family_id = handoff_codes.family_id AND s.revoked_at IS NULL AND s.expires_at > ?)";

/// Whose code it is, and when it ends; none when it is unknown, used or over.
pub async fn code(db: &mut impl Source, code_hash: Vec<u8>, now: Time) -> Result<Option<(UserId, Time)>> {
    let sql = Sql::new("SELECT user_id, expires_at FROM handoff_codes WHERE ").push(GOOD_CODE);
    Ok(db.opt(sql.bind(code_hash).bind(now).bind(now)).await?)
}

/// Uses a handoff code up; when the sign-in that made it began, and when its maker was confirmed. None when it is unknown, used
/// or over.
pub async fn use_code(
    db: &mut impl Source,
    code_hash: Vec<u8>,
    now: Time,
) -> Result<Option<(Time, Option<Time>)>> {
    let sql = Sql::new("UPDATE handoff_codes SET used_at = ? WHERE ").bind(now).push(GOOD_CODE);
    let sql = sql.bind(code_hash).bind(now).bind(now).push(" RETURNING signed_in_at, confirmed_at");
    Ok(db.opt(sql).await?)
}

/// Whether there is any user at all.
pub async fn has_users(db: &mut impl Source) -> Result<bool> {
    Ok(db.opt::<(UserId,)>(Sql::new("SELECT id FROM users LIMIT 1")).await?.is_some())
}

/// Makes a user, with a password or without; a taken email address is a unique violation.
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
    Ok(db.one::<(UserId,)>(sql).await?.0)
}

/// Makes a role (or finds it by its name) that holds `permissions`, and gives it to a user.
pub async fn give_role(
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
    let (role_id,): (RoleId,) = db.one(sql.bind(name).bind(now).bind(now)).await?;
    for permission in permissions {
        let sql = Sql::new(
            "INSERT INTO role_permissions (role_id, permission) VALUES (?, ?) ON CONFLICT DO NOTHING",
        );
        db.exec(sql.bind(role_id).bind(*permission)).await?;
    }
    let sql = Sql::new("INSERT INTO user_roles (user_id, role_id) VALUES (?, ?) ON CONFLICT DO NOTHING");
    db.exec(sql.bind(user_id).bind(role_id)).await?;
    Ok(())
}
