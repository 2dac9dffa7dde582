//! Contains the only statement that writes the status of users, so that it always agrees with `frozen_at` and `deactivated_at`.
//! The callers apply the rules and write the audit entry.

use panel_contract::ids::UserId;
use panel_contract::moment::Time;
use panel_contract::users::UserStatus;
use panel_domain::states::users::{UserEvent, Users};

use crate::stores::account_links;
use panel_platform::db::state::StoredStates;
use panel_platform::db::{DbResult, Sql, SqlExecutor};
use panel_platform::status_conditions;
use panel_platform::work::UnitOfWork;

/// Returns the values of `frozen_at` and `deactivated_at` for a status that a user gets `now`.
fn status_times(status: UserStatus, now: Time) -> (Option<Time>, Option<Time>) {
    match status {
        UserStatus::Active => (None, None),
        UserStatus::Frozen => (Some(now), None),
        UserStatus::Deactivated => (None, Some(now)),
    }
}

/// SQL conditions of the states of a user.
pub const STATES: StoredStates<Users> = StoredStates {
    table: "users",
    conditions: status_conditions!(
        "users.status",
        UserStatus::Active => "active",
        UserStatus::Frozen => "frozen",
        UserStatus::Deactivated => "deactivated",
    ),
};

/// Applies an event to users. Returns the number of users in a state that allowed the event. A deactivation also deletes the links
/// with which users can set a password.
pub async fn set_status(work: &mut UnitOfWork, ids: &[UserId], event: UserEvent) -> DbResult<u64> {
    let new_status = event.status();
    let (frozen_at, deactivated_at) = status_times(new_status, work.now);
    let timestamp = work.timestamp();
    if new_status == UserStatus::Deactivated {
        // Earlier links must not work after a later activation.
        account_links::delete_all(work, ids).await?;
    }
    let sql = Sql::new(
        "UPDATE users SET status = ?, frozen_at = ?, deactivated_at = ?, updated_at = ? WHERE id IN ",
    );
    let sql = sql.bind(new_status.as_str()).bind(frozen_at).bind(deactivated_at).bind(timestamp).ids(ids);
    work.execute(sql.append(STATES.condition_for(event))).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_time_of_the_current_status_is_set() {
        let now = Time(7);
        assert_eq!(status_times(UserStatus::Active, now), (None, None));
        assert_eq!(status_times(UserStatus::Frozen, now), (Some(now), None));
        assert_eq!(status_times(UserStatus::Deactivated, now), (None, Some(now)));
    }
}
