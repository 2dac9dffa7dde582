//! The rank rule: a staff member may act on a user only if they have all permissions of that user. Each endpoint also requires its
//! own permission.

use std::collections::BTreeMap;

use panel_contract::ids::UserId;
use panel_contract::permission::Permission;
use panel_kernel::actor::StaffMember;
use panel_kernel::rejection::Rejection;

/// Code of all rejections by the rank rule.
pub const OUTRANKED: &str = "outranked";

/// Permissions by user. Customers have no permissions and are absent.
pub type PermissionsByUser = BTreeMap<UserId, Vec<Permission>>;

/// The staff member who makes the request.
#[derive(Debug, Clone, Copy)]
pub struct ActingStaff<'a> {
    pub id: UserId,
    /// Permissions that the staff member has, directly or through a role.
    pub permissions: &'a [Permission],
}

impl<'a> ActingStaff<'a> {
    #[must_use]
    pub fn from_staff_member(caller: &'a StaffMember) -> Self {
        Self { id: caller.user_id, permissions: caller.permissions() }
    }

    #[must_use]
    pub fn has_permission(self, permission: Permission) -> bool {
        self.permissions.contains(&permission)
    }

    /// Whether the staff member has all of these permissions.
    #[must_use]
    pub fn has_all_permissions(self, permissions: &[Permission]) -> bool {
        permissions.iter().all(|permission| self.has_permission(*permission))
    }

    /// The permissions that the staff member lacks, quoted and joined for a sentence; `None` if there are none.
    #[must_use]
    pub fn missing_permissions(self, permissions: &[Permission]) -> Option<String> {
        let missing = Permission::ALL
            .iter()
            .filter(|permission| permissions.contains(permission) && !self.has_permission(**permission));
        let names: Vec<String> = missing.map(|name| format!("\"{name}\"")).collect();
        (!names.is_empty()).then(|| names.join(", "))
    }

    /// Checks that the staff member may act on a user with these permissions.
    pub fn check_rank(self, user_permissions: &[Permission]) -> Result<(), Rejection> {
        match self.missing_permissions(user_permissions) {
            None => Ok(()),
            Some(names) => Err(Rejection::forbidden(
                OUTRANKED,
                format!("This staff member has {names}, which you do not. Ask a colleague who does."),
            )),
        }
    }

    /// Like [`Self::check_rank`], for one of several users whose permissions were loaded together.
    pub fn check_rank_of(self, permissions: &PermissionsByUser, id: UserId) -> Result<(), Rejection> {
        self.check_rank(permissions.get(&id).map_or(&[], Vec::as_slice))
    }

    /// Checks that the staff member may change or delete a role. `member_permissions` are all permissions that at least one member
    /// of the role has.
    pub fn check_role_rank(self, member_permissions: &[Permission]) -> Result<(), Rejection> {
        match self.missing_permissions(member_permissions) {
            None => Ok(()),
            Some(names) => Err(Rejection::forbidden(
                OUTRANKED,
                format!("A member of this role has {names}, which you do not. Ask a colleague who does."),
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use Permission::{ManageStaff, ManageUsers, ViewAudits, ViewOrders};

    use super::*;

    const JUNIOR: ActingStaff<'static> =
        ActingStaff { id: UserId::new(1), permissions: &[ManageStaff, ViewOrders] };

    #[test]
    fn rejects_an_action_on_a_user_with_more_permissions() {
        let error_code =
            |permissions: &[Permission]| JUNIOR.check_rank(permissions).map_err(|rejection| rejection.code);
        assert_eq!(error_code(&[]), Ok(()), "a staff member must be able to act on customers");
        assert_eq!(error_code(&[ViewOrders]), Ok(()));
        assert_eq!(error_code(&[ManageStaff, ViewOrders]), Ok(()), "equal permissions must be enough");
        assert_eq!(
            error_code(&[ViewAudits]),
            Err(OUTRANKED),
            "a single missing permission must reject the action"
        );
        assert!(!JUNIOR.has_all_permissions(&[ViewOrders, ManageUsers]));
    }

    #[test]
    fn the_message_names_each_missing_permission_once() {
        let rejection = JUNIOR.check_rank(&[ViewAudits, ViewOrders, ManageUsers, ViewAudits]).unwrap_err();
        assert!(
            rejection.message.contains("has \"manage users\", \"view audits\", which"),
            "{}",
            rejection.message
        );
    }

    #[test]
    fn checks_each_user_of_a_set_by_their_permissions() {
        let [two, three, four] = [2, 3, 4].map(UserId::new);
        let permissions = PermissionsByUser::from([(two, vec![ViewAudits]), (three, vec![ViewOrders])]);
        assert!(JUNIOR.check_rank_of(&permissions, two).is_err());
        assert!(
            JUNIOR.check_rank_of(&permissions, three).is_ok()
                && JUNIOR.check_rank_of(&permissions, four).is_ok()
        );
    }
}
