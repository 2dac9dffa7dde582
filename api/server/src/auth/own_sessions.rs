//! The sessions of one's own, and ending those of another member of staff. What people see as one session is a sign-in:
//! every token that came of it by refreshing. It never shows a token, nor the sessions of another person.

use panel_contract::common::Data;
use panel_contract::endpoint::NoBody;
use panel_contract::endpoints::session::{EndOtherSessions, EndOwnSession, ListOwnSessions};
use panel_contract::ids::{SessionId, UserId};
use panel_contract::moment::Time;
use panel_contract::session::{EndedSessions, OwnSession};
use panel_kernel::error::{Error, Result};
use serde_json::json;

use crate::auth::device::device_of;
use crate::auth::lifetime::SessionLifetime;
use crate::auth::sessions::GRACE;
use crate::auth::store::open_sessions::{self, OpenToken};
use crate::auth::store::{self, hold_access};
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use panel_platform::audit;
use panel_platform::audit::change::Change;
use panel_platform::db::{DbResult, Source};
use panel_platform::work::Work;

// Routes

/// Adds the endpoints.
pub fn routes(api: Api) -> Api {
    api.on::<ListOwnSessions, _, _, _>(list)
        .on::<EndOwnSession, _, _, _>(end)
        .on::<EndOtherSessions, _, _, _>(end_others)
}

async fn list(ctx: Ctx, _req: Req<ListOwnSessions>) -> Result<Data<Vec<OwnSession>>> {
    let caller = ctx.caller()?;
    let open = read_open(&mut ctx.db(), caller.user_id, caller.session_id, ctx.now()).await?;
    Ok(Data { data: open.into_iter().map(|session| session.shown).collect() })
}

async fn end(ctx: Ctx, req: Req<EndOwnSession>) -> Result<NoBody> {
    let (caller, id) = (ctx.caller()?, req.path);
    let mut work = ctx.begin().await?;
    hold_access(&mut work).await?;
    let now = work.now;
    let family = open_sessions::family_of(&mut work, caller.user_id, id).await?;
    let family = family.ok_or_else(|| Error::not_found("session", id))?;
    let open = read_open(&mut work, caller.user_id, caller.session_id, now).await?;
    let Some(session) = open.into_iter().find(|session| session.family_id == family) else {
        return Err(Error::conflict("session_ended", "This session has ended already."));
    };
    if session.shown.is_current {
        let message = "This is the session that you use now; sign out to end it.";
        return Err(Error::conflict("current_session", message));
    }
    store::revoke_family(&mut work, &family, now).await?;
    let old = json!({
        "device": session.shown.device,
        "ip_address": session.shown.ip_address,
        "signed_in_at": session.shown.signed_in_at,
    });
    let change = Change { id: caller.user_id.record(), old, new: json!({}) };
    audit::record(&mut work, "user.session_ended", "user", change).await?;
    work.finish(NoBody {}).await
}

async fn end_others(ctx: Ctx, _req: Req<EndOtherSessions>) -> Result<EndedSessions> {
    let mut work = ctx.begin().await?;
    let ended = end_all(&mut work, ctx.caller()?.user_id).await?;
    if ended == 0 {
        return Err(Error::conflict("no_sessions", "You have no other session."));
    }
    work.finish(EndedSessions { ended }).await
}

/// Ends all sessions of a user but the one that the caller uses, and records it; how many there were.
pub async fn end_all(work: &mut Work, user_id: UserId) -> Result<i64> {
    hold_access(work).await?;
    let (now, caller_session) = (work.now, work.scope().caller()?.session_id);
    let open = read_open(work, user_id, caller_session, now).await?;
    let others = open.iter().filter(|session| !session.shown.is_current).count();
    let ended = i64::try_from(others).unwrap_or(i64::MAX);
    // Also those that idleness alone ended: a longer idle time would open them again.
    store::end_sessions(work, user_id, Some(caller_session), now).await?;
    if ended == 0 {
        return Ok(0);
    }
    let change =
        Change { id: user_id.record(), old: json!({ "sessions": ended }), new: json!({ "sessions": 0 }) };
    audit::record(work, "user.sessions_ended", "user", change).await?;
    Ok(ended)
}

/// The open sessions of a user: the current one first, then by last use.
async fn read_open(
    db: &mut impl Source,
    user_id: UserId,
    caller_session: SessionId,
    now: Time,
) -> DbResult<Vec<OpenSession>> {
    let lifetime = SessionLifetime::read(db).await?;
    let whose = (user_id, caller_session);
    let tokens = open_sessions::tokens(db, whose, lifetime, now.before(GRACE), now).await?;
    Ok(by_sign_in(tokens, lifetime))
}

// Rules

/// An open session, with its family, which no answer shows.
struct OpenSession {
    family_id: String,
    shown: OwnSession,
}

/// The sessions of these tokens, of which the newest come first: they say where a session was used last.
fn by_sign_in(tokens: Vec<OpenToken>, lifetime: SessionLifetime) -> Vec<OpenSession> {
    let mut open: Vec<OpenSession> = Vec::new();
    for token in tokens {
        if open.iter().any(|session| session.family_id == token.family_id) {
            continue;
        }
        let shown = OwnSession {
            id: token.first_id,
            device: device_of(&token.user_agent),
            ip_address: token.ip_address,
            signed_in_at: token.signed_in_at,
            last_used_at: token.last_used_at,
            ends_at: lifetime.end(token.signed_in_at, token.last_used_at).min(token.expires_at),
            is_current: token.is_current,
        };
        open.push(OpenSession { family_id: token.family_id, shown });
    }
    open.sort_by_key(|session| !session.shown.is_current);
    open
}
