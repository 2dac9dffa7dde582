//! Rules for granting permissions. They consider all permissions that a staff member holds, both directly and by roles. Pure.

use panel_contract::ids::UserId;
use panel_contract::permission::Permission;
use panel_kernel::rejection::Rejection;

use crate::rank::ActingStaff;

/// The user whose access is changed.
#[derive(Debug, Clone, Copy)]
pub struct TargetUser<'a> {
    pub id: UserId,
    /// Permissions that the user holds directly or by a role.
    pub holds: &'a [Permission],
}

/// Checks that `actor` may activate or deactivate `target`.
pub fn check_activation(actor: ActingStaff<'_>, target: TargetUser<'_>) -> Result<(), Rejection> {
    if actor.id == target.id {
        let message = "You cannot deactivate yourself. Ask another staff member.";
        return Err(Rejection::forbidden("own_account", message));
    }
    actor.check_rank(target.holds)
}

/// The rejection of a change of a role that the caller has. The caller could not grant again a permission that they removed from
/// it.
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
    actor.check_rank(target.holds)
}

/// Checks that `actor` may grant these permissions, directly or by a role: only permissions that they hold.
pub fn check_grant(actor: ActingStaff<'_>, added: &[Permission]) -> Result<(), Rejection> {
    match actor.missing_permissions(added) {
        None => Ok(()),
        Some(names) => {
            Err(Rejection::forbidden("not_held", format!("You do not hold {names}, so you cannot grant it.")))
        }
    }
}

/// Checks that `actor` may change or delete a role, which affects every member. `allowed` are the permissions of the role before
/// the change, and `held_by_members` those that its members hold together, also by other roles.
pub fn check_role_change(
    actor: ActingStaff<'_>,
    allowed: &[Permission],
    held_by_members: &[Permission],
) -> Result<(), Rejection> {
    match actor.missing_permissions(allowed) {
        None => actor.check_role_rank(held_by_members),
        Some(names) => Err(Rejection::forbidden(
            "role_allows_more",
            format!("This role allows {names}, which you do not hold. Ask a colleague who does."),
        )),
    }
}

/// Whether a role has no users, which is required to delete it.
#[must_use]
pub const fn is_unused(users_count: i64) -> bool {
    users_count == 0
}

/// Checks, after a change of access, that at least one active staff member holds "manage staff".
pub fn require_manager(managers: i64) -> Result<(), Rejection> {
    if managers > 0 {
        return Ok(());
    }
    Err(Rejection::conflict(
        "last_manager",
        "No active staff member would hold \"manage staff\". Grant it to another staff member first.",
    ))
}

#[cfg(test)]
mod tests {
    use Permission::{ManageStaff, ViewAudits, ViewOrders};

    use super::*;

    const JUNIOR: ActingStaff<'static> =
        ActingStaff { id: UserId::new(1), holds: &[ManageStaff, ViewOrders] };

    fn target(id: i64, holds: &[Permission]) -> TargetUser<'_> {
        TargetUser { id: UserId::new(id), holds }
    }

    fn code(result: Result<(), Rejection>) -> &'static str {
        result.map_or_else(|rejection| rejection.code, |()| "")
    }

    #[test]
    fn staff_activate_and_deactivate_only_others_of_their_rank() {
        assert_eq!(code(check_activation(JUNIOR, target(2, &[ViewOrders]))), "");
        assert_eq!(code(check_activation(JUNIOR, target(2, &[ViewAudits]))), "outranked");
        assert_eq!(code(check_activation(JUNIOR, target(1, &[]))), "own_account");
    }

    #[test]
    fn refuses_to_grant_a_permission_that_the_caller_lacks() {
        assert_eq!(code(check_grant(JUNIOR, &[ViewOrders])), "");
        assert_eq!(code(check_grant(JUNIOR, &[ViewOrders, ViewAudits])), "not_held");
        assert_eq!(code(check_role_change(JUNIOR, &[ViewAudits], &[])), "role_allows_more");
        assert_eq!(code(check_role_change(JUNIOR, &[ViewOrders], &[ViewOrders, ViewAudits])), "outranked");
        assert_eq!(code(check_role_change(JUNIOR, &[ViewOrders], &[ViewOrders])), "");
        assert_eq!(code(check_access_change(JUNIOR, target(1, &[]))), "own_roles");
        assert_eq!(code(check_access_change(JUNIOR, target(2, &[ViewAudits]))), "outranked");
    }

    #[test]
    fn requires_one_manager_of_staff() {
        assert_eq!(code(require_manager(0)), "last_manager");
        assert_eq!(code(require_manager(1)), "");
    }
}
