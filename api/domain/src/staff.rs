//! Rules for granting permissions. They consider all permissions of a staff member, both direct permissions and those of roles.
//! Pure functions.

use panel_contract::ids::UserId;
use panel_contract::permission::Permission;
use panel_kernel::rejection::Rejection;

use crate::rank::ActingStaff;

/// The user whose access is changed.
#[derive(Debug, Clone, Copy)]
pub struct TargetUser<'a> {
    pub id: UserId,
    /// Permissions that the user has, directly or through a role.
    pub permissions: &'a [Permission],
}

/// Checks that `actor` may activate or deactivate `target`.
pub fn check_activation(actor: ActingStaff<'_>, target: TargetUser<'_>) -> Result<(), Rejection> {
    if actor.id == target.id {
        let message = "You cannot deactivate yourself. Ask another staff member.";
        return Err(Rejection::forbidden("own_account", message));
    }
    actor.check_rank(target.permissions)
}

/// The rejection of a change of a role that the caller has. If the caller removed a permission from the role, they could not add it
/// again.
#[must_use]
pub fn own_role_rejection() -> Rejection {
    let message = "You have this role yourself. Ask another staff member to change its permissions.";
    Rejection::forbidden("own_roles", message)
}

/// Checks that `actor` may change the roles and permissions of `target`.
pub fn check_access_change(actor: ActingStaff<'_>, target: TargetUser<'_>) -> Result<(), Rejection> {
    if actor.id == target.id {
        let message = "You cannot change your own roles and permissions. Ask another staff member.";
        return Err(Rejection::forbidden("own_roles", message));
    }
    actor.check_rank(target.permissions)
}

/// Checks that `actor` may grant these permissions, directly or through a role. Staff can grant only permissions that they have.
pub fn check_grant(actor: ActingStaff<'_>, granted_permissions: &[Permission]) -> Result<(), Rejection> {
    match actor.missing_permissions(granted_permissions) {
        None => Ok(()),
        Some(names) => {
            Err(Rejection::forbidden("not_held", format!("You do not have {names}, so you cannot grant it.")))
        }
    }
}

/// Checks that `actor` may change or delete a role, which affects every member. `role_permissions` are the permissions of the role
/// before the change. `member_permissions` are all permissions that at least one member has, also through other roles.
pub fn check_role_change(
    actor: ActingStaff<'_>,
    role_permissions: &[Permission],
    member_permissions: &[Permission],
) -> Result<(), Rejection> {
    match actor.missing_permissions(role_permissions) {
        None => actor.check_role_rank(member_permissions),
        Some(names) => Err(Rejection::forbidden(
            "role_allows_more",
            format!("This role allows {names}, which you do not have. Ask a colleague who does."),
        )),
    }
}

/// Whether a role has no users, which is required to delete it.
#[must_use]
pub const fn is_unused(users_count: i64) -> bool {
    users_count == 0
}

/// Checks, after a change of access, that at least one active staff member has "manage staff".
pub fn require_manager(manager_count: i64) -> Result<(), Rejection> {
    if manager_count > 0 {
        return Ok(());
    }
    Err(Rejection::conflict(
        "last_manager",
        "No active staff member would have \"manage staff\". Grant this permission to another staff member first.",
    ))
}

#[cfg(test)]
mod tests {
    use Permission::{ManageStaff, ViewAudits, ViewOrders};

    use super::*;

    const JUNIOR: ActingStaff<'static> =
        ActingStaff { id: UserId::new(1), permissions: &[ManageStaff, ViewOrders] };

    fn target(id: i64, permissions: &[Permission]) -> TargetUser<'_> {
        TargetUser { id: UserId::new(id), permissions }
    }

    fn error_code(result: Result<(), Rejection>) -> &'static str {
        result.map_or_else(|rejection| rejection.code, |()| "")
    }

    #[test]
    fn staff_can_activate_and_deactivate_only_users_whose_permissions_they_have() {
        assert_eq!(error_code(check_activation(JUNIOR, target(2, &[ViewOrders]))), "");
        assert_eq!(error_code(check_activation(JUNIOR, target(2, &[ViewAudits]))), "outranked");
        assert_eq!(error_code(check_activation(JUNIOR, target(1, &[]))), "own_account");
    }

    #[test]
    fn rejects_granting_a_permission_that_the_caller_lacks() {
        assert_eq!(error_code(check_grant(JUNIOR, &[ViewOrders])), "");
        assert_eq!(error_code(check_grant(JUNIOR, &[ViewOrders, ViewAudits])), "not_held");
        assert_eq!(error_code(check_role_change(JUNIOR, &[ViewAudits], &[])), "role_allows_more");
        assert_eq!(
            error_code(check_role_change(JUNIOR, &[ViewOrders], &[ViewOrders, ViewAudits])),
            "outranked"
        );
        assert_eq!(error_code(check_role_change(JUNIOR, &[ViewOrders], &[ViewOrders])), "");
        assert_eq!(error_code(check_access_change(JUNIOR, target(1, &[]))), "own_roles");
        assert_eq!(error_code(check_access_change(JUNIOR, target(2, &[ViewAudits]))), "outranked");
    }

    #[test]
    fn requires_a_staff_member_who_can_manage_staff() {
        assert_eq!(error_code(require_manager(0)), "last_manager");
        assert_eq!(error_code(require_manager(1)), "");
    }
}
