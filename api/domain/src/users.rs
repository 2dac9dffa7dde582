//! Rules of users, who are customers and staff. The same rules check a request and determine the field `actions` of the record.
//! Pure functions.

use panel_contract::ids::UserId;
use panel_contract::permission::Permission;
use panel_contract::users::{UserActions, UserStatus};
use panel_kernel::rejection::Rejection;

use crate::rank::ActingStaff;
use crate::staff::{TargetUser, check_access_change};
use crate::state_machine::next_state;
use crate::states::users::{UserEvent, Users};

/// The properties of a user that the rules need.
#[derive(Debug, Clone)]
pub struct UserFacts {
    pub id: UserId,
    pub status: UserStatus,
    /// Whether the personal data was erased, or the erasure has begun.
    pub is_erased: bool,
    /// Permissions that the user has, directly or through a role; empty for customers.
    pub permissions: Vec<Permission>,
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
    if !actor.has_permission(permission) {
        let message = format!("This action is unauthorized. It needs the permission \"{permission}\".");
        return Err(Rejection::forbidden("forbidden", message));
    }
    check_restore(user, actor)?;
    let from = user.status;
    match next_state::<Users>(from, UserEvent::to(to)) {
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
    reject_erased_user(user.is_erased)?;
    actor.check_rank(&user.permissions)
}

/// Rejects a change of a user whose personal data was erased, because the account is closed permanently.
pub fn reject_erased_user(is_erased: bool) -> Result<(), Rejection> {
    if is_erased { Err(erased_rejection()) } else { Ok(()) }
}

/// The rejection of a change of an erased user.
#[must_use]
pub fn erased_rejection() -> Rejection {
    let message = "The personal data of this customer was erased. The account is closed permanently.";
    Rejection::conflict("user_erased", message)
}

/// The field `actions` of `user` for `actor`.
#[must_use]
pub fn actions(user: &UserFacts, actor: ActingStaff<'_>) -> UserActions {
    let can_set = |status| check_status_change(user, status, actor).is_ok();
    let is_allowed =
        |permission| actor.has_permission(permission) && actor.has_all_permissions(&user.permissions);
    let target = TargetUser { id: user.id, permissions: &user.permissions };
    UserActions {
        editable: is_allowed(Permission::ManageUsers) && !user.is_erased,
        gradable: is_allowed(Permission::ManageGradesForUser) && !user.is_erased,
        api_key: is_allowed(Permission::ManageApiKeys) && !user.is_erased,
        freezable: can_set(UserStatus::Frozen),
        deactivable: can_set(UserStatus::Deactivated),
        activable: can_set(UserStatus::Active),
        data_exportable: is_allowed(Permission::ManagePersonalData),
        erasable: is_allowed(Permission::ManagePersonalData)
            && user.permissions.is_empty()
            && !user.is_erased,
        grantable: actor.has_permission(Permission::ManageStaff)
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
        UserFacts { id: UserId::new(7), status, is_erased: false, permissions: Vec::new() }
    }

    #[test]
    fn actions_match_the_transitions_of_the_status() {
        let allowed_actions = |status| {
            let actions = actions(
                &customer(status),
                ActingStaff { id: UserId::new(1), permissions: &STATUS_PERMISSIONS },
            );
            (actions.freezable, actions.deactivable, actions.activable)
        };
        assert_eq!(allowed_actions(UserStatus::Active), (true, true, false));
        assert_eq!(allowed_actions(UserStatus::Frozen), (false, true, true));
        assert_eq!(allowed_actions(UserStatus::Deactivated), (false, false, true));
    }

    #[test]
    fn an_erased_account_stays_closed() {
        let erased = UserFacts { is_erased: true, ..customer(UserStatus::Deactivated) };
        let actor = ActingStaff { id: UserId::new(1), permissions: Permission::ALL };
        assert_eq!(check_status_change(&erased, UserStatus::Active, actor).unwrap_err().code, "user_erased");
        assert_eq!(check_restore(&erased, actor).unwrap_err().code, "user_erased");
        let erased_actions = actions(&erased, actor);
        assert_eq!(erased_actions, UserActions { data_exportable: true, ..UserActions::default() });
        let customer = customer(UserStatus::Active);
        assert!(actions(&customer, actor).erasable);
        let staff = UserFacts { permissions: vec![Permission::ViewOrders], ..customer };
        assert!(!actions(&staff, actor).erasable, "staff must not be erasable");
    }

    #[test]
    fn staff_can_grant_only_to_others_whose_permissions_they_have() {
        let actor = ActingStaff {
            id: UserId::new(1),
            permissions: &[Permission::ManageStaff, Permission::ViewOrders],
        };
        let customer = customer(UserStatus::Active);
        assert!(actions(&customer, actor).grantable);
        assert!(
            !actions(&customer, ActingStaff { permissions: &STATUS_PERMISSIONS, ..actor }).grantable,
            "a caller without the permission must not be able to grant"
        );
        assert!(
            !actions(&UserFacts { id: actor.id, ..customer.clone() }, actor).grantable,
            "staff must not be able to grant to themselves"
        );
        assert!(
            !actions(&UserFacts { is_erased: true, ..customer.clone() }, actor).grantable,
            "an erased customer must not get permissions"
        );
        let superior = UserFacts { permissions: vec![Permission::ViewAudits], ..customer };
        assert!(
            !actions(&superior, actor).grantable,
            "staff must not be able to change a user with more permissions"
        );
    }

    #[test]
    fn each_status_change_requires_its_own_permission() {
        for to in UserStatus::ALL {
            let other_permissions: Vec<_> = STATUS_PERMISSIONS
                .into_iter()
                .filter(|permission| *permission != required_permission(*to))
                .collect();
            let rejection = check_status_change(
                &customer(UserStatus::Active),
                *to,
                ActingStaff { id: UserId::new(1), permissions: &other_permissions },
            );
            assert_eq!(rejection.unwrap_err().code, "forbidden");
        }
    }

    #[test]
    fn rejects_actions_on_oneself_and_on_users_with_more_permissions() {
        let actor = ActingStaff { id: UserId::new(7), permissions: &STATUS_PERMISSIONS };
        assert_eq!(
            check_status_change(&customer(UserStatus::Active), UserStatus::Frozen, actor).unwrap_err().code,
            "own_account"
        );
        let superior =
            UserFacts { permissions: vec![Permission::ManageStaff], ..customer(UserStatus::Active) };
        let rejection = check_status_change(
            &superior,
            UserStatus::Deactivated,
            ActingStaff { id: UserId::new(1), permissions: &STATUS_PERMISSIONS },
        )
        .unwrap_err();
        assert_eq!(rejection.code, "outranked");
        assert!(rejection.message.contains("manage staff"));
    }
}
