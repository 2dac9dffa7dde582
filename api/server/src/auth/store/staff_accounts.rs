//! Statements for the roles, permissions and preferences of staff members.

use panel_contract::common::{LocaleCode, NamedRef};
use panel_contract::ids::{RecordId, UserId};
use panel_contract::moment::Timestamp;
use panel_contract::permission::Permission;
use panel_kernel::actor::Grants;
use panel_platform::db::{DbResult, Sql, SqlExecutor};
use panel_platform::sql;
use panel_platform::work::UnitOfWork;

/// Loads the roles of a user and all permissions, which are granted directly or by a role.
pub(in crate::auth) async fn load_grants(db: &mut impl SqlExecutor, user_id: UserId) -> DbResult<Grants> {
    let sql = Sql::new(
        "SELECT 'role' AS kind, r.id, r.name FROM user_roles ur JOIN roles r ON r.id = ur.role_id WHERE ur.user_id = ?
         UNION ALL SELECT 'grant', CAST(0 AS BIGINT), up.permission FROM user_permissions up WHERE up.user_id = ?
         UNION ALL SELECT 'grant', CAST(0 AS BIGINT), rp.permission FROM user_roles ur JOIN role_permissions rp ON rp.role_id = ur.role_id
           WHERE ur.user_id = ?",
    );
    let rows: Vec<(String, RecordId, String)> =
        db.fetch_all(sql.bind(user_id).bind(user_id).bind(user_id)).await?;
    let roles = rows
        .iter()
        .filter(|(kind, _, _)| kind == "role")
        .map(|(_, id, name)| NamedRef { id: id.typed_as(), name: name.clone() })
        .collect();
    let is_granted = |permission: &&Permission| {
        rows.iter().any(|(kind, _, name)| kind == "grant" && name == permission.as_str())
    };
    Ok(Grants { roles, permissions: Permission::ALL.iter().filter(is_granted).copied().collect() })
}

/// The preferences that a staff member sets in their profile.
#[derive(Debug, Clone, sqlx::FromRow)]
pub(crate) struct Preferences {
    pub(crate) name: String,
    /// Language of the console; `None` for the browser's language.
    pub(crate) locale: Option<LocaleCode>,
    /// IANA name of the time zone; `None` for the browser's time zone.
    pub(crate) time_zone: Option<String>,
    /// When the account last changed.
    pub(crate) updated_at: Timestamp,
}

/// Loads the preferences of a user; `None` if there is no such user.
pub(in crate::auth) async fn load_preferences(
    db: &mut impl SqlExecutor,
    user_id: UserId,
) -> DbResult<Option<Preferences>> {
    let sql = Sql::new("SELECT name, locale, time_zone, updated_at FROM users WHERE id = ?").bind(user_id);
    db.fetch_optional(sql).await
}

/// Writes the preferences. Returns false, and writes nothing, if the user's `updated_at` is no longer `expected_updated_at`.
pub(crate) async fn write_preferences(
    work: &mut UnitOfWork,
    id: UserId,
    expected_updated_at: Timestamp,
    preferences: &Preferences,
) -> DbResult<bool> {
    let timestamp = work.timestamp();
    let sql = sql!(
        "UPDATE users SET name = @name, locale = @locale, time_zone = @time_zone, updated_at = @timestamp WHERE id = @id \
           AND updated_at = @updated_at",
        {
            name: preferences.name.as_str(),
            locale: preferences.locale.map(|locale| locale.as_str()),
            time_zone: preferences.time_zone.clone(),
            timestamp,
            id,
            updated_at: expected_updated_at,
        },
    );
    Ok(work.execute(sql).await? == 1)
}
