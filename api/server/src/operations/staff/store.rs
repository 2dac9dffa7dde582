//! Grants in the database. Each change locks `access_version` first, so that two staff members who remove "manage staff" from
//! each other cannot both pass the check that the other still has it. Callers that also lock users lock them before
//! `access_version`.

use std::collections::{BTreeMap, HashMap};

use panel_contract::ids::{RoleId, UserId};
use panel_contract::moment::Timestamp;
use panel_contract::permission::Permission;

use crate::stores::account_links;
use panel_platform::db::{DbResult, Sql, SqlExecutor, Val};
use panel_platform::work::UnitOfWork;

/// Locks all roles and permissions until the transaction ends.
pub use crate::auth::store::lock_access_version;

/// Counts the active staff members with "manage staff".
pub async fn count_managers(work: &mut UnitOfWork) -> DbResult<i64> {
    let sql = Sql::new(
        "SELECT count(*) FROM users u WHERE u.status <> 'deactivated' AND u.id IN (
           SELECT user_id FROM user_permissions WHERE permission = ?
           UNION SELECT x.user_id FROM user_roles x JOIN role_permissions p ON p.role_id = x.role_id WHERE p.permission = ?)",
    );
    let name = Permission::ManageStaff.as_str();
    Ok(work.fetch_one::<(i64,)>(sql.bind(name).bind(name)).await?.0)
}

/// Loads the names and the permissions of the existing roles among `ids`.
pub async fn load_roles(
    work: &mut UnitOfWork,
    ids: &[RoleId],
) -> DbResult<BTreeMap<RoleId, (String, Vec<Permission>)>> {
    let sql = Sql::new(
        "SELECT r.id, r.name, p.permission FROM roles r LEFT JOIN role_permissions p ON p.role_id = r.id WHERE r.id IN ",
    );
    let rows: Vec<(RoleId, String, Option<String>)> = work.fetch_all(sql.ids(ids)).await?;
    let mut roles: BTreeMap<RoleId, (String, Vec<Permission>)> = BTreeMap::new();
    for (id, name, permission) in rows {
        let role = roles.entry(id).or_insert_with(|| (name, Vec::new()));
        role.1.extend(permission.and_then(|name| name.parse::<Permission>().ok()));
    }
    Ok(roles)
}

/// Role ids and permissions that a user has directly.
pub async fn load_direct_grants(
    work: &mut UnitOfWork,
    user_id: UserId,
) -> DbResult<(Vec<RoleId>, Vec<Permission>)> {
    let sql = Sql::new("SELECT role_id FROM user_roles WHERE user_id = ? ORDER BY role_id").bind(user_id);
    let roles: Vec<(RoleId,)> = work.fetch_all(sql).await?;
    let sql = Sql::new("SELECT permission FROM user_permissions WHERE user_id = ? ORDER BY permission");
    let permissions: Vec<(String,)> = work.fetch_all(sql.bind(user_id)).await?;
    let permissions = permissions.iter().filter_map(|(name,)| name.parse().ok()).collect();
    Ok((roles.into_iter().map(|(id,)| id).collect(), permissions))
}

/// Replaces the roles and the direct permissions of a user.
pub async fn replace_grants(
    work: &mut UnitOfWork,
    user_id: UserId,
    roles: &[RoleId],
    permissions: &[Permission],
) -> DbResult<()> {
    work.execute(Sql::new("DELETE FROM user_roles WHERE user_id = ?").bind(user_id)).await?;
    work.execute(Sql::new("DELETE FROM user_permissions WHERE user_id = ?").bind(user_id)).await?;
    let sql = Sql::new("INSERT INTO user_roles (user_id, role_id) SELECT ?, id FROM roles WHERE id IN ");
    work.execute(sql.bind(user_id).ids(roles)).await?;
    if !permissions.is_empty() {
        let sql = Sql::new("INSERT INTO user_permissions (user_id, permission) SELECT ?, r.name FROM ");
        work.execute(sql.bind(user_id).rows("r", &["name"], name_rows(permissions))).await?;
    }
    Ok(())
}

fn name_rows(permissions: &[Permission]) -> Vec<Vec<Val>> {
    permissions.iter().map(|permission| vec![permission.as_str().into()]).collect()
}

/// A role with the number of its members.
#[derive(Debug, sqlx::FromRow)]
pub struct RoleRow {
    pub id: RoleId,
    pub name: String,
    pub updated_at: Timestamp,
    /// Whether members of the role must have a second factor.
    pub requires_second_factor: bool,
    pub users_count: i64,
}

#[derive(Debug)]
pub struct RoleDraft<'a> {
    pub name: &'a str,
    pub permissions: Vec<Permission>,
    /// Whether members of the role must have a second factor.
    pub requires_second_factor: bool,
}

const SELECT_ROLES: &str = "SELECT r.id, r.name, r.updated_at, r.requires_second_factor, (SELECT count(*) FROM user_roles x WHERE x.role_id = r.id) AS users_count FROM roles r";

/// All roles by name, with their permissions.
pub async fn load_roles_with_permissions(
    db: &mut impl SqlExecutor,
) -> DbResult<Vec<(RoleRow, Vec<Permission>)>> {
    let roles: Vec<RoleRow> = db.fetch_all(Sql::new(SELECT_ROLES).push(" ORDER BY r.name, r.id")).await?;
    let permissions: Vec<(RoleId, String)> =
        db.fetch_all(Sql::new("SELECT role_id, permission FROM role_permissions")).await?;
    let mut permissions_by_role: HashMap<RoleId, Vec<Permission>> = HashMap::new();
    for (role, name) in permissions {
        if let Ok(permission) = name.parse() {
            permissions_by_role.entry(role).or_default().push(permission);
        }
    }
    Ok(roles
        .into_iter()
        .map(|role| {
            let permissions = permissions_by_role.remove(&role.id).unwrap_or_default();
            (role, permissions)
        })
        .collect())
}

/// One role with its permissions.
pub async fn load_role(
    db: &mut impl SqlExecutor,
    id: RoleId,
) -> DbResult<Option<(RoleRow, Vec<Permission>)>> {
    let Some(role) =
        db.fetch_optional::<RoleRow>(Sql::new(SELECT_ROLES).push(" WHERE r.id = ?").bind(id)).await?
    else {
        return Ok(None);
    };
    let sql = Sql::new("SELECT permission FROM role_permissions WHERE role_id = ?").bind(id);
    let permissions: Vec<(String,)> = db.fetch_all(sql).await?;
    Ok(Some((role, permissions.iter().filter_map(|(name,)| name.parse().ok()).collect())))
}

/// Inserts a role. A name that is in use is a unique violation.
pub async fn insert_role(work: &mut UnitOfWork, role: &RoleDraft<'_>) -> DbResult<RoleId> {
    let (now, timestamp) = (work.now, work.timestamp());
    let sql = Sql::new(
        "INSERT INTO roles (name, requires_second_factor, created_at, updated_at) VALUES (?, ?, ?, ?) RETURNING id",
    );
    let sql = sql.bind(role.name).bind(role.requires_second_factor).bind(now).bind(timestamp);
    let (id,): (RoleId,) = work.fetch_one(sql).await?;
    insert_permissions(work, id, &role.permissions).await?;
    Ok(id)
}

/// Changes the name, the permissions and the second-factor rule of a role.
pub async fn write_role(work: &mut UnitOfWork, id: RoleId, role: &RoleDraft<'_>) -> DbResult<()> {
    let timestamp = work.timestamp();
    let sql = Sql::new("UPDATE roles SET name = ?, requires_second_factor = ?, updated_at = ? WHERE id = ?");
    work.execute(sql.bind(role.name).bind(role.requires_second_factor).bind(timestamp).bind(id)).await?;
    work.execute(Sql::new("DELETE FROM role_permissions WHERE role_id = ?").bind(id)).await?;
    insert_permissions(work, id, &role.permissions).await
}

async fn insert_permissions(work: &mut UnitOfWork, role: RoleId, permissions: &[Permission]) -> DbResult<()> {
    let sql = Sql::new("INSERT INTO role_permissions (role_id, permission) SELECT ?, r.name FROM ");
    work.execute(sql.bind(role).rows("r", &["name"], name_rows(permissions))).await?;
    Ok(())
}

/// Whether a staff member has a role.
pub async fn has_role(work: &mut UnitOfWork, user_id: UserId, role: RoleId) -> DbResult<bool> {
    let sql =
        Sql::new("SELECT role_id FROM user_roles WHERE user_id = ? AND role_id = ?").bind(user_id).bind(role);
    Ok(work.fetch_optional::<(RoleId,)>(sql).await?.is_some())
}

/// Names of up to three members of a role.
pub async fn load_member_names(work: &mut UnitOfWork, role: RoleId) -> DbResult<Vec<String>> {
    let sql = Sql::new(
        "SELECT u.name FROM user_roles x JOIN users u ON u.id = x.user_id WHERE x.role_id = ? ORDER BY u.id LIMIT 3",
    );
    Ok(work.fetch_all::<(String,)>(sql.bind(role)).await?.into_iter().map(|(name,)| name).collect())
}

/// Deletes an unused role; false if a user has it.
pub async fn delete_role(work: &mut UnitOfWork, id: RoleId) -> DbResult<bool> {
    let sql = Sql::new(
        "DELETE FROM roles WHERE id = ? AND NOT EXISTS (SELECT 1 FROM user_roles x WHERE x.role_id = roles.id)",
    );
    Ok(work.execute(sql.bind(id)).await? == 1)
}

pub async fn rename_user(work: &mut UnitOfWork, user_id: UserId, name: &str) -> DbResult<u64> {
    let timestamp = work.timestamp();
    let sql = Sql::new("UPDATE users SET name = ?, updated_at = ? WHERE id = ?");
    work.execute(sql.bind(name).bind(timestamp).bind(user_id)).await
}

/// Stores a password hash, and invalidates all links to set a password.
pub async fn write_password_hash(work: &mut UnitOfWork, user_id: UserId, hash: &str) -> DbResult<u64> {
    let timestamp = work.timestamp();
    account_links::delete_all(work, &[user_id]).await?;
    let sql = Sql::new("UPDATE users SET password_hash = ?, updated_at = ? WHERE id = ?");
    work.execute(sql.bind(hash).bind(timestamp).bind(user_id)).await
}
