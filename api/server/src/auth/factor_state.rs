//! Functions that all changes of an account's second factors use: they write the audit entry, queue the email to the owner, and
//! reject the removal of a second factor that a role requires.

use panel_contract::ids::UserId;
use panel_contract::second_factor::SecondFactor;
use panel_kernel::error::{Error, Result};
use serde_json::json;

use crate::auth::store::second_factors;
use crate::emails::{self, Recipient};
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::jobs;
use panel_platform::jobs::job::Job;
use panel_platform::work::UnitOfWork;

/// The result of checking a second factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FactorCheck {
    /// The second factor is valid, or the account has no second factor.
    Valid,
    /// The account has a second factor, but the request contains none.
    Missing,
    /// The second factor in the request is wrong, expired or already used.
    Wrong,
}

/// Whether an account with `factor_count` second factors may remove `removed_count` of them. One factor must remain if a role
/// requires a second factor.
const fn may_remove(is_required: bool, factor_count: i64, removed_count: i64) -> bool {
    !is_required || factor_count > removed_count || (factor_count == 0 && removed_count > 0)
}

/// Whether the owner of the account may remove the authenticator app.
pub(super) const fn is_app_removable(has_app: bool, passkeys: i64, is_required: bool) -> bool {
    has_app && may_remove(is_required, passkeys + 1, 1)
}

/// Returns a 409 if `removed_count` factors cannot be removed, because a role requires a second factor.
pub(super) fn check_required_factor(state: &SecondFactor, removed_count: i64) -> Result<()> {
    let factor_count = state.passkeys + i64::from(state.has_authenticator_app);
    if may_remove(state.is_required, factor_count, removed_count) {
        return Ok(());
    }
    let message =
        "One of your roles requires a second factor. Add another second factor before you remove this one.";
    Err(Error::conflict("second_factor_is_required", message))
}

/// Writes the audit entry of a change and queues the email to the account's owner. `description` is a clause without its full stop.
pub(super) async fn record_change(
    work: &mut UnitOfWork,
    user_id: UserId,
    event: &'static str,
    description: &str,
) -> Result<()> {
    let is_enabled = second_factors::load_state(work, user_id).await?.is_enabled;
    let change = AuditChange {
        id: user_id.as_record_id(),
        old: json!({}),
        new: json!({ "second_factor": is_enabled }),
    };
    audit::record(work, event, "user", change).await?;
    let (name, email) = second_factors::load_owner(work, user_id).await?;
    let ip = work.scope().meta.ip;
    let message = emails::second_factor_changed(Recipient { name, email }, description, &ip.to_string());
    let now = work.now;
    jobs::enqueue(work, &[Job::Mail(message)], now).await
}

pub(super) fn no_second_factor_error() -> Error {
    Error::conflict("no_second_factor", "You have no second factor. Set one up in your profile first.")
}

pub(super) fn internal_error(error: impl std::fmt::Display) -> Error {
    Error::Internal(error.to_string())
}

/// The associated data of an encrypted secret. It binds the secret to one column of one user, so that a copy in another row or
/// column cannot be decrypted.
pub(super) fn seal_context(column: &str, user_id: UserId) -> String {
    format!("users|{column}|{user_id}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_app_is_removable_exactly_if_the_check_allows_it() {
        for is_required in [false, true] {
            for passkeys in 0..3 {
                let state = SecondFactor {
                    is_enabled: true,
                    has_authenticator_app: true,
                    passkeys,
                    is_required,
                    recovery_codes_left: 10,
                    is_app_removable: is_app_removable(true, passkeys, is_required),
                };
                assert_eq!(state.is_app_removable, check_required_factor(&state, 1).is_ok(), "{state:?}");
                assert_eq!(state.is_app_removable, passkeys > 0 || !is_required, "{state:?}");
                assert!(
                    !is_app_removable(false, passkeys, is_required),
                    "an account without an app cannot remove an app"
                );
            }
        }
    }
}
