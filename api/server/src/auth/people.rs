//! Who somebody is: roles and permissions of a staff member. What is kept in memory holds for one version of the
//! database's permissions, which every request reads with its session, so that a change bites at once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use panel_contract::common::Named;
use panel_contract::permission::{Permission, PermissionEntry};
use panel_contract::session::Profile;

use crate::db::{Source, Sql};
use crate::http::caller::Caller;
use crate::http::error::Result;

/// Roles and permissions of one user.
pub type Grants = Arc<(Vec<Named>, Vec<Permission>)>;

/// Grants read lately.
#[derive(Default)]
pub struct Known(Mutex<HashMap<i64, (i64, Grants)>>);

impl Known {
    /// What `user_id` may do at `version`, or later.
    pub async fn grants(&self, db: &mut impl Source, user_id: i64, version: i64) -> Result<Grants> {
        if let Some((at, grants)) = lock(&self.0).get(&user_id)
            && *at == version
        {
            return Ok(Arc::clone(grants));
        }
        let grants = grants(db, user_id).await?;
        let mut known = lock(&self.0);
        // Whoever was read at an older version is read again anyway.
        known.retain(|_, (at, _)| *at >= version);
        known.insert(user_id, (version, Arc::clone(&grants)));
        Ok(grants)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Roles and all permissions (held directly or by role) of one user, in one statement.
pub async fn grants(db: &mut impl Source, user_id: i64) -> Result<Grants> {
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
    Ok(Arc::new((roles, Permission::ALL.iter().filter(held).copied().collect())))
}

/// The caller as the profile shows them.
#[must_use]
pub fn profile(caller: &Caller) -> Profile {
    Profile {
        id: caller.user_id,
        name: caller.name.clone(),
        email: caller.email.clone(),
        roles: caller.roles().to_vec(),
        all_permissions: caller.permissions().iter().copied().map(PermissionEntry::from).collect(),
    }
}
