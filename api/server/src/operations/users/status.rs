//! The status of users: the only statement that writes it, so that it always agrees with `frozen_at` and `deactivated_at`.
//! The callers apply the rules and write the audit entry.

use panel_contract::ids::UserId;
use panel_contract::moment::Time;
use panel_contract::users::UserStatus;
use panel_domain::states::users::{UserEvent, Users};

use crate::stores::account_links;
use panel_platform::db::state::StoredStates;
use panel_platform::db::{DbResult, Source, Sql};
use panel_platform::word_conditions;
use panel_platform::work::UnitOfWork;

/// `frozen_at` and `deactivated_at` for a status that begins `now`.
fn moments(to: UserStatus, now: Time) -> (Option<Time>, Option<Time>) {
    match to {
        UserStatus::Active => (None, None),
        UserStatus::Frozen => (Some(now), None),
        UserStatus::Deactivated => (None, Some(now)),
    }
}

/// How the states of a user are stored.
pub const STATES: StoredStates<Users> = StoredStates {
    table: "users",
    conditions: word_conditions!(
        "users.status",
        UserStatus::Active => "active",
        UserStatus::Frozen => "frozen",
        UserStatus::Deactivated => "deactivated",
    ),
};

/// Applies an event to users and returns how many were in a state that allows it. Deactivating ends the links by which users
/// could set a password.
pub async fn set_status(work: &mut UnitOfWork, ids: &[UserId], event: UserEvent) -> DbResult<u64> {
    let to = event.status();
    let (frozen, deactivated) = moments(to, work.now);
    let stamp = work.stamp();
    if to == UserStatus::Deactivated {
        // Links from before must not work if the account is activated again later.
        account_links::end_all(work, ids).await?;
    }
    let sql = Sql::new(
        "UPDATE users SET status = ?, frozen_at = ?, deactivated_at = ?, updated_at = ? WHERE id IN ",
    );
    let sql = sql.bind(to.as_str()).bind(frozen).bind(deactivated).bind(stamp).ids(ids);
    work.exec(sql.append(STATES.leaving(event))).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_time_of_the_current_status_is_set() {
        let now = Time(7);
        assert_eq!(moments(UserStatus::Active, now), (None, None));
        assert_eq!(moments(UserStatus::Frozen, now), (Some(now), None));
        assert_eq!(moments(UserStatus::Deactivated, now), (None, Some(now)));
    }
}
