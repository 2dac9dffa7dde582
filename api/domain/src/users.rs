//! What may be done with a user: pure. The same rules judge a call and fill `actions` of the record.

use panel_contract::ids::UserId;
use panel_contract::permission::Permission;
use panel_contract::users::{UserActions, UserStatus};
use panel_kernel::rejection::Rejection;

use crate::rank::ActingStaff;
use crate::staff::{Whom, may_grant_to};
use crate::state_machine::next;
use crate::states::users::{UserEvent, Users};

/// A user as the rules see them.
#[derive(Debug, Clone)]
pub struct Facts {
    /// Id of their account.
    pub id: UserId,
    /// The status that they have.
    pub status: UserStatus,
    /// Whether their personal data was erased, or is being erased.
    pub is_erased: bool,
    /// What they may do, directly or by role; customers nothing.
    pub held: Vec<Permission>,
}

/// The permission that a change to `to` needs.
#[must_use]
pub const fn needed(to: UserStatus) -> Permission {
    match to {
        UserStatus::Active => Permission::ActivateUsers,
        UserStatus::Frozen => Permission::FreezeUsers,
        UserStatus::Deactivated => Permission::DeactivateUsers,
    }
}

/// Whether `by` may move `user` to `to`.
pub fn judge_status(user: &Facts, to: UserStatus, by: ActingStaff<'_>) -> Result<(), Rejection> {
    let permission = needed(to);
    if !by.may(permission) {
        let message = format!("This action is unauthorized. It needs the permission \"{permission}\".");
        return Err(Rejection::forbidden("forbidden", message));
    }
    judge_undo(user, by)?;
    let from = user.status;
    match next::<Users>(from, UserEvent::to(to)) {
        Some(_) => Ok(()),
        None if from == to => {
            Err(Rejection::conflict("user_unchanged", format!("This user is {from} already.")))
        }
        None => Err(Rejection::conflict(
            "user_not_freezable",
            format!("This user is {from}; only an active user is frozen. Activate them first."),
        )),
    }
}

/// Whether `by` may restore a former status of `user`, by the permission that is judged elsewhere.
pub fn judge_undo(user: &Facts, by: ActingStaff<'_>) -> Result<(), Rejection> {
    if user.id == by.id {
        return Err(Rejection::forbidden(
            "own_account",
            "Nobody changes the status of their own account; ask a colleague.",
        ));
    }
    unless_erased(user.is_erased)?;
    by.judge(&user.held)
}

/// Refuses a change of a user whose personal data was erased: the account is closed for good.
pub fn unless_erased(is_erased: bool) -> Result<(), Rejection> {
    if is_erased { Err(erased()) } else { Ok(()) }
}

/// The refusal of everything about an erased user.
#[must_use]
pub fn erased() -> Rejection {
    let message = "The personal data of this customer was erased; the account is closed for good.";
    Rejection::conflict("user_erased", message)
}

/// What `by` may do with `user` now.
#[must_use]
pub fn actions(user: &Facts, by: ActingStaff<'_>) -> UserActions {
    let to = |status| judge_status(user, status, by).is_ok();
    let may = |permission| by.may(permission) && by.covers(&user.held);
    let whom = Whom { id: user.id, holds: &user.held };
    UserActions {
        editable: may(Permission::ManageUsers) && !user.is_erased,
        gradable: may(Permission::ManageGradesForUser) && !user.is_erased,
        api_key: may(Permission::ManageApiKeys) && !user.is_erased,
        freezable: to(UserStatus::Frozen),
        deactivable: to(UserStatus::Deactivated),
        activable: to(UserStatus::Active),
        data_exportable: may(Permission::ManagePersonalData),
        erasable: may(Permission::ManagePersonalData) && user.held.is_empty() && !user.is_erased,
        grantable: by.may(Permission::ManageStaff) && !user.is_erased && may_grant_to(by, whom).is_ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Permission; 3] =
        [Permission::FreezeUsers, Permission::DeactivateUsers, Permission::ActivateUsers];

    fn customer(status: UserStatus) -> Facts {
        Facts { id: UserId::new(7), status, is_erased: false, held: Vec::new() }
    }

    #[test]
    fn each_status_offers_what_leads_out_of_it() {
        let offered = |status| {
            let actions = actions(&customer(status), ActingStaff { id: UserId::new(1), holds: &ALL });
            (actions.freezable, actions.deactivable, actions.activable)
        };
        assert_eq!(offered(UserStatus::Active), (true, true, false));
        assert_eq!(offered(UserStatus::Frozen), (false, true, true));
        assert_eq!(offered(UserStatus::Deactivated), (false, false, true));
    }

    #[test]
    fn an_erased_account_stays_closed() {
        let erased = Facts { is_erased: true, ..customer(UserStatus::Deactivated) };
        let by = ActingStaff { id: UserId::new(1), holds: Permission::ALL };
        assert_eq!(judge_status(&erased, UserStatus::Active, by).unwrap_err().code, "user_erased");
        assert_eq!(judge_undo(&erased, by).unwrap_err().code, "user_erased");
        let offered = actions(&erased, by);
        assert_eq!(offered, UserActions { data_exportable: true, ..UserActions::default() });
        let customer = customer(UserStatus::Active);
        assert!(actions(&customer, by).erasable);
        let staff = Facts { held: vec![Permission::ViewOrders], ..customer };
        assert!(!actions(&staff, by).erasable, "staff are never erased");
    }

    #[test]
    fn permissions_are_given_to_others_of_ones_rank() {
        let by =
            ActingStaff { id: UserId::new(1), holds: &[Permission::ManageStaff, Permission::ViewOrders] };
        let customer = customer(UserStatus::Active);
        assert!(actions(&customer, by).grantable);
        assert!(!actions(&customer, ActingStaff { holds: &ALL, ..by }).grantable, "without the permission");
        assert!(!actions(&Facts { id: by.id, ..customer.clone() }, by).grantable, "oneself");
        assert!(!actions(&Facts { is_erased: true, ..customer.clone() }, by).grantable, "an erased customer");
        let chief = Facts { held: vec![Permission::ViewAudits], ..customer };
        assert!(!actions(&chief, by).grantable, "a user of a higher rank");
    }

    #[test]
    fn each_change_needs_its_own_permission() {
        for to in UserStatus::ALL {
            let others: Vec<_> = ALL.into_iter().filter(|permission| *permission != needed(*to)).collect();
            let refusal = judge_status(
                &customer(UserStatus::Active),
                *to,
                ActingStaff { id: UserId::new(1), holds: &others },
            );
            assert_eq!(refusal.unwrap_err().code, "forbidden");
        }
    }

    #[test]
    fn nobody_reaches_themselves_or_above() {
        let by = ActingStaff { id: UserId::new(7), holds: &ALL };
        assert_eq!(
            judge_status(&customer(UserStatus::Active), UserStatus::Frozen, by).unwrap_err().code,
            "own_account"
        );
        let chief = Facts { held: vec![Permission::ManageStaff], ..customer(UserStatus::Active) };
        let refusal =
            judge_status(&chief, UserStatus::Deactivated, ActingStaff { id: UserId::new(1), holds: &ALL })
                .unwrap_err();
        assert_eq!(refusal.code, "outranked");
        assert!(refusal.message.contains("manage staff"));
    }
}
