//! Lists and ends the sessions of the caller, and ends the sessions of another staff member. In this module a session is one sign-in
//! with all tokens that were refreshed from it. The module never returns a token, and never lists the sessions of another user.

use panel_contract::common::Data;
use panel_contract::endpoint::EmptyBody;
use panel_contract::endpoints::session::{EndOtherSessions, EndOwnSession, ListOwnSessions};
use panel_contract::ids::{SessionId, UserId};
use panel_contract::moment::Time;
use panel_contract::session::{EndedSessions, OwnSession};
use panel_kernel::error::{Error, Result};
use serde_json::json;

use crate::auth::device::describe_device;
use crate::auth::lifetime::SessionLifetime;
use crate::auth::sessions::ROTATION_GRACE_PERIOD;
use crate::auth::store::open_sessions::{self, OpenToken};
use crate::auth::store::{self, lock_access_version};
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::db::{DbResult, SqlExecutor};
use panel_platform::work::UnitOfWork;

// Routes

pub fn routes(api: Api) -> Api {
    api.route::<ListOwnSessions, _, _, _>(list_own_sessions)
        .route::<EndOwnSession, _, _, _>(end_own_session)
        .route::<EndOtherSessions, _, _, _>(end_other_sessions)
}

async fn list_own_sessions(ctx: Ctx, _req: Req<ListOwnSessions>) -> Result<Data<Vec<OwnSession>>> {
    let caller = ctx.caller()?;
    let open_sessions =
        load_open_sessions(&mut ctx.db(), caller.user_id, caller.session_id, ctx.now()).await?;
    Ok(Data { data: open_sessions.into_iter().map(|session| session.details).collect() })
}

async fn end_own_session(ctx: Ctx, req: Req<EndOwnSession>) -> Result<EmptyBody> {
    let (caller, id) = (ctx.caller()?, req.path);
    let mut work = ctx.begin().await?;
    lock_access_version(&mut work).await?;
    let now = work.now;
    let family_id = open_sessions::load_family_id(&mut work, caller.user_id, id).await?;
    let family_id = family_id.ok_or_else(|| Error::not_found("session", id))?;
    let open_sessions = load_open_sessions(&mut work, caller.user_id, caller.session_id, now).await?;
    let Some(session) = open_sessions.into_iter().find(|session| session.family_id == family_id) else {
        return Err(Error::conflict("session_ended", "This session has already ended."));
    };
    if session.details.is_current {
        let message = "This is your current session. Sign out to end it.";
        return Err(Error::conflict("current_session", message));
    }
    store::revoke_family(&mut work, &family_id, now).await?;
    let old = json!({
        "device": session.details.device,
        "ip_address": session.details.ip_address,
        "signed_in_at": session.details.signed_in_at,
    });
    let change = AuditChange { id: caller.user_id.as_record_id(), old, new: json!({}) };
    audit::record(&mut work, "user.session_ended", "user", change).await?;
    work.finish(EmptyBody {}).await
}

async fn end_other_sessions(ctx: Ctx, _req: Req<EndOtherSessions>) -> Result<EndedSessions> {
    let mut work = ctx.begin().await?;
    let ended_count = end_all(&mut work, ctx.caller()?.user_id).await?;
    if ended_count == 0 {
        return Err(Error::conflict("no_sessions", "You have no other session."));
    }
    work.finish(EndedSessions { ended: ended_count }).await
}

/// Ends all sessions of a user except the current session of the caller, and writes an audit entry. Returns the number of ended
/// sessions.
pub async fn end_all(work: &mut UnitOfWork, user_id: UserId) -> Result<i64> {
    lock_access_version(work).await?;
    let (now, caller_session_id) = (work.now, work.scope().caller()?.session_id);
    let open_sessions = load_open_sessions(work, user_id, caller_session_id, now).await?;
    let other_count = open_sessions.iter().filter(|session| !session.details.is_current).count();
    let ended_count = i64::try_from(other_count).unwrap_or(i64::MAX);
    // This also revokes idle sessions, because a longer idle time in the settings would make them valid again.
    store::end_sessions(work, user_id, Some(caller_session_id), now).await?;
    if ended_count == 0 {
        return Ok(0);
    }
    let change = AuditChange {
        id: user_id.as_record_id(),
        old: json!({ "sessions": ended_count }),
        new: json!({ "sessions": 0 }),
    };
    audit::record(work, "user.sessions_ended", "user", change).await?;
    Ok(ended_count)
}

/// Loads the open sessions of a user. The current session of the caller comes first; the others are sorted by last use.
async fn load_open_sessions(
    db: &mut impl SqlExecutor,
    user_id: UserId,
    caller_session_id: SessionId,
    now: Time,
) -> DbResult<Vec<OpenSession>> {
    let lifetime = SessionLifetime::read(db).await?;
    let user_and_session = (user_id, caller_session_id);
    let tokens = open_sessions::load_open_tokens(
        db,
        user_and_session,
        lifetime,
        now.minus(ROTATION_GRACE_PERIOD),
        now,
    )
    .await?;
    Ok(group_by_sign_in(tokens, lifetime))
}

// Rules

/// An open session, with the id of its token family, which no response contains.
struct OpenSession {
    family_id: String,
    details: OwnSession,
}

/// Groups tokens by session. The tokens are sorted by last use, so the first token of a session is the most recently used one.
fn group_by_sign_in(tokens: Vec<OpenToken>, lifetime: SessionLifetime) -> Vec<OpenSession> {
    let mut sessions: Vec<OpenSession> = Vec::new();
    for token in tokens {
        if sessions.iter().any(|session| session.family_id == token.family_id) {
            continue;
        }
        let details = OwnSession {
            id: token.first_id,
            device: describe_device(&token.user_agent),
            ip_address: token.ip_address,
            signed_in_at: token.signed_in_at,
            last_used_at: token.last_used_at,
            ends_at: lifetime.expires_at(token.signed_in_at, token.last_used_at).min(token.expires_at),
            is_current: token.is_current,
        };
        sessions.push(OpenSession { family_id: token.family_id, details });
    }
    sessions.sort_by_key(|session| !session.details.is_current);
    sessions
}
