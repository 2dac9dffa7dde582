//! Sessions: opaque 256-bit tokens, stored hashed, looked up at every request so that a deactivation bites at once. A list
//! makes sure of a remembered one in its own statement instead.
//!
//! A refreshed token keeps working for a short grace (other tabs still use it); using it later means that somebody
//! kept a stolen copy, and ends all sessions of that sign-in.

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
use crate::http::session_cookie::presented;
use panel_platform::db::Source;

/// How long a refreshed token still works.
pub const GRACE: Duration = Duration::from_secs(30);
/// How often `last_used_at` is written at most.
const TOUCH_EVERY: Duration = Duration::from_mins(1);
/// How long a request waits until that is written.
const TOUCH_TIMEOUT: Duration = Duration::from_millis(250);

/// SHA-256 of a token or code.
#[must_use]
pub fn hash(token: &str) -> Vec<u8> {
    Sha256::digest(token.as_bytes()).to_vec()
}

/// The caller that a request's token belongs to.
pub async fn authenticate(app: &App, headers: &HeaderMap, op: &Op) -> Result<StaffMember> {
    // Old clients tell "nobody was signed in" from "the token has ended" by this message.
    let nobody = || match op.id {
        "refresh" => Error::rejected(RejectionKind::Unauthenticated, "no_saved_token", "no_saved_token"),
        _ => Error::unauthenticated("unauthenticated"),
    };
    let hash = hash(presented(&app.config, headers).ok_or_else(nobody)?.token());
    let mut session =
        store::session(&mut &app.db, &hash).await?.ok_or_else(|| Error::unauthenticated("token_unknown"))?;
    let now = app.clock.now();
    let lifetime = app.known.lifetime(&mut &app.db, session.access_version).await?;
    session.expires_at = lifetime.end_of(&session);
    standing(app, &session, now).await?;
    if is_worth_a_touch(&session, now) {
        // A full disk or writers that wait for each other must not keep anybody from reading; the next request tries again.
        match timeout(TOUCH_TIMEOUT, store::touch(&mut &app.db, session.id, now)).await {
            Ok(Ok(())) => session.last_used_at = now,
            Ok(Err(error)) => tracing::warn!(?error, "failed to record the last use of a session"),
            Err(_) => tracing::debug!("skipped recording the last use of a session, as all writers are busy"),
        }
    }
    let grants = app.known.grants(&mut &app.db, session.user_id, session.access_version).await?;
    if grants.is_empty() {
        return Err(Error::unauthenticated("not_staff"));
    }
    app.known.remember(hash, session.clone());
    Ok(caller(session, grants, None))
}

/// The caller that a request's token belonged to at a version that the answer is yet to compare ([`StaffMember::as_of`]); none
/// who has to be looked up.
#[must_use]
pub fn remembered(app: &App, headers: &HeaderMap) -> Option<StaffMember> {
    let session = app.known.session(&hash(presented(&app.config, headers)?.token()))?;
    let now = app.clock.now();
    if session.expires_at <= now || session.rotated_at.is_some() || is_worth_a_touch(&session, now) {
        return None;
    }
    let version = session.access_version;
    let grants = app.known.held(session.user_id, version)?;
    Some(caller(session, grants, Some(version)))
}

fn caller(session: SessionRow, grants: Arc<Grants>, as_of: Option<i64>) -> StaffMember {
    let SessionRow { id, user_id, name, email, must_enrol, confirmed_at, .. } = session;
    StaffMember { user_id, session_id: id, name, email, grants, must_enrol, as_of, confirmed_at }
}

fn is_worth_a_touch(session: &SessionRow, now: Time) -> bool {
    now.since(session.last_used_at) > TOUCH_EVERY
}

/// Whether a session still stands.
async fn standing(app: &App, session: &SessionRow, now: Time) -> Result<()> {
    if session.revoked_at.is_some() {
        return Err(Error::unauthenticated("token_ended"));
    }
    // Before its age is judged: a stolen copy is a stolen copy, however old.
    if session.rotated_at.is_some_and(|rotated| now.since(rotated) > GRACE) {
        tracing::warn!(
            user_id = session.user_id.get(),
            "a replaced token was used after its grace; its sign-in is ended"
        );
        if let Err(error) = store::revoke_family(&mut &app.db, &session.family_id, now).await {
            // The next use ends it.
            tracing::warn!(?error, "failed to end a stolen session");
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

/// A token just made.
pub struct Issued {
    /// The token itself; only its owner ever sees it.
    pub token: String,
    /// When it ends where it is not used again.
    pub expires_at: Time,
}

/// Puts a new token in the place of the caller's, which works for the grace only from then on. `confirmed` says when the caller
/// confirmed who they are, where that is just now; else the new token counts as confirmed as the old one does.
pub async fn renew(ctx: &Ctx, confirmed: Option<Time>) -> Result<Issued> {
    let user_id = ctx.caller()?.user_id;
    let hash = ctx.meta.token_hash.ok_or_else(|| Error::unauthenticated("unauthenticated"))?;
    let mut tx = ctx.db().begin().await?;
    store::hold_access(&mut tx).await?;
    let session =
        store::session(&mut tx, &hash).await?.ok_or_else(|| Error::unauthenticated("token_unknown"))?;
    // A tab that refreshes within the grace of another's refresh gets a token of its own in the same family.
    if !store::mark_rotated(&mut tx, session.id, ctx.now()).await? {
        return Err(Error::unauthenticated("token_ended"));
    }
    let confirmed_at = confirmed.or(session.confirmed_at);
    let issued =
        issue(&ctx.app, &mut tx, &ctx.meta, user_id, Origin::Replaced(session), confirmed_at).await?;
    tx.commit().await?;
    Ok(issued)
}

/// What a new session comes from.
#[derive(Debug)]
pub enum Origin {
    /// A sign-in.
    SignIn,
    /// A code of a sign-in that began then, as whose end this one counts.
    Code {
        /// When the person of that sign-in proved who they are.
        signed_in_at: Time,
    },
    /// A session whose place it takes.
    Replaced(SessionRow),
}

/// Makes a session for `user_id`, confirmed or not.
pub async fn issue(
    app: &App,
    db: &mut impl Source,
    meta: &RequestMeta,
    user_id: UserId,
    origin: Origin,
    confirmed_at: Option<Time>,
) -> Result<Issued> {
    let token = format!("pnl_{}", app.random.token());
    let now = app.clock.now();
    let lifetime = SessionLifetime::read(db).await?;
    let (family_id, signed_in_at) = match origin {
        Origin::Replaced(session) => (session.family_id, session.signed_in_at),
        Origin::Code { signed_in_at } => (app.random.token(), signed_in_at),
        Origin::SignIn => (app.random.token(), now),
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
    Ok(Issued { token, expires_at: lifetime.end(signed_in_at, now) })
}
