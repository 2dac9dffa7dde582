//! Who somebody is: roles and permissions of a staff member, read at every request so that a change bites at once.

use panel_contract::common::Named;
use panel_contract::permission::{Permission, PermissionEntry};
use panel_contract::session::Profile;

use crate::db::{Source, Sql};
use crate::http::caller::Caller;
use crate::http::error::Result;

/// Roles and all permissions (held directly or by role) of one user, in one statement.
pub async fn grants(db: &mut impl Source, user_id: i64) -> Result<(Vec<Named>, Vec<Permission>)> {
    let sql = Sql::new(
        "SELECT 'role' AS kind, r.id, r.name FROM user_roles ur JOIN roles r ON r.id = ur.role_id WHERE ur.user_id = ?
         UNION ALL SELECT 'grant', CAST(0 AS BIGINT), up.permission FROM user_permissions up WHERE up.user_id = ?
         UNION ALL SELECT 'grant', CAST(0 AS BIGINT), rp.permission FROM user_roles ur JOIN role_permissions rp ON rp.role_id = ur.role_id
           WHERE ur.user_id = ?",
    );
    let rows: Vec<(String, i64, String)> = db.all(sql.bind(user_id).bind(user_id).bind(user_id)).await?;
    let roles = rows
        .iter()
        .filter(|row| row.0 == "role")
        .map(|row| Named { id: row.1, name: row.2.clone() })
        .collect();
    let held =
        |permission: &&Permission| rows.iter().any(|row| row.0 == "grant" && row.2 == permission.as_str());
    Ok((roles, Permission::ALL.iter().filter(held).copied().collect()))
}

/// Roles and permissions as a session carries them.
#[must_use]
pub fn carried(roles: Option<&str>, permissions: Option<&str>) -> (Vec<Named>, Vec<Permission>) {
    let role = |line: &str| {
        let (id, name) = line.split_once(' ')?;
        Some(Named { id: id.parse().ok()?, name: name.to_owned() })
    };
    let mut roles: Vec<Named> = roles.unwrap_or_default().lines().filter_map(role).collect();
    roles.sort_by_key(|role| role.id);
    let names: Vec<&str> = permissions.unwrap_or_default().split(',').collect();
    let held = |permission: &&Permission| names.contains(&permission.as_str());
    (roles, Permission::ALL.iter().filter(held).copied().collect())
}

/// The caller as the profile shows them.
#[must_use]
pub fn profile(caller: &Caller) -> Profile {
    Profile {
        id: caller.user_id,
        name: caller.name.clone(),
        email: caller.email.clone(),
        roles: caller.roles.clone(),
        all_permissions: caller.permissions.iter().copied().map(PermissionEntry::from).collect(),
    }
}
