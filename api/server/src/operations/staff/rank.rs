//! Rank: a staff member acts only on users who hold no permission that the staff member lacks. Every endpoint that changes
//! a user, their access or a role asks this one rule, and the same rule fills `actions.*`. It never grants anything: each
//! endpoint asks for its own permission first.

use std::collections::BTreeMap;

use panel_contract::ids::{RoleId, UserId};
use panel_contract::permission::Permission;
use panel_kernel::error::Result;
use panel_kernel::rejection::Rejection;

use crate::operations::user_services;
use panel_platform::db::{DbResult, Source, Sql};
use panel_platform::scope::Scope;
use panel_platform::work::Work;

/// Code of every refusal by rank.
pub const OUTRANKED: &str = "outranked";

/// Permissions by user; customers hold none and are missing.
pub type Held = BTreeMap<UserId, Vec<Permission>>;

/// What the members of each of several roles hold.
pub type HeldByMembers = BTreeMap<RoleId, Vec<Permission>>;

// Rules

/// The staff member who calls.
#[derive(Debug, Clone, Copy)]
pub struct ActingStaff<'a> {
    /// Their id.
    pub id: UserId,
    /// Every permission that they hold, directly or by a role.
    pub holds: &'a [Permission],
}

impl<'a> ActingStaff<'a> {
    /// The caller of a request.
    pub fn of(scope: &'a Scope) -> Result<Self> {
        let caller = scope.caller()?;
        Ok(Self { id: caller.user_id, holds: caller.permissions() })
    }

    /// Whether the actor holds `permission`.
    #[must_use]
    pub fn may(self, permission: Permission) -> bool {
        self.holds.contains(&permission)
    }

    /// Whether the actor holds everything that is in `held`.
    #[must_use]
    pub fn covers(self, held: &[Permission]) -> bool {
        held.iter().all(|permission| self.may(*permission))
    }

    /// Those of `wanted` that the actor lacks, quoted for a sentence; none where the actor holds all of them.
    #[must_use]
    pub fn lacks(self, wanted: &[Permission]) -> Option<String> {
        let names = Permission::ALL.iter().filter(|one| wanted.contains(one) && !self.may(**one));
        let names: Vec<String> = names.map(|one| format!("\"{one}\"")).collect();
        (!names.is_empty()).then(|| names.join(", "))
    }

    /// Whether the actor may act on a user who holds `held`.
    pub fn judge(self, held: &[Permission]) -> Result<(), Rejection> {
        match self.lacks(held) {
            None => Ok(()),
            Some(names) => Err(Rejection::forbidden(
                OUTRANKED,
                format!("This staff member holds {names}, which you do not; ask a colleague who does."),
            )),
        }
    }

    /// Whether the actor may act on the user `id` of a set whose permissions were read at once.
    pub fn judge_one_of(self, held: &Held, id: UserId) -> Result<(), Rejection> {
        self.judge(held.get(&id).map_or(&[], Vec::as_slice))
    }

    /// Whether the actor may change or delete a role whose members together hold `held_by_members`.
    pub fn judge_role(self, held_by_members: &[Permission]) -> Result<(), Rejection> {
        match self.lacks(held_by_members) {
            None => Ok(()),
            Some(names) => Err(Rejection::forbidden(
                OUTRANKED,
                format!("A member of this role holds {names}, which you do not; ask a colleague who does."),
            )),
        }
    }
}

// Store

/// The permissions of the users `ids`, in one statement.
pub async fn held(db: &mut impl Source, ids: &[UserId]) -> DbResult<Held> {
    let sql = Sql::new("SELECT user_id, permission FROM user_permissions WHERE user_id IN ")
        .ids(ids)
        .push(" UNION SELECT ur.user_id, rp.permission FROM user_roles ur JOIN role_permissions rp ON rp.role_id = ur.role_id WHERE ur.user_id IN ")
        .ids(ids);
    let rows: Vec<(UserId, String)> = db.all(sql).await?;
    let mut held = Held::new();
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
    Ok(ActingStaff::of(work.scope())?.judge_one_of(&held, user)?)
}

/// Locks a user on whom the caller may act: 404 where there is no such user, 403 where the user outranks the caller.
pub async fn lock_user(work: &mut Work, user: UserId) -> Result<()> {
    user_services::lock_user(work, user).await?;
    require(work, user).await
}

#[cfg(test)]
mod tests {
    use Permission::{ManageStaff, ManageUsers, ViewAudits, ViewOrders};

    use super::*;

    const JUNIOR: ActingStaff<'static> =
        ActingStaff { id: UserId::new(1), holds: &[ManageStaff, ViewOrders] };

    #[test]
    fn a_user_who_holds_more_is_out_of_reach() {
        let code = |held: &[Permission]| JUNIOR.judge(held).map_err(|refusal| refusal.code);
        assert_eq!(code(&[]), Ok(()), "a customer");
        assert_eq!(code(&[ViewOrders]), Ok(()));
        assert_eq!(code(&[ManageStaff, ViewOrders]), Ok(()), "an equal");
        assert_eq!(code(&[ViewAudits]), Err(OUTRANKED), "fewer permissions, but another");
        assert!(!JUNIOR.covers(&[ViewOrders, ManageUsers]));
    }

    #[test]
    fn the_sentence_names_each_missing_permission_once() {
        let refusal = JUNIOR.judge(&[ViewAudits, ViewOrders, ManageUsers, ViewAudits]).unwrap_err();
        assert!(
            refusal.message.contains("holds \"manage users\", \"view audits\", which"),
            "{}",
            refusal.message
        );
    }

    #[test]
    fn each_of_a_set_is_judged_by_what_they_hold() {
        let [two, three, four] = [2, 3, 4].map(UserId::new);
        let held = Held::from([(two, vec![ViewAudits]), (three, vec![ViewOrders])]);
        assert!(JUNIOR.judge_one_of(&held, two).is_err());
        assert!(JUNIOR.judge_one_of(&held, three).is_ok() && JUNIOR.judge_one_of(&held, four).is_ok());
    }
}
