//! Statements for open sessions: they list the sessions of one user, and find out which of several sign-ins are active.

use std::collections::HashSet;
use std::sync::Arc;

use panel_contract::ids::{SessionId, UserId};
use panel_contract::moment::Time;
use panel_platform::db::{DbResult, Sql, SqlExecutor, Val};
use panel_platform::sql;

use crate::auth::lifetime::SessionLifetime;

/// A token of an open session.
#[derive(sqlx::FromRow)]
pub(in crate::auth) struct OpenToken {
    /// Identifies the sign-in. All tokens that were refreshed from it have the same id.
    pub(in crate::auth) family_id: String,
    /// When the user signed in.
    pub(in crate::auth) signed_in_at: Time,
    /// The stored absolute expiry.
    pub(in crate::auth) expires_at: Time,
    /// The last recorded use.
    pub(in crate::auth) last_used_at: Time,
    /// The IP address of the client that created the token.
    pub(in crate::auth) ip_address: String,
    /// The `User-Agent` of the client that created the token.
    pub(in crate::auth) user_agent: String,
    /// The id of the first token of the sign-in.
    pub(in crate::auth) first_id: SessionId,
    /// Whether the token belongs to the sign-in of the caller.
    pub(in crate::auth) is_current: bool,
}

/// Loads the open tokens of a user, the most recently used first, at most 1000. A token that was replaced by a refresh is still open if
/// it was replaced after `rotation_cutoff`.
pub(in crate::auth) async fn load_open_tokens(
    db: &mut impl SqlExecutor,
    (user_id, caller_session_id): (UserId, SessionId),
    lifetime: SessionLifetime,
    rotation_cutoff: Time,
    now: Time,
) -> DbResult<Vec<OpenToken>> {
    let sql = sql!(
        "SELECT s.family_id, s.signed_in_at, s.expires_at, s.last_used_at, s.ip_address, s.user_agent,
           (SELECT min(f.id) FROM sessions f WHERE f.family_id = s.family_id) AS first_id,
           EXISTS (SELECT 1 FROM sessions c WHERE c.id = @caller_session_id AND c.family_id = s.family_id) AS is_current
         FROM sessions s WHERE s.user_id = @user_id AND s.revoked_at IS NULL \
           AND (s.rotated_at IS NULL OR s.rotated_at > @rotation_cutoff)
           AND s.expires_at > @now AND s.last_used_at > @idle_cutoff AND s.signed_in_at > @sign_in_cutoff
         ORDER BY s.last_used_at DESC, s.id DESC LIMIT 1000",
        {
            caller_session_id,
            user_id,
            rotation_cutoff,
            now,
            idle_cutoff: lifetime.idle_cutoff(now),
            sign_in_cutoff: lifetime.sign_in_cutoff(now),
        },
    );
    db.fetch_all(sql).await
}

/// Loads the id of the sign-in to which a session belongs; `None` if the user has no such session.
pub(in crate::auth) async fn load_family_id(
    db: &mut impl SqlExecutor,
    user_id: UserId,
    id: SessionId,
) -> DbResult<Option<String>> {
    let sql = Sql::new("SELECT family_id FROM sessions WHERE id = ? AND user_id = ?").bind(id).bind(user_id);
    Ok(db.fetch_optional::<(String,)>(sql).await?.map(|(family_id,)| family_id))
}

/// Returns the active sign-ins among `family_ids`: they have an open token, and their user is a staff member who is not deactivated.
pub(in crate::auth) async fn load_active_families(
    db: &mut impl SqlExecutor,
    family_ids: &HashSet<Arc<str>>,
    lifetime: SessionLifetime,
    now: Time,
) -> DbResult<HashSet<String>> {
    let rows = family_ids.iter().map(|family_id| vec![Val::from(&**family_id)]).collect();
    let sql = Sql::new("SELECT DISTINCT s.family_id FROM sessions s JOIN ").rows("f", &["family_id"], rows).push(
        " ON f.family_id = s.family_id JOIN users u ON u.id = s.user_id
             WHERE s.revoked_at IS NULL AND s.expires_at > ? AND s.last_used_at > ? AND s.signed_in_at > ? AND u.status <> 'deactivated'
               AND (EXISTS (SELECT 1 FROM user_roles r WHERE r.user_id = u.id) OR EXISTS (SELECT 1 FROM user_permissions p WHERE p.user_id = u.id))",
    );
    let sql = sql.bind(now).bind(lifetime.idle_cutoff(now)).bind(lifetime.sign_in_cutoff(now));
    let rows: Vec<(String,)> = db.fetch_all(sql).await?;
    Ok(rows.into_iter().map(|(family_id,)| family_id).collect())
}
