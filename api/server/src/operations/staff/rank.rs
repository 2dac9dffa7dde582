//! Loads the permissions of users for the rule of `panel_domain::rank`: a caller cannot change a user who has permissions that the
//! caller does not have. Every endpoint that changes a user, the access of a user or a role applies this rule, and the same rule
//! fills `actions.*`. The rule is an additional check: each endpoint also requires a permission.

use std::collections::BTreeMap;

use panel_contract::ids::{RoleId, UserId};
use panel_contract::permission::Permission;
use panel_domain::rank::{ActingStaff, PermissionsByUser};
use panel_kernel::error::Result;

use crate::operations::user_services;
use panel_platform::db::{DbResult, Sql, SqlExecutor};
use panel_platform::work::UnitOfWork;

/// The permissions of the members of each role, including the permissions that the members have directly or from other roles.
pub type MemberPermissions = BTreeMap<RoleId, Vec<Permission>>;

// Store

/// Loads the permissions of these users.
pub async fn load_permissions(db: &mut impl SqlExecutor, ids: &[UserId]) -> DbResult<PermissionsByUser> {
    let sql = Sql::new("SELECT user_id, permission FROM user_permissions WHERE user_id IN ")
        .ids(ids)
        .push(" UNION SELECT ur.user_id, rp.permission FROM user_roles ur JOIN role_permissions rp ON rp.role_id = ur.role_id WHERE ur.user_id IN ")
        .ids(ids);
    let rows: Vec<(UserId, String)> = db.fetch_all(sql).await?;
    let mut permissions = PermissionsByUser::new();
    for (user_id, permission) in rows {
        if let Ok(permission) = permission.parse() {
            permissions.entry(user_id).or_default().push(permission);
        }
    }
    Ok(permissions)
}

/// Loads the permissions of the members of each role, for all roles or only for `role`.
pub async fn load_member_permissions(
    db: &mut impl SqlExecutor,
    role: Option<RoleId>,
) -> DbResult<MemberPermissions> {
    let sql = Sql::new(
        "SELECT m.role_id, h.permission FROM user_roles m JOIN (
           SELECT user_id, permission FROM user_permissions
           UNION SELECT ur.user_id, rp.permission FROM user_roles ur JOIN role_permissions rp ON rp.role_id = ur.role_id) h
         ON h.user_id = m.user_id",
    );
    let sql = match role {
        Some(role) => sql.push(" WHERE m.role_id = ?").bind(role),
        None => sql,
    };
    let rows: Vec<(RoleId, String)> = db.fetch_all(sql.push(" GROUP BY m.role_id, h.permission")).await?;
    let mut permissions = MemberPermissions::new();
    for (role, permission) in rows {
        if let Ok(permission) = permission.parse() {
            permissions.entry(role).or_default().push(permission);
        }
    }
    Ok(permissions)
}

/// Returns a 403 if the user has permissions that the caller does not have. The user must be locked.
pub async fn check_user(work: &mut UnitOfWork, user_id: UserId) -> Result<()> {
    let permissions = load_permissions(work, &[user_id]).await?;
    Ok(ActingStaff::from_staff_member(work.scope().caller()?).check_rank_of(&permissions, user_id)?)
}

/// Locks a user whom the caller may change. Returns a 404 if the user does not exist, and a 403 if the user has permissions that
/// the caller does not have.
pub async fn lock_user(work: &mut UnitOfWork, user_id: UserId) -> Result<()> {
    user_services::lock_user(work, user_id).await?;
    check_user(work, user_id).await
}
