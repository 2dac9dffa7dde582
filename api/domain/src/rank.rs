//! Rank: a staff member may act only on users who hold no permission that the staff member lacks. Each endpoint also requires its
//! own permission.

use std::collections::BTreeMap;

use panel_contract::ids::UserId;
use panel_contract::permission::Permission;
use panel_kernel::actor::StaffMember;
use panel_kernel::rejection::Rejection;

/// Code of every rejection by rank.
pub const OUTRANKED: &str = "outranked";

/// Permissions by user. Customers hold none and are absent.
pub type PermissionsByUser = BTreeMap<UserId, Vec<Permission>>;

/// The staff member who makes the request.
#[derive(Debug, Clone, Copy)]
pub struct ActingStaff<'a> {
    pub id: UserId,
    /// Permissions that the staff member holds directly or by a role.
    pub holds: &'a [Permission],
}

impl<'a> ActingStaff<'a> {
    #[must_use]
    pub fn of(caller: &'a StaffMember) -> Self {
        Self { id: caller.user_id, holds: caller.permissions() }
    }

    #[must_use]
    pub fn may(self, permission: Permission) -> bool {
        self.holds.contains(&permission)
    }

    /// Whether the staff member holds all of these permissions.
    #[must_use]
    pub fn covers(self, permissions: &[Permission]) -> bool {
        permissions.iter().all(|permission| self.may(*permission))
    }

    /// The permissions that the staff member lacks, quoted and joined for a sentence; `None` if there are none.
    #[must_use]
    pub fn missing_permissions(self, permissions: &[Permission]) -> Option<String> {
        let names = Permission::ALL.iter().filter(|other| permissions.contains(other) && !self.may(**other));
        let names: Vec<String> = names.map(|name| format!("\"{name}\"")).collect();
        (!names.is_empty()).then(|| names.join(", "))
    }

    /// Checks that the staff member may act on a user who holds these permissions.
    pub fn check_rank(self, held: &[Permission]) -> Result<(), Rejection> {
        match self.missing_permissions(held) {
            None => Ok(()),
            Some(names) => Err(Rejection::forbidden(
                OUTRANKED,
                format!("This staff member holds {names}, which you do not. Ask a colleague who does."),
            )),
        }
    }

    /// Like [`Self::check_rank`], for one of several users whose permissions were loaded together.
    pub fn check_rank_of(self, held: &PermissionsByUser, id: UserId) -> Result<(), Rejection> {
        self.check_rank(held.get(&id).map_or(&[], Vec::as_slice))
    }

    /// Checks that the staff member may change or delete a role. `held_by_members` are the permissions that its members hold
    /// together.
    pub fn check_role_rank(self, held_by_members: &[Permission]) -> Result<(), Rejection> {
        match self.missing_permissions(held_by_members) {
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
        let code = |held: &[Permission]| JUNIOR.check_rank(held).map_err(|rejection| rejection.code);
        assert_eq!(code(&[]), Ok(()), "a customer");
        assert_eq!(code(&[ViewOrders]), Ok(()));
        assert_eq!(code(&[ManageStaff, ViewOrders]), Ok(()), "an equal");
        assert_eq!(code(&[ViewAudits]), Err(OUTRANKED), "fewer permissions, but one that the junior lacks");
        assert!(!JUNIOR.covers(&[ViewOrders, ManageUsers]));
    }

    #[test]
    fn the_message_names_each_missing_permission_once() {
        let rejection = JUNIOR.check_rank(&[ViewAudits, ViewOrders, ManageUsers, ViewAudits]).unwrap_err();
        assert!(
            rejection.message.contains("holds \"manage users\", \"view audits\", which"),
            "{}",
            rejection.message
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
