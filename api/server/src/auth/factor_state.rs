//! Shared by all changes of an account's second factors: the audit entry, the email to the owner, and the rule that a factor
//! which a role requires cannot be removed.

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
    /// The proof is valid, or the account has no second factor.
    Valid,
    /// The account has a second factor, and the request has no proof.
    Missing,
    /// The proof is wrong, expired or already used.
    Wrong,
}

/// Whether an account with `factors` second factors may remove `count` of them: at least one must remain if a role requires it.
const fn may_remove(is_required: bool, factors: i64, count: i64) -> bool {
    !is_required || factors > count || (factors == 0 && count > 0)
}

/// Whether the owner may remove the authenticator app.
pub(super) const fn is_app_removable(has_app: bool, passkeys: i64, is_required: bool) -> bool {
    has_app && may_remove(is_required, passkeys + 1, 1)
}

/// Refuses to remove `count` factors if a role requires one of them.
pub(super) fn check_required_factor(state: &SecondFactor, count: i64) -> Result<()> {
    let factors = state.passkeys + i64::from(state.has_authenticator_app);
    if may_remove(state.is_required, factors, count) {
        return Ok(());
    }
    let message = "One of your roles requires a second factor. Add another one before you remove this one.";
    Err(Error::conflict("second_factor_is_required", message))
}

/// Writes the audit entry of a change and queues the email to the account's owner. `description` is a clause without its full stop.
pub(super) async fn record_change(
    work: &mut UnitOfWork,
    user: UserId,
    event: &'static str,
    description: &str,
) -> Result<()> {
    let is_enabled = second_factors::state(work, user).await?.is_enabled;
    let change =
        AuditChange { id: user.as_record_id(), old: json!({}), new: json!({ "second_factor": is_enabled }) };
    audit::record(work, event, "user", change).await?;
    let (name, email) = second_factors::owner(work, user).await?;
    let ip = work.scope().meta.ip;
    let email = emails::second_factor_changed(Recipient { name, email }, description, &ip.to_string());
    let now = work.now;
    jobs::enqueue(work, &[Job::Mail(email)], now).await
}

pub(super) fn no_second_factor() -> Error {
    Error::conflict("no_second_factor", "You have no second factor. Set one up in your profile first.")
}

pub(super) fn internal_error(error: impl std::fmt::Display) -> Error {
    Error::Internal(error.to_string())
}

/// The associated data of a sealed secret: it opens in this column of this user only.
pub(super) fn seal_context(column: &str, user: UserId) -> String {
    format!("users|{column}|{user}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_app_removable_agrees_with_the_check() {
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
                assert!(!is_app_removable(false, passkeys, is_required), "without an app");
            }
        }
    }
}
