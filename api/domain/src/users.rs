//! Rules of users, who are customers and staff. The same rules check a request and fill `actions` of the record. Pure.

use panel_contract::ids::UserId;
use panel_contract::permission::Permission;
use panel_contract::users::{UserActions, UserStatus};
use panel_kernel::rejection::Rejection;

use crate::rank::ActingStaff;
use crate::staff::{TargetUser, check_access_change};
use crate::state_machine::next;
use crate::states::users::{UserEvent, Users};

/// The facts about a user that the rules need.
#[derive(Debug, Clone)]
pub struct UserFacts {
    pub id: UserId,
    pub status: UserStatus,
    /// Whether the personal data was erased, or the erasure has begun.
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

/// Checks that `actor` may change the status of `user` to `to`.
pub fn check_status_change(
    user: &UserFacts,
    to: UserStatus,
    actor: ActingStaff<'_>,
) -> Result<(), Rejection> {
    let permission = required_permission(to);
    if !actor.may(permission) {
        let message = format!("This action is unauthorized. It needs the permission \"{permission}\".");
        return Err(Rejection::forbidden("forbidden", message));
    }
    check_restore(user, actor)?;
    let from = user.status;
    match next::<Users>(from, UserEvent::to(to)) {
        Some(_) => Ok(()),
        None if from == to => {
            Err(Rejection::conflict("user_unchanged", format!("This user is {from} already.")))
        }
        None => Err(Rejection::conflict(
            "user_not_freezable",
            format!("This user is {from}, and only an active user can be frozen. Activate the user first."),
        )),
    }
}

/// Checks that `actor` may undo a change of the status of `user`. The caller checks the permission.
pub fn check_restore(user: &UserFacts, actor: ActingStaff<'_>) -> Result<(), Rejection> {
    if user.id == actor.id {
        return Err(Rejection::forbidden(
            "own_account",
            "You cannot change the status of your own account. Ask a colleague.",
        ));
    }
    refuse_erased(user.is_erased)?;
    actor.check_rank(&user.held)
}

/// Rejects a change of a user whose personal data was erased, because such an account stays closed.
pub fn refuse_erased(is_erased: bool) -> Result<(), Rejection> {
    if is_erased { Err(erased_rejection()) } else { Ok(()) }
}

/// The rejection of a change of an erased user.
#[must_use]
pub fn erased_rejection() -> Rejection {
    let message = "The personal data of this customer was erased. The account is closed permanently.";
    Rejection::conflict("user_erased", message)
}

/// The actions of `user` for `actor`.
#[must_use]
pub fn actions(user: &UserFacts, actor: ActingStaff<'_>) -> UserActions {
    let can_set = |status| check_status_change(user, status, actor).is_ok();
    let may = |permission| actor.may(permission) && actor.covers(&user.held);
    let target = TargetUser { id: user.id, holds: &user.held };
    UserActions {
        editable: may(Permission::ManageUsers) && !user.is_erased,
        gradable: may(Permission::ManageGradesForUser) && !user.is_erased,
        api_key: may(Permission::ManageApiKeys) && !user.is_erased,
        freezable: can_set(UserStatus::Frozen),
        deactivable: can_set(UserStatus::Deactivated),
        activable: can_set(UserStatus::Active),
        data_exportable: may(Permission::ManagePersonalData),
        erasable: may(Permission::ManagePersonalData) && user.held.is_empty() && !user.is_erased,
        grantable: actor.may(Permission::ManageStaff)
            && !user.is_erased
            && check_access_change(actor, target).is_ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATUS_PERMISSIONS: [Permission; 3] =
        [Permission::FreezeUsers, Permission::DeactivateUsers, Permission::ActivateUsers];

    fn customer(status: UserStatus) -> UserFacts {
        UserFacts { id: UserId::new(7), status, is_erased: false, held: Vec::new() }
    }

    #[test]
    fn actions_match_the_transitions_of_the_status() {
        let offered = |status| {
            let actions =
                actions(&customer(status), ActingStaff { id: UserId::new(1), holds: &STATUS_PERMISSIONS });
            (actions.freezable, actions.deactivable, actions.activable)
        };
        assert_eq!(offered(UserStatus::Active), (true, true, false));
        assert_eq!(offered(UserStatus::Frozen), (false, true, true));
        assert_eq!(offered(UserStatus::Deactivated), (false, false, true));
    }

    #[test]
    fn an_erased_account_stays_closed() {
        let erased = UserFacts { is_erased: true, ..customer(UserStatus::Deactivated) };
        let actor = ActingStaff { id: UserId::new(1), holds: Permission::ALL };
        assert_eq!(check_status_change(&erased, UserStatus::Active, actor).unwrap_err().code, "user_erased");
        assert_eq!(check_restore(&erased, actor).unwrap_err().code, "user_erased");
        let offered = actions(&erased, actor);
        assert_eq!(offered, UserActions { data_exportable: true, ..UserActions::default() });
        let customer = customer(UserStatus::Active);
        assert!(actions(&customer, actor).erasable);
        let staff = UserFacts { held: vec![Permission::ViewOrders], ..customer };
        assert!(!actions(&staff, actor).erasable, "staff are never erased");
    }

    #[test]
    fn staff_grant_permissions_only_to_others_of_their_rank() {
        let actor =
            ActingStaff { id: UserId::new(1), holds: &[Permission::ManageStaff, Permission::ViewOrders] };
        let customer = customer(UserStatus::Active);
        assert!(actions(&customer, actor).grantable);
        assert!(
            !actions(&customer, ActingStaff { holds: &STATUS_PERMISSIONS, ..actor }).grantable,
            "without the permission"
        );
        assert!(
            !actions(&UserFacts { id: actor.id, ..customer.clone() }, actor).grantable,
            "a staff member to themselves"
        );
        assert!(
            !actions(&UserFacts { is_erased: true, ..customer.clone() }, actor).grantable,
            "an erased customer"
        );
        let superior = UserFacts { held: vec![Permission::ViewAudits], ..customer };
        assert!(!actions(&superior, actor).grantable, "a user of a higher rank");
    }

    #[test]
    fn each_change_needs_its_own_permission() {
        for to in UserStatus::ALL {
            let others: Vec<_> = STATUS_PERMISSIONS
                .into_iter()
                .filter(|permission| *permission != required_permission(*to))
                .collect();
            let rejection = check_status_change(
                &customer(UserStatus::Active),
                *to,
                ActingStaff { id: UserId::new(1), holds: &others },
            );
            assert_eq!(rejection.unwrap_err().code, "forbidden");
        }
    }

    #[test]
    fn refuses_to_act_on_oneself_or_on_higher_rank() {
        let actor = ActingStaff { id: UserId::new(7), holds: &STATUS_PERMISSIONS };
        assert_eq!(
            check_status_change(&customer(UserStatus::Active), UserStatus::Frozen, actor).unwrap_err().code,
            "own_account"
        );
        let superior = UserFacts { held: vec![Permission::ManageStaff], ..customer(UserStatus::Active) };
        let rejection = check_status_change(
            &superior,
            UserStatus::Deactivated,
            ActingStaff { id: UserId::new(1), holds: &STATUS_PERMISSIONS },
        )
        .unwrap_err();
        assert_eq!(rejection.code, "outranked");
        assert!(rejection.message.contains("manage staff"));
    }
}
