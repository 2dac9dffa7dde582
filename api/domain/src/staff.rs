//! Who may give which permissions to whom. Everything is judged by what somebody holds in all: directly and by roles.

use panel_contract::ids::UserId;
use panel_contract::permission::Permission;
use panel_kernel::rejection::Rejection;

use crate::rank::ActingStaff;

/// The user whose access is changed.
#[derive(Debug, Clone, Copy)]
pub struct Whom<'a> {
    /// Id of their account.
    pub id: UserId,
    /// Every permission that they hold, directly or by a role.
    pub holds: &'a [Permission],
}

/// Whether `by` may end or begin the work of `whom`.
pub fn may_switch(by: ActingStaff<'_>, whom: Whom<'_>) -> Result<(), Rejection> {
    if by.id == whom.id {
        let message = "Nobody deactivates themselves; ask another member of staff.";
        return Err(Rejection::forbidden("own_account", message));
    }
    by.judge(whom.holds)
}

/// What a role that one has oneself allows is changed by others only: a permission that was given up could not be taken back.
#[must_use]
pub fn own_role() -> Rejection {
    let message = "You have this role yourself; ask another member of staff to change what it allows.";
    Rejection::forbidden("own_roles", message)
}

/// Whether `by` may replace what `whom` holds at all.
pub fn may_grant_to(by: ActingStaff<'_>, whom: Whom<'_>) -> Result<(), Rejection> {
    if by.id == whom.id {
        let message = "Nobody changes their own roles and permissions; ask another member of staff.";
        return Err(Rejection::forbidden("own_roles", message));
    }
    by.judge(whom.holds)
}

/// Whether `by` may give `added`: what comes new with roles or directly.
pub fn may_give(by: ActingStaff<'_>, added: &[Permission]) -> Result<(), Rejection> {
    match by.lacks(added) {
        None => Ok(()),
        Some(names) => Err(Rejection::forbidden(
            "not_held",
            format!("You do not hold {names}, so you cannot give it to anybody."),
        )),
    }
}

/// Whether `by` may change or delete a role that allows `old` and whose members together hold `held_by_members`: the
/// change reaches what every member may do.
pub fn may_edit_role(
    by: ActingStaff<'_>,
    old: &[Permission],
    held_by_members: &[Permission],
) -> Result<(), Rejection> {
    match by.lacks(old) {
        None => by.judge_role(held_by_members),
        Some(names) => Err(Rejection::forbidden(
            "role_allows_more",
            format!("This role allows {names}, which you do not hold; ask somebody who does."),
        )),
    }
}

/// Whether a role that so many users have may be deleted: not before it is taken from all of them.
#[must_use]
pub const fn is_unused(users_count: i64) -> bool {
    users_count == 0
}

/// Somebody who may sign in must be left to manage staff.
pub fn somebody_remains(managers: i64) -> Result<(), Rejection> {
    if managers > 0 {
        return Ok(());
    }
    Err(Rejection::conflict(
        "last_manager",
        "Nobody who may sign in would hold \"manage staff\" then; give it to somebody else first.",
    ))
}

#[cfg(test)]
mod tests {
    use Permission::{ManageStaff, ViewAudits, ViewOrders};

    use super::*;

    const JUNIOR: ActingStaff<'static> =
        ActingStaff { id: UserId::new(1), holds: &[ManageStaff, ViewOrders] };

    fn whom(id: i64, holds: &[Permission]) -> Whom<'_> {
        Whom { id: UserId::new(id), holds }
    }

    fn code(judged: Result<(), Rejection>) -> &'static str {
        judged.map_or_else(|refusal| refusal.code, |()| "")
    }

    #[test]
    fn staff_switch_only_others_of_their_rank() {
        assert_eq!(code(may_switch(JUNIOR, whom(2, &[ViewOrders]))), "");
        assert_eq!(code(may_switch(JUNIOR, whom(2, &[ViewAudits]))), "outranked");
        assert_eq!(code(may_switch(JUNIOR, whom(1, &[]))), "own_account");
    }

    #[test]
    fn nobody_gives_what_they_do_not_hold() {
        assert_eq!(code(may_give(JUNIOR, &[ViewOrders])), "");
        assert_eq!(code(may_give(JUNIOR, &[ViewOrders, ViewAudits])), "not_held");
        assert_eq!(code(may_edit_role(JUNIOR, &[ViewAudits], &[])), "role_allows_more");
        assert_eq!(code(may_edit_role(JUNIOR, &[ViewOrders], &[ViewOrders, ViewAudits])), "outranked");
        assert_eq!(code(may_edit_role(JUNIOR, &[ViewOrders], &[ViewOrders])), "");
        assert_eq!(code(may_grant_to(JUNIOR, whom(1, &[]))), "own_roles");
        assert_eq!(code(may_grant_to(JUNIOR, whom(2, &[ViewAudits]))), "outranked");
    }

    #[test]
    fn somebody_manages_staff() {
        assert_eq!(code(somebody_remains(0)), "last_manager");
        assert_eq!(code(somebody_remains(1)), "");
    }
}
