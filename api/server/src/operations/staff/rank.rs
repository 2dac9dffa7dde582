//! Reads what users hold, for the rule of `panel_domain::rank`. Every endpoint that changes a user, their access or a role asks that
//! one rule, and the same rule fills `actions.*`. It never grants anything: each endpoint asks for its own permission first.

use std::collections::BTreeMap;

use panel_contract::ids::{RoleId, UserId};
use panel_contract::permission::Permission;
use panel_domain::rank::{ActingStaff, PermissionsByUser};
use panel_kernel::error::Result;

use crate::operations::user_services;
use panel_platform::db::{DbResult, Source, Sql};
use panel_platform::work::Work;

/// What the members of each of several roles hold.
pub type HeldByMembers = BTreeMap<RoleId, Vec<Permission>>;

// Store

/// The permissions of the users `ids`, in one statement.
pub async fn held(db: &mut impl Source, ids: &[UserId]) -> DbResult<PermissionsByUser> {
    let sql = Sql::new("SELECT user_id, permission FROM user_permissions WHERE user_id IN ")
        .ids(ids)
        .push(" UNION SELECT ur.user_id, rp.permission FROM user_roles ur JOIN role_permissions rp ON rp.role_id = ur.role_id WHERE ur.user_id IN ")
        .ids(ids);
    let rows: Vec<(UserId, String)> = db.all(sql).await?;
    let mut held = PermissionsByUser::new();
    for (user, permission) in rows {
        if let Ok(permission) = permission.parse() {
            held.entry(user).or_default().push(permission);
        }
    }
    Ok(held)
}

/// What the members of each role hold together; of all roles, or of `role` alone.
pub async fn held_by_members(db: &mut impl Source, role: Option<RoleId>) -> DbResult<HeldByMembers> {
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
    let rows: Vec<(RoleId, String)> = db.all(sql.push(" GROUP BY m.role_id, h.permission")).await?;
    let mut held = HeldByMembers::new();
    for (role, permission) in rows {
        if let Ok(permission) = permission.parse() {
            held.entry(role).or_default().push(permission);
        }
    }
    Ok(held)
}

/// Refuses a caller whom the user, locked before, outranks.
pub async fn require(work: &mut Work, user: UserId) -> Result<()> {
    let held = held(work, &[user]).await?;
    Ok(ActingStaff::of(work.scope().caller()?).judge_one_of(&held, user)?)
}

/// Locks a user on whom the caller may act: 404 where there is no such user, 403 where the user outranks the caller.
pub async fn lock_user(work: &mut Work, user: UserId) -> Result<()> {
    user_services::lock_user(work, user).await?;
    require(work, user).await
}
