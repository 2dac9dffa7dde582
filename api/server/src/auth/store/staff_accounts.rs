//! SQL of staff members' grants and of the preferences in their profiles.

use panel_contract::common::{LocaleCode, NamedRef};
use panel_contract::ids::{RecordId, UserId};
use panel_contract::moment::Timestamp;
use panel_contract::permission::Permission;
use panel_kernel::actor::Grants;
use panel_platform::db::{DbResult, Source, Sql};
use panel_platform::sql;
use panel_platform::work::UnitOfWork;

/// Roles and all permissions (granted directly or by role) of one user, in one statement.
pub(in crate::auth) async fn grants(db: &mut impl Source, user_id: UserId) -> DbResult<Grants> {
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
        .filter(|row| row.0 == "role")
        .map(|row| NamedRef { id: row.1.typed_as(), name: row.2.clone() })
        .collect();
    let is_granted =
        |permission: &&Permission| rows.iter().any(|row| row.0 == "grant" && row.2 == permission.as_str());
    Ok(Grants { roles, permissions: Permission::ALL.iter().filter(is_granted).copied().collect() })
}

/// The preferences in a staff member's own profile.
#[derive(Debug, Clone, sqlx::FromRow)]
pub(crate) struct Preferences {
    pub(crate) name: String,
    /// Language of the console; `None` for the browser's language.
    pub(crate) locale: Option<LocaleCode>,
    /// IANA name; `None` for the browser's time zone.
    pub(crate) time_zone: Option<String>,
    /// When the account last changed.
    pub(crate) updated_at: Timestamp,
}

/// The preferences of `user_id`; `None` if there is no such user.
pub(in crate::auth) async fn preferences(
    db: &mut impl Source,
    user_id: UserId,
) -> DbResult<Option<Preferences>> {
    let sql = Sql::new("SELECT name, locale, time_zone, updated_at FROM users WHERE id = ?").bind(user_id);
    db.fetch_optional(sql).await
}

/// Writes the preferences if the user's `updated_at` is still `expected_updated_at`; false if it is not.
pub(crate) async fn write_preferences(
    work: &mut UnitOfWork,
    id: UserId,
    expected_updated_at: Timestamp,
    new: &Preferences,
) -> DbResult<bool> {
    let timestamp = work.timestamp();
    let sql = sql!(
        "UPDATE users SET name = @name, locale = @locale, time_zone = @time_zone, updated_at = @timestamp WHERE id = @id \
           AND updated_at = @updated_at",
        {
            name: new.name.as_str(),
            locale: new.locale.map(|locale| locale.as_str()),
            time_zone: new.time_zone.clone(),
            timestamp,
            id,
            updated_at: expected_updated_at,
        },
    );
    Ok(work.execute(sql).await? == 1)
}
