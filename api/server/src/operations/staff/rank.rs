//! Loads the permissions of users for the rule of `panel_domain::rank`. Every endpoint that changes a user, their access or a role
//! applies this rule, and the same rule fills `actions.*`. The rule never grants anything: each endpoint also needs its own
//! permission.

use std::collections::BTreeMap;

use panel_contract::ids::{RoleId, UserId};
use panel_contract::permission::Permission;
use panel_domain::rank::{ActingStaff, PermissionsByUser};
use panel_kernel::error::Result;

use crate::operations::user_services;
use panel_platform::db::{DbResult, Source, Sql};
use panel_platform::work::UnitOfWork;

/// The permissions of the members of each role, including those that they have directly or from other roles.
pub type MemberPermissions = BTreeMap<RoleId, Vec<Permission>>;

// Store

/// The permissions of the users `ids`, in one statement.
pub async fn load_permissions(db: &mut impl Source, ids: &[UserId]) -> DbResult<PermissionsByUser> {
    let sql = Sql::new("SELECT user_id, permission FROM user_permissions WHERE user_id IN ")
        .ids(ids)
        .push(" UNION SELECT ur.user_id, rp.permission FROM user_roles ur JOIN role_permissions rp ON rp.role_id = ur.role_id WHERE ur.user_id IN ")
        .ids(ids);
    let rows: Vec<(UserId, String)> = db.fetch_all(sql).await?;
    let mut permissions = PermissionsByUser::new();
    for (user, permission) in rows {
        if let Ok(permission) = permission.parse() {
            permissions.entry(user).or_default().push(permission);
        }
    }
    Ok(permissions)
}

/// Loads the permissions of the members of each role, for all roles or only for `role`.
pub async fn load_member_permissions(
    db: &mut impl Source,
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

/// Refuses a caller whom the user outranks. The caller of this function has locked the user.
pub async fn check_user(work: &mut UnitOfWork, user: UserId) -> Result<()> {
    let permissions = load_permissions(work, &[user]).await?;
    Ok(ActingStaff::of(work.scope().caller()?).check_rank_of(&permissions, user)?)
}

/// Locks a user on whom the caller may act: 404 if the user does not exist, 403 if the user outranks the caller.
pub async fn lock_user(work: &mut UnitOfWork, user: UserId) -> Result<()> {
    user_services::lock_user(work, user).await?;
    check_user(work, user).await
}
