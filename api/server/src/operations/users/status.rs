//! Where users stand, and since when: the only statement that writes a status, so that it never disagrees with
//! `frozen_at` and `deactivated_at`. It judges nothing and audits nothing; its callers do both.

use panel_contract::ids::UserId;
use panel_contract::moment::Time;
use panel_contract::users::UserStatus;
use panel_domain::states::users::{UserEvent, Users};

use crate::stores::account_links;
use panel_platform::db::state::StoredStates;
use panel_platform::db::{DbResult, Source, Sql};
use panel_platform::word_conditions;
use panel_platform::work::Work;

/// The moments that belong to a status which begins `now`: `frozen_at`, `deactivated_at`.
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

/// Lets an event happen to users; how many were in a state that it leaves. Deactivating ends the links by which they could set a
/// password.
pub async fn write(work: &mut Work, ids: &[UserId], event: UserEvent) -> DbResult<u64> {
    let to = event.status();
    let (frozen, deactivated) = moments(to, work.now);
    let stamp = work.stamp();
    if to == UserStatus::Deactivated {
        // An account that is activated again later does not take up links from before.
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
    fn only_the_moment_of_the_present_status_is_set() {
        let now = Time(7);
        assert_eq!(moments(UserStatus::Active, now), (None, None));
        assert_eq!(moments(UserStatus::Frozen, now), (Some(now), None));
        assert_eq!(moments(UserStatus::Deactivated, now), (None, Some(now)));
    }
}
