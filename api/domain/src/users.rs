//! Rules of users. The same rules check a request and fill `actions` of the record. Pure.

use panel_contract::ids::UserId;
use panel_contract::permission::Permission;
use panel_contract::users::{UserActions, UserStatus};
use panel_kernel::rejection::Rejection;

use crate::rank::ActingStaff;
use crate::staff::{TargetUser, may_grant_to};
use crate::state_machine::next;
use crate::states::users::{UserEvent, Users};

/// Facts about a user for the rules.
#[derive(Debug, Clone)]
pub struct UserFacts {
    /// Id of their account.
    pub id: UserId,
    /// Current status.
    pub status: UserStatus,
    /// Whether their personal data was erased, or is being erased.
    pub is_erased: bool,
    /// Permissions that the user holds, directly or by a role; empty for customers.
    pub held: Vec<Permission>,
}

/// The permission that a change of the status to `to` requires.
#[must_use]
pub const fn required_permission(to: UserStatus) -> Permission {
    match to {
        UserStatus::Active => Permission::ActivateUsers,
        UserStatus::Frozen => Permission::FreezeUsers,
        UserStatus::Deactivated => Permission::DeactivateUsers,
    }
}

/// Checks that `by` may change the status of `user` to `to`.
pub fn check_status_change(user: &UserFacts, to: UserStatus, by: ActingStaff<'_>) -> Result<(), Rejection> {
    let permission = required_permission(to);
    if !by.may(permission) {
        let message = format!("This action is unauthorized. It needs the permission \"{permission}\".");
        return Err(Rejection::forbidden("forbidden", message));
    }
    check_restore(user, by)?;
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

/// Checks that `by` may restore a former status of `user`; the caller checks the permission.
pub fn check_restore(user: &UserFacts, by: ActingStaff<'_>) -> Result<(), Rejection> {
    if user.id == by.id {
        return Err(Rejection::forbidden(
            "own_account",
            "You cannot change the status of your own account. Ask a colleague.",
        ));
    }
    refuse_erased(user.is_erased)?;
    by.check_rank(&user.held)
}

/// Rejects a change of a user whose personal data was erased: the account is closed permanently.
pub fn refuse_erased(is_erased: bool) -> Result<(), Rejection> {
    if is_erased { Err(erased_rejection()) } else { Ok(()) }
}

/// The rejection of a change of an erased user.
#[must_use]
pub fn erased_rejection() -> Rejection {
    let message = "The personal data of this customer was erased. The account is closed permanently.";
    Rejection::conflict("user_erased", message)
}

/// The actions of `user` for `by`.
#[must_use]
pub fn actions(user: &UserFacts, by: ActingStaff<'_>) -> UserActions {
    let to = |status| check_status_change(user, status, by).is_ok();
    let may = |permission| by.may(permission) && by.covers(&user.held);
    let whom = TargetUser { id: user.id, holds: &user.held };
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

    fn customer(status: UserStatus) -> UserFacts {
        UserFacts { id: UserId::new(7), status, is_erased: false, held: Vec::new() }
    }

    #[test]
    fn actions_match_the_transitions_of_the_status() {
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
        let erased = UserFacts { is_erased: true, ..customer(UserStatus::Deactivated) };
        let by = ActingStaff { id: UserId::new(1), holds: Permission::ALL };
        assert_eq!(check_status_change(&erased, UserStatus::Active, by).unwrap_err().code, "user_erased");
        assert_eq!(check_restore(&erased, by).unwrap_err().code, "user_erased");
        let offered = actions(&erased, by);
        assert_eq!(offered, UserActions { data_exportable: true, ..UserActions::default() });
        let customer = customer(UserStatus::Active);
        assert!(actions(&customer, by).erasable);
        let staff = UserFacts { held: vec![Permission::ViewOrders], ..customer };
        assert!(!actions(&staff, by).erasable, "staff are never erased");
    }

    #[test]
    fn permissions_are_given_to_others_of_ones_rank() {
        let by =
            ActingStaff { id: UserId::new(1), holds: &[Permission::ManageStaff, Permission::ViewOrders] };
        let customer = customer(UserStatus::Active);
        assert!(actions(&customer, by).grantable);
        assert!(!actions(&customer, ActingStaff { holds: &ALL, ..by }).grantable, "without the permission");
        assert!(!actions(&UserFacts { id: by.id, ..customer.clone() }, by).grantable, "oneself");
        assert!(
            !actions(&UserFacts { is_erased: true, ..customer.clone() }, by).grantable,
            "an erased customer"
        );
        let chief = UserFacts { held: vec![Permission::ViewAudits], ..customer };
        assert!(!actions(&chief, by).grantable, "a user of a higher rank");
    }

    #[test]
    fn each_change_needs_its_own_permission() {
        for to in UserStatus::ALL {
            let others: Vec<_> =
                ALL.into_iter().filter(|permission| *permission != required_permission(*to)).collect();
            let refusal = check_status_change(
                &customer(UserStatus::Active),
                *to,
                ActingStaff { id: UserId::new(1), holds: &others },
            );
            assert_eq!(refusal.unwrap_err().code, "forbidden");
        }
    }

    #[test]
    fn refuses_to_act_on_oneself_or_on_higher_rank() {
        let by = ActingStaff { id: UserId::new(7), holds: &ALL };
        assert_eq!(
            check_status_change(&customer(UserStatus::Active), UserStatus::Frozen, by).unwrap_err().code,
            "own_account"
        );
        let chief = UserFacts { held: vec![Permission::ManageStaff], ..customer(UserStatus::Active) };
        let refusal = check_status_change(
            &chief,
            UserStatus::Deactivated,
            ActingStaff { id: UserId::new(1), holds: &ALL },
        )
        .unwrap_err();
        assert_eq!(refusal.code, "outranked");
        assert!(refusal.message.contains("manage staff"));
    }
}
