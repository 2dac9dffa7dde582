//! Rank: a staff member may act only on users who hold no permission that the staff member lacks. In addition, each endpoint requires
//! its own permission.

use std::collections::BTreeMap;

use panel_contract::ids::UserId;
use panel_contract::permission::Permission;
use panel_kernel::actor::StaffMember;
use panel_kernel::rejection::Rejection;

/// Code of every rejection by rank.
pub const OUTRANKED: &str = "outranked";

/// Permissions by user; customers hold none and are missing.
pub type PermissionsByUser = BTreeMap<UserId, Vec<Permission>>;

/// The staff member who makes the request.
#[derive(Debug, Clone, Copy)]
pub struct ActingStaff<'a> {
    /// Id of the account.
    pub id: UserId,
    /// Every permission that the staff member holds, directly or by a role.
    pub holds: &'a [Permission],
}

impl<'a> ActingStaff<'a> {
    /// The caller of a request.
    #[must_use]
    pub fn of(caller: &'a StaffMember) -> Self {
        Self { id: caller.user_id, holds: caller.permissions() }
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

    /// Those of `permissions` that the actor lacks, quoted for a sentence; none where the actor holds all of them.
    #[must_use]
    pub fn lacks(self, permissions: &[Permission]) -> Option<String> {
        let names = Permission::ALL.iter().filter(|one| permissions.contains(one) && !self.may(**one));
        let names: Vec<String> = names.map(|one| format!("\"{one}\"")).collect();
        (!names.is_empty()).then(|| names.join(", "))
    }

    /// Checks that the actor may act on a user who holds `held`.
    pub fn check_rank(self, held: &[Permission]) -> Result<(), Rejection> {
        match self.lacks(held) {
            None => Ok(()),
            Some(names) => Err(Rejection::forbidden(
                OUTRANKED,
                format!("This staff member holds {names}, which you do not. Ask a colleague who does."),
            )),
        }
    }

    /// Checks that the actor may act on the user `id`, by permissions that were loaded together.
    pub fn check_rank_of(self, held: &PermissionsByUser, id: UserId) -> Result<(), Rejection> {
        self.check_rank(held.get(&id).map_or(&[], Vec::as_slice))
    }

    /// Checks that the actor may change or delete a role whose members together hold `held_by_members`.
    pub fn check_role_rank(self, held_by_members: &[Permission]) -> Result<(), Rejection> {
        match self.lacks(held_by_members) {
            None => Ok(()),
            Some(names) => Err(Rejection::forbidden(
                OUTRANKED,
                format!("A member of this role holds {names}, which you do not. Ask a colleague who does."),
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use Permission::{ManageStaff, ManageUsers, ViewAudits, ViewOrders};

    use super::*;

    const JUNIOR: ActingStaff<'static> =
        ActingStaff { id: UserId::new(1), holds: &[ManageStaff, ViewOrders] };

    #[test]
    fn refuses_to_act_on_a_user_with_more_permissions() {
        let code = |held: &[Permission]| JUNIOR.check_rank(held).map_err(|refusal| refusal.code);
        assert_eq!(code(&[]), Ok(()), "a customer");
        assert_eq!(code(&[ViewOrders]), Ok(()));
        assert_eq!(code(&[ManageStaff, ViewOrders]), Ok(()), "an equal");
        assert_eq!(code(&[ViewAudits]), Err(OUTRANKED), "fewer permissions, but another");
        assert!(!JUNIOR.covers(&[ViewOrders, ManageUsers]));
    }

    #[test]
    fn the_sentence_names_each_missing_permission_once() {
        let refusal = JUNIOR.check_rank(&[ViewAudits, ViewOrders, ManageUsers, ViewAudits]).unwrap_err();
        assert!(
            refusal.message.contains("holds \"manage users\", \"view audits\", which"),
            "{}",
            refusal.message
        );
    }

    #[test]
    fn checks_each_user_of_a_set_by_their_permissions() {
        let [two, three, four] = [2, 3, 4].map(UserId::new);
        let held = PermissionsByUser::from([(two, vec![ViewAudits]), (three, vec![ViewOrders])]);
        assert!(JUNIOR.check_rank_of(&held, two).is_err());
        assert!(JUNIOR.check_rank_of(&held, three).is_ok() && JUNIOR.check_rank_of(&held, four).is_ok());
    }
}
