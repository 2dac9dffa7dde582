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
use crate::auth::store::{self, hold_access};
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use panel_platform::audit;
use panel_platform::audit::change::Change;
use panel_platform::db::{DbResult, Source, Sql};
use panel_platform::sql;
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
    let open = open_sessions(&mut ctx.db(), caller.user_id, caller.session_id, ctx.now()).await?;
    Ok(Data { data: open.into_iter().map(|session| session.shown).collect() })
}

async fn end(ctx: Ctx, req: Req<EndOwnSession>) -> Result<NoBody> {
    let (caller, id) = (ctx.caller()?, req.path);
    let mut work = ctx.begin().await?;
    hold_access(&mut work).await?;
    let now = work.now;
    let family = family_of(&mut work, caller.user_id, id).await?;
    let family = family.ok_or_else(|| Error::not_found("session", id))?;
    let open = open_sessions(&mut work, caller.user_id, caller.session_id, now).await?;
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
    let open = open_sessions(work, user_id, caller_session, now).await?;
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

// Store

/// An open session, with its family, which no answer shows.
struct OpenSession {
    family_id: String,
    shown: OwnSession,
}

#[derive(sqlx::FromRow)]
struct TokenRow {
    family_id: String,
    signed_in_at: Time,
    expires_at: Time,
    last_used_at: Time,
    ip_address: String,
    user_agent: String,
    first_id: SessionId,
    is_current: bool,
}

/// The open sessions of a user: the current one first, then by last use.
async fn open_sessions(
    db: &mut impl Source,
    user_id: UserId,
    caller_session: SessionId,
    now: Time,
) -> DbResult<Vec<OpenSession>> {
    let lifetime = SessionLifetime::read(db).await?;
    // The newest tokens come first: they say where a session was used last.
    let sql = sql!(
        "SELECT s.family_id, s.signed_in_at, s.expires_at, s.last_used_at, s.ip_address, s.user_agent,
           (SELECT min(f.id) FROM sessions f WHERE f.family_id = s.family_id) AS first_id,
           EXISTS (SELECT 1 FROM sessions c WHERE c.id = @caller_session AND c.family_id = s.family_id) AS is_current
         FROM sessions s WHERE s.user_id = @user_id AND s.revoked_at IS NULL \
           AND (s.rotated_at IS NULL OR s.rotated_at > @rotated_at)
           AND s.expires_at > @now AND s.last_used_at > @idle_since AND s.signed_in_at > @signed_in_since
         ORDER BY s.last_used_at DESC, s.id DESC LIMIT 1000",
        {
            caller_session,
            user_id,
            rotated_at: now.before(GRACE),
            now,
            idle_since: lifetime.idle_since(now),
            signed_in_since: lifetime.signed_in_since(now),
        },
    );
    let rows: Vec<TokenRow> = db.all(sql).await?;
    let mut open: Vec<OpenSession> = Vec::new();
    for row in rows {
        if open.iter().any(|session| session.family_id == row.family_id) {
            continue;
        }
        let shown = OwnSession {
            id: row.first_id,
            device: device_of(&row.user_agent),
            ip_address: row.ip_address,
            signed_in_at: row.signed_in_at,
            last_used_at: row.last_used_at,
            ends_at: lifetime.end(row.signed_in_at, row.last_used_at).min(row.expires_at),
            is_current: row.is_current,
        };
        open.push(OpenSession { family_id: row.family_id, shown });
    }
    open.sort_by_key(|session| !session.shown.is_current);
    Ok(open)
}

async fn family_of(db: &mut impl Source, user_id: UserId, id: SessionId) -> DbResult<Option<String>> {
    let sql = Sql::new("SELECT family_id FROM sessions WHERE id = ? AND user_id = ?").bind(id).bind(user_id);
    Ok(db.opt::<(String,)>(sql).await?.map(|row| row.0))
}
