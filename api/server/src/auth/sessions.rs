//! Sessions: opaque 256-bit tokens, stored as hashes and read at every request, so that a deactivation takes effect immediately.
//! A list may use the session cache instead, and then checks the cached access version in its own statement.
//!
//! A refreshed token remains valid for a short grace period, because other tabs still use it. A later use means that the token
//! was stolen, and ends all sessions of that sign-in.

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
use panel_platform::db::Source;

/// How long a refreshed token remains valid.
pub const ROTATION_GRACE_PERIOD: Duration = Duration::from_secs(30);
/// Minimum time between two writes of `last_used_at`.
const TOUCH_INTERVAL: Duration = Duration::from_mins(1);
/// How long a request waits for that write.
const TOUCH_TIMEOUT: Duration = Duration::from_millis(250);

/// SHA-256 of a token or code.
#[must_use]
pub fn hash(token: &str) -> Vec<u8> {
    Sha256::digest(token.as_bytes()).to_vec()
}

/// The caller that a request's token belongs to.
pub async fn authenticate(app: &App, headers: &HeaderMap, op: &Op) -> Result<StaffMember> {
    // Old clients recognize by this message that the request had no token, and not an expired one.
    let no_token = || match op.id {
        "refresh" => Error::rejected(RejectionKind::Unauthenticated, "no_saved_token", "no_saved_token"),
        _ => Error::unauthenticated("unauthenticated"),
    };
    let hash = hash(presented_token(&app.config, headers).ok_or_else(no_token)?.token());
    let mut session =
        store::session(&mut &app.db, &hash).await?.ok_or_else(|| Error::unauthenticated("token_unknown"))?;
    let now = app.clock.now();
    let lifetime = app.session_cache.lifetime(&mut &app.db, session.access_version).await?;
    session.expires_at = lifetime.end_of(&session);
    check_session(app, &session, now).await?;
    if needs_touch(&session, now) {
        // A full disk or busy writers must not make a read fail; the next request tries the write again.
        match timeout(TOUCH_TIMEOUT, store::touch(&mut &app.db, session.id, now)).await {
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
    Ok(caller(session, grants, None))
}

/// The caller of a request from the session cache. The handler must compare the session's [`StaffMember::access_version`] with the
/// current version. `None` if the session must be read from the database.
#[must_use]
pub fn cached_caller(app: &App, headers: &HeaderMap) -> Option<StaffMember> {
    let session = app.session_cache.session(&hash(presented_token(&app.config, headers)?.token()))?;
    let now = app.clock.now();
    if session.expires_at <= now || session.rotated_at.is_some() || needs_touch(&session, now) {
        return None;
    }
    let version = session.access_version;
    let grants = app.session_cache.cached_grants(session.user_id, version)?;
    Some(caller(session, grants, Some(version)))
}

fn caller(session: SessionRow, grants: Arc<Grants>, access_version: Option<i64>) -> StaffMember {
    let SessionRow { id, user_id, name, email, must_enrol, confirmed_at, .. } = session;
    StaffMember { user_id, session_id: id, name, email, grants, must_enrol, access_version, confirmed_at }
}

fn needs_touch(session: &SessionRow, now: Time) -> bool {
    now.since(session.last_used_at) > TOUCH_INTERVAL
}

/// Checks that a session is neither revoked, replaced, expired nor of a deactivated account.
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
    /// The token in plain text, for its owner only.
    pub token: String,
    /// When the token ends without further use.
    pub expires_at: Time,
}

/// Replaces the caller's token by a new one; the old token remains valid for the grace period. `newly_confirmed_at` is the time of
/// a new identity confirmation; without it the new token keeps the confirmation of the old one.
pub async fn renew(ctx: &Ctx, newly_confirmed_at: Option<Time>) -> Result<IssuedToken> {
    let user_id = ctx.caller()?.user_id;
    let hash = ctx.meta.token_hash.ok_or_else(|| Error::unauthenticated("unauthenticated"))?;
    let mut tx = ctx.db().begin().await?;
    store::lock_access_version(&mut tx).await?;
    let session =
        store::session(&mut tx, &hash).await?.ok_or_else(|| Error::unauthenticated("token_unknown"))?;
    // A tab that refreshes within the grace period after another tab gets its own token in the same family.
    if !store::mark_rotated(&mut tx, session.id, ctx.now()).await? {
        return Err(Error::unauthenticated("token_ended"));
    }
    let confirmed_at = newly_confirmed_at.or(session.confirmed_at);
    let issued =
        issue(&ctx.app, &mut tx, &ctx.meta, user_id, SessionOrigin::Replaced(session), confirmed_at).await?;
    tx.commit().await?;
    Ok(issued)
}

/// The origin of a new session.
#[derive(Debug)]
pub enum SessionOrigin {
    SignIn,
    /// A handoff code. The session counts as a part of the sign-in that created the code, and ends with its absolute lifetime.
    Code {
        /// When that sign-in took place.
        signed_in_at: Time,
    },
    /// The session that the new one replaces.
    Replaced(SessionRow),
}

/// Creates a session for `user_id`. `confirmed_at` is the time of the last identity confirmation, if any.
pub async fn issue(
    app: &App,
    db: &mut impl Source,
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
        expires_at: lifetime.absolute_end(signed_in_at),
        ip: meta.ip.to_string(),
        user_agent: meta.user_agent.clone(),
        confirmed_at,
    };
    store::insert_session(db, session, now).await?;
    Ok(IssuedToken { token, expires_at: lifetime.end(signed_in_at, now) })
}
