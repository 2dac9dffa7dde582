//! Where users stand, and since when: the only statement that writes a status, so that it never disagrees with
//! `frozen_at` and `deactivated_at`. It judges nothing and audits nothing; its callers do both.

use panel_contract::moment::Time;
use panel_contract::users::UserStatus;

use crate::auth::account_links;
use panel_platform::db::{DbResult, Source, Sql};
use panel_platform::work::Work;

/// The moments that belong to a status which begins `now`: `frozen_at`, `deactivated_at`.
fn moments(to: UserStatus, now: Time) -> (Option<Time>, Option<Time>) {
    match to {
        UserStatus::Active => (None, None),
        UserStatus::Frozen => (Some(now), None),
        UserStatus::Deactivated => (None, Some(now)),
    }
}

/// Moves users to a status; how many there were. Deactivating ends the links by which they could set a password.
pub async fn write(work: &mut Work, ids: &[i64], to: UserStatus) -> DbResult<u64> {
    let (frozen, deactivated) = moments(to, work.now);
    let stamp = work.stamp();
    if to == UserStatus::Deactivated {
        // An account that is activated again later does not take up links from before.
        account_links::end_all(work, ids).await?;
    }
    let sql = Sql::new(
        "UPDATE users SET status = ?, frozen_at = ?, deactivated_at = ?, updated_at = ? WHERE id IN ",
    );
    work.exec(sql.bind(to.as_str()).bind(frozen).bind(deactivated).bind(stamp).ids(ids)).await
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
