//! Rules for granting permissions. They consider all permissions that a staff member holds, directly and by roles.

use panel_contract::ids::UserId;
use panel_contract::permission::Permission;
use panel_kernel::rejection::Rejection;

use crate::rank::ActingStaff;

/// The user whose access is changed.
#[derive(Debug, Clone, Copy)]
pub struct TargetUser<'a> {
    /// Id of their account.
    pub id: UserId,
    /// Every permission that they hold, directly or by a role.
    pub holds: &'a [Permission],
}

/// Checks that `by` may activate or deactivate `whom`.
pub fn check_activation(by: ActingStaff<'_>, whom: TargetUser<'_>) -> Result<(), Rejection> {
    if by.id == whom.id {
        let message = "You cannot deactivate yourself. Ask another member of staff.";
        return Err(Rejection::forbidden("own_account", message));
    }
    by.check_rank(whom.holds)
}

/// The rejection of a change of a role that the caller has: the caller could not take back a permission that they removed.
#[must_use]
pub fn own_role() -> Rejection {
    let message = "You have this role yourself. Ask another member of staff to change its permissions.";
    Rejection::forbidden("own_roles", message)
}

/// Checks that `by` may change the roles and permissions of `whom`.
pub fn may_grant_to(by: ActingStaff<'_>, whom: TargetUser<'_>) -> Result<(), Rejection> {
    if by.id == whom.id {
        let message = "You cannot change your own roles and permissions. Ask another member of staff.";
        return Err(Rejection::forbidden("own_roles", message));
    }
    by.check_rank(whom.holds)
}

/// Checks that `by` may grant the permissions `added`, directly or by roles.
pub fn may_give(by: ActingStaff<'_>, added: &[Permission]) -> Result<(), Rejection> {
    match by.lacks(added) {
        None => Ok(()),
        Some(names) => {
            Err(Rejection::forbidden("not_held", format!("You do not hold {names}, so you cannot grant it.")))
        }
    }
}

/// Checks that `by` may change or delete a role with the permissions `old` whose members together hold `held_by_members`: the change
/// affects every member.
pub fn may_edit_role(
    by: ActingStaff<'_>,
    old: &[Permission],
    held_by_members: &[Permission],
) -> Result<(), Rejection> {
    match by.lacks(old) {
        None => by.check_role_rank(held_by_members),
        Some(names) => Err(Rejection::forbidden(
            "role_allows_more",
            format!("This role allows {names}, which you do not hold. Ask a colleague who does."),
        )),
    }
}

/// Whether a role with this number of users may be deleted: only a role without users may.
#[must_use]
pub const fn is_unused(users_count: i64) -> bool {
    users_count == 0
}

/// Checks that a staff member who may sign in still holds "manage staff".
pub fn require_manager(managers: i64) -> Result<(), Rejection> {
    if managers > 0 {
        return Ok(());
    }
    Err(Rejection::conflict(
        "last_manager",
        "No active staff member would hold \"manage staff\". Grant it to another member of staff first.",
    ))
}

#[cfg(test)]
mod tests {
    use Permission::{ManageStaff, ViewAudits, ViewOrders};

    use super::*;

    const JUNIOR: ActingStaff<'static> =
        ActingStaff { id: UserId::new(1), holds: &[ManageStaff, ViewOrders] };

    fn whom(id: i64, holds: &[Permission]) -> TargetUser<'_> {
        TargetUser { id: UserId::new(id), holds }
    }

    fn code(judged: Result<(), Rejection>) -> &'static str {
        judged.map_or_else(|refusal| refusal.code, |()| "")
    }

    #[test]
    fn staff_switch_only_others_of_their_rank() {
        assert_eq!(code(check_activation(JUNIOR, whom(2, &[ViewOrders]))), "");
        assert_eq!(code(check_activation(JUNIOR, whom(2, &[ViewAudits]))), "outranked");
        assert_eq!(code(check_activation(JUNIOR, whom(1, &[]))), "own_account");
    }

    #[test]
    fn refuses_to_grant_a_permission_that_the_caller_lacks() {
        assert_eq!(code(may_give(JUNIOR, &[ViewOrders])), "");
        assert_eq!(code(may_give(JUNIOR, &[ViewOrders, ViewAudits])), "not_held");
        assert_eq!(code(may_edit_role(JUNIOR, &[ViewAudits], &[])), "role_allows_more");
        assert_eq!(code(may_edit_role(JUNIOR, &[ViewOrders], &[ViewOrders, ViewAudits])), "outranked");
        assert_eq!(code(may_edit_role(JUNIOR, &[ViewOrders], &[ViewOrders])), "");
        assert_eq!(code(may_grant_to(JUNIOR, whom(1, &[]))), "own_roles");
        assert_eq!(code(may_grant_to(JUNIOR, whom(2, &[ViewAudits]))), "outranked");
    }

    #[test]
    fn requires_one_manager_of_staff() {
        assert_eq!(code(require_manager(0)), "last_manager");
        assert_eq!(code(require_manager(1)), "");
    }
}
