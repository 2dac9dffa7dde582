//! Who may give which permissions to whom. Everything is judged by what somebody holds in all: directly and by roles.

use panel_contract::permission::Permission;

use crate::refusal::Refusal;

/// Who acts.
#[derive(Debug, Clone, Copy)]
pub struct By<'a> {
    /// Their id.
    pub id: i64,
    /// What they hold.
    pub holds: &'a [Permission],
}

/// Whom it concerns.
#[derive(Debug, Clone, Copy)]
pub struct Whom<'a> {
    /// Their id.
    pub id: i64,
    /// What they hold.
    pub holds: &'a [Permission],
}

/// What of `wanted` is missing in `held`, in words.
fn missing(wanted: &[Permission], held: &[Permission]) -> Option<String> {
    let names: Vec<String> =
        wanted.iter().filter(|one| !held.contains(one)).map(|one| format!("\"{one}\"")).collect();
    (!names.is_empty()).then(|| names.join(", "))
}

/// Whether `by` may touch the password, the address or the status of `whom`.
pub fn may_act(by: By<'_>, whom: Whom<'_>) -> Result<(), Refusal> {
    match missing(whom.holds, by.holds) {
        None => Ok(()),
        Some(names) => Err(Refusal::forbidden(
            "holds_more",
            format!("This member of staff holds {names}, which you do not; ask somebody who does."),
        )),
    }
}

/// Whether `by` may end or begin the work of `whom`.
pub fn may_switch(by: By<'_>, whom: Whom<'_>) -> Result<(), Refusal> {
    if by.id == whom.id {
        let message = "Nobody deactivates themselves; ask another member of staff.";
        return Err(Refusal::forbidden("own_account", message));
    }
    may_act(by, whom)
}

/// What a role that one has oneself allows is changed by others only: a permission that was given up could not be taken back.
#[must_use]
pub fn own_role() -> Refusal {
    let message = "You have this role yourself; ask another member of staff to change what it allows.";
    Refusal::forbidden("own_roles", message)
}

/// Whether `by` may replace what `whom` holds at all.
pub fn may_grant_to(by: By<'_>, whom: Whom<'_>) -> Result<(), Refusal> {
    if by.id == whom.id {
        let message = "Nobody changes their own roles and permissions; ask another member of staff.";
        return Err(Refusal::forbidden("own_roles", message));
    }
    may_act(by, whom)
}

/// Whether `by` may give `added`: what comes new with roles or directly.
pub fn may_give(by: By<'_>, added: &[Permission]) -> Result<(), Refusal> {
    match missing(added, by.holds) {
        None => Ok(()),
        Some(names) => Err(Refusal::forbidden(
            "not_held",
            format!("You do not hold {names}, so you cannot give it to anybody."),
        )),
    }
}

/// Whether `by` may change or delete a role that allows `old`: it would change what everybody who has it may do.
pub fn may_edit_role(by: By<'_>, old: &[Permission]) -> Result<(), Refusal> {
    match missing(old, by.holds) {
        None => Ok(()),
        Some(names) => Err(Refusal::forbidden(
            "role_allows_more",
            format!("This role allows {names}, which you do not hold; ask somebody who does."),
        )),
    }
}

/// Somebody who may sign in must be left to manage staff.
pub fn somebody_remains(managers: i64) -> Result<(), Refusal> {
    if managers > 0 {
        return Ok(());
    }
    Err(Refusal::conflict(
        "last_manager",
        "Nobody who may sign in would hold \"manage staff\" then; give it to somebody else first.",
    ))
}

#[cfg(test)]
mod tests {
    use Permission::{ManageStaff, ViewAudits, ViewOrders};

    use super::*;

    const JUNIOR: By<'static> = By { id: 1, holds: &[ManageStaff, ViewOrders] };

    fn whom(id: i64, holds: &[Permission]) -> Whom<'_> {
        Whom { id, holds }
    }

    fn code(judged: Result<(), Refusal>) -> &'static str {
        judged.map_or_else(|refusal| refusal.code, |()| "")
    }

    #[test]
    fn nobody_acts_on_who_holds_more() {
        assert_eq!(code(may_act(JUNIOR, whom(2, &[ViewOrders]))), "");
        assert_eq!(code(may_act(JUNIOR, whom(2, &[ViewOrders, ViewAudits]))), "holds_more");
        assert_eq!(code(may_switch(JUNIOR, whom(2, &[ViewAudits]))), "holds_more");
        assert_eq!(code(may_switch(JUNIOR, whom(1, &[]))), "own_account");
        assert_eq!(code(may_act(JUNIOR, whom(1, &[ManageStaff]))), "", "one's own password");
    }

    #[test]
    fn nobody_gives_what_they_do_not_hold() {
        assert_eq!(code(may_give(JUNIOR, &[ViewOrders])), "");
        assert_eq!(code(may_give(JUNIOR, &[ViewOrders, ViewAudits])), "not_held");
        assert_eq!(code(may_edit_role(JUNIOR, &[ViewAudits])), "role_allows_more");
        assert_eq!(code(may_grant_to(JUNIOR, whom(1, &[]))), "own_roles");
        assert_eq!(code(may_grant_to(JUNIOR, whom(2, &[ViewAudits]))), "holds_more");
    }

    #[test]
    fn somebody_manages_staff() {
        assert_eq!(code(somebody_remains(0)), "last_manager");
        assert_eq!(code(somebody_remains(1)), "");
    }
}
