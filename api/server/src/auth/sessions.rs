//! Authenticates requests and issues session tokens. A token has 256 random bits, and the database stores only its hash. Every request
//! reads its session from the database, so that a deactivation takes effect immediately. A list may use the session cache instead; its
//! statement then checks that the access version of the cache is current.
//!
//! A token that was replaced by a refresh remains valid for a short grace period, because other browser tabs still use it. If the token
//! is used later, it was probably stolen, and the server ends all sessions of that sign-in.

use std::sync::Arc;

use std::time::Duration;

use axum::http::HeaderMap;
use panel_contract::endpoint::Op;
use panel_contract::ids::UserId;
use panel_contract::moment::Time;
use panel_kernel::actor::{Grants, StaffMember};
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::RejectionKind;
use panel_kernel::request_meta::RequestMeta;
use sha2::{Digest as _, Sha256};
use tokio::time::timeout;

use crate::app::App;
use crate::auth::lifetime::SessionLifetime;
use crate::auth::store::{self, NewSession, SessionRow};
use crate::context::Ctx;
use crate::http::session_cookie::presented_token;
use panel_platform::db::SqlExecutor;

/// How long a token remains valid after a refresh has replaced it.
pub const ROTATION_GRACE_PERIOD: Duration = Duration::from_secs(30);
/// Minimum time between two writes of `last_used_at`.
const RECORD_USE_INTERVAL: Duration = Duration::from_mins(1);
/// Timeout for the write of `last_used_at`.
const RECORD_USE_TIMEOUT: Duration = Duration::from_millis(250);

/// Returns the SHA-256 of a token or code.
#[must_use]
pub fn hash(token: &str) -> Vec<u8> {
    Sha256::digest(token.as_bytes()).to_vec()
}

/// Returns the staff member to whom the token of a request belongs.
pub async fn authenticate(app: &App, headers: &HeaderMap, op: &Op) -> Result<StaffMember> {
    // Old clients recognize by this message that the request had no token. An expired token has another message.
    let no_token = || match op.id {
        "refresh" => Error::rejected(RejectionKind::Unauthenticated, "no_saved_token", "no_saved_token"),
        _ => Error::unauthenticated("unauthenticated"),
    };
    let hash = hash(presented_token(&app.config, headers).ok_or_else(no_token)?.token());
    let mut session = store::load_session(&mut &app.db, &hash)
        .await?
        .ok_or_else(|| Error::unauthenticated("token_unknown"))?;
    let now = app.clock.now();
    let lifetime = app.session_cache.lifetime(&mut &app.db, session.access_version).await?;
    session.expires_at = lifetime.session_expires_at(&session);
    check_session(app, &session, now).await?;
    if must_record_use(&session, now) {
        // A full disk or a busy database must not make a read request fail. The next request tries the write again.
        match timeout(RECORD_USE_TIMEOUT, store::record_session_use(&mut &app.db, session.id, now)).await {
            Ok(Ok(())) => session.last_used_at = now,
            Ok(Err(error)) => tracing::warn!(?error, "failed to record the last use of a session"),
            Err(_) => {
                tracing::debug!("skipped recording the last use of a session because all writers were busy")
            }
        }
    }
    let grants = app.session_cache.grants(&mut &app.db, session.user_id, session.access_version).await?;
    if grants.is_empty() {
        return Err(Error::unauthenticated("not_staff"));
    }
    app.session_cache.cache_session(hash, session.clone());
    Ok(to_staff_member(session, grants, None))
}

/// Returns the caller of a request from the session cache; `None` if the session must be read from the database. The handler must
/// compare [`StaffMember::access_version`] with the current version.
#[must_use]
pub fn cached_caller(app: &App, headers: &HeaderMap) -> Option<StaffMember> {
    let session = app.session_cache.session(&hash(presented_token(&app.config, headers)?.token()))?;
    let now = app.clock.now();
    if session.expires_at <= now || session.rotated_at.is_some() || must_record_use(&session, now) {
        return None;
    }
    let version = session.access_version;
    let grants = app.session_cache.cached_grants(session.user_id, version)?;
    Some(to_staff_member(session, grants, Some(version)))
}

fn to_staff_member(session: SessionRow, grants: Arc<Grants>, access_version: Option<i64>) -> StaffMember {
    let SessionRow { id, user_id, name, email, must_enrol, confirmed_at, .. } = session;
    StaffMember { user_id, session_id: id, name, email, grants, must_enrol, access_version, confirmed_at }
}

fn must_record_use(session: &SessionRow, now: Time) -> bool {
    now.since(session.last_used_at) > RECORD_USE_INTERVAL
}

/// Checks that a session is not revoked, replaced or expired, and that its account is not deactivated.
async fn check_session(app: &App, session: &SessionRow, now: Time) -> Result<()> {
    if session.revoked_at.is_some() {
        return Err(Error::unauthenticated("token_ended"));
    }
    // Checked before the expiry: a late use shows a stolen token even after the session has expired.
    if session.rotated_at.is_some_and(|rotated_at| now.since(rotated_at) > ROTATION_GRACE_PERIOD) {
        tracing::warn!(
            user_id = session.user_id.get(),
            "ended a sign-in because a replaced token was used after its grace period"
        );
        if let Err(error) = store::revoke_family(&mut &app.db, &session.family_id, now).await {
            // The next use of the token tries again.
            tracing::warn!(?error, "failed to end the sign-in of a stolen token");
        }
        return Err(Error::unauthenticated("token_replaced"));
    }
    if session.expires_at <= now {
        return Err(Error::unauthenticated("token_ended"));
    }
    if session.status == "deactivated" {
        return Err(Error::unauthenticated("account_deactivated"));
    }
    Ok(())
}

pub struct IssuedToken {
    /// The token in plain text. Only its owner may receive it.
    pub token: String,
    /// When the token expires if it is not used again.
    pub expires_at: Time,
}

/// Replaces the token of the caller by a new token. The old token remains valid for the grace period. `newly_confirmed_at` is the time
/// at which the caller has just confirmed their identity; if it is `None`, the new token keeps the confirmation time of the old token.
pub async fn renew(ctx: &Ctx, newly_confirmed_at: Option<Time>) -> Result<IssuedToken> {
    let user_id = ctx.caller()?.user_id;
    let hash = ctx.meta.token_hash.ok_or_else(|| Error::unauthenticated("unauthenticated"))?;
    let mut tx = ctx.db().begin().await?;
    store::lock_access_version(&mut tx).await?;
    let session =
        store::load_session(&mut tx, &hash).await?.ok_or_else(|| Error::unauthenticated("token_unknown"))?;
    // If several browser tabs refresh the same token within the grace period, each tab gets a token of its own in the same family.
    if !store::mark_rotated(&mut tx, session.id, ctx.now()).await? {
        return Err(Error::unauthenticated("token_ended"));
    }
    let confirmed_at = newly_confirmed_at.or(session.confirmed_at);
    let issued_token =
        issue(&ctx.app, &mut tx, &ctx.meta, user_id, SessionOrigin::Replaced(session), confirmed_at).await?;
    tx.commit().await?;
    Ok(issued_token)
}

/// Why a new session is created.
#[derive(Debug)]
pub enum SessionOrigin {
    SignIn,
    /// The client exchanged a handoff code. The session expires together with the sign-in that created the code.
    Code {
        /// When that sign-in took place.
        signed_in_at: Time,
    },
    /// The new session replaces this session.
    Replaced(SessionRow),
}

/// Creates a session for `user_id`. `confirmed_at` is the time of the last identity confirmation, if any.
pub async fn issue(
    app: &App,
    db: &mut impl SqlExecutor,
    meta: &RequestMeta,
    user_id: UserId,
    origin: SessionOrigin,
    confirmed_at: Option<Time>,
) -> Result<IssuedToken> {
    let token = format!("pnl_{}", app.random.token());
    let now = app.clock.now();
    let lifetime = SessionLifetime::read(db).await?;
    let (family_id, signed_in_at) = match origin {
        SessionOrigin::Replaced(session) => (session.family_id, session.signed_in_at),
        SessionOrigin::Code { signed_in_at } => (app.random.token(), signed_in_at),
        SessionOrigin::SignIn => (app.random.token(), now),
    };
    let session = NewSession {
        user_id,
        family_id,
        token_hash: hash(&token),
        signed_in_at,
        expires_at: lifetime.absolute_expires_at(signed_in_at),
        ip: meta.ip.to_string(),
        user_agent: meta.user_agent.clone(),
        confirmed_at,
    };
    store::insert_session(db, session, now).await?;
    Ok(IssuedToken { token, expires_at: lifetime.expires_at(signed_in_at, now) })
}
