//! SQL of open sessions: those of one user, and which of several sign-ins are active.

use std::collections::HashSet;
use std::sync::Arc;

use panel_contract::ids::{SessionId, UserId};
use panel_contract::moment::Time;
use panel_platform::db::{DbResult, Source, Sql, Val};
use panel_platform::sql;

use crate::auth::lifetime::SessionLifetime;

/// A token of an open session.
#[derive(sqlx::FromRow)]
pub(in crate::auth) struct OpenToken {
    /// The sign-in from which it was refreshed.
    pub(in crate::auth) family_id: String,
    /// When the person signed in.
    pub(in crate::auth) signed_in_at: Time,
    /// The stored absolute end.
    pub(in crate::auth) expires_at: Time,
    /// The last recorded use.
    pub(in crate::auth) last_used_at: Time,
    /// The client's address at its creation.
    pub(in crate::auth) ip_address: String,
    /// The client's `User-Agent`.
    pub(in crate::auth) user_agent: String,
    /// The id of the sign-in's first token.
    pub(in crate::auth) first_id: SessionId,
    /// Whether it belongs to the caller's own sign-in.
    pub(in crate::auth) is_current: bool,
}

/// The open tokens of a user, the most recently used first; at most 1000. A replaced token counts as open if it was replaced after
/// `rotated_since`.
pub(in crate::auth) async fn tokens(
    db: &mut impl Source,
    (user_id, caller_session): (UserId, SessionId),
    lifetime: SessionLifetime,
    rotated_since: Time,
    now: Time,
) -> DbResult<Vec<OpenToken>> {
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
            rotated_at: rotated_since,
            now,
            idle_since: lifetime.idle_since(now),
            signed_in_since: lifetime.signed_in_since(now),
        },
    );
    db.fetch_all(sql).await
}

/// The sign-in of a user's session; `None` if the user has no such session.
pub(in crate::auth) async fn family_of(
    db: &mut impl Source,
    user_id: UserId,
    id: SessionId,
) -> DbResult<Option<String>> {
    let sql = Sql::new("SELECT family_id FROM sessions WHERE id = ? AND user_id = ?").bind(id).bind(user_id);
    Ok(db.fetch_optional::<(String,)>(sql).await?.map(|row| row.0))
}

/// The active sign-ins among `families`: those with an open token of a staff member who is not deactivated.
pub(in crate::auth) async fn active_families(
    db: &mut impl Source,
    families: &HashSet<Arc<str>>,
    lifetime: SessionLifetime,
    now: Time,
) -> DbResult<HashSet<String>> {
    let rows = families.iter().map(|family| vec![Val::from(&**family)]).collect();
    let sql = Sql::new("SELECT DISTINCT s.family_id FROM sessions s JOIN ").rows("f", &["family_id"], rows).push(
        " ON f.family_id = s.family_id JOIN users u ON u.id = s.user_id
             WHERE s.revoked_at IS NULL AND s.expires_at > ? AND s.last_used_at > ? AND s.signed_in_at > ? AND u.status <> 'deactivated'
               AND (EXISTS (SELECT 1 FROM user_roles r WHERE r.user_id = u.id) OR EXISTS (SELECT 1 FROM user_permissions p WHERE p.user_id = u.id))",
    );
    let sql = sql.bind(now).bind(lifetime.idle_since(now)).bind(lifetime.signed_in_since(now));
    let rows: Vec<(String,)> = db.fetch_all(sql).await?;
    Ok(rows.into_iter().map(|row| row.0).collect())
}
