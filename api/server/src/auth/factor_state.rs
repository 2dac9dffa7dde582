//! What every change of an account's second factors leaves behind: the audit entry and the email to its owner. A factor that a
//! role requires is not taken away.

use panel_contract::ids::UserId;
use panel_contract::second_factor::SecondFactor;
use panel_kernel::error::{Error, Result};
use serde_json::json;

use crate::auth::store::second_factors;
use crate::emails::{self, Recipient};
use panel_platform::audit;
use panel_platform::audit::change::Change;
use panel_platform::jobs;
use panel_platform::jobs::job::Job;
use panel_platform::work::Work;

/// What was found of the second factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Factor {
    /// It fits, or the account has none.
    Fits,
    /// It is wanted.
    Missing,
    /// It is wrong, over, or was used.
    Wrong,
}

/// Whether an account with so many second factors may lose `taken` of them: a role that requires one leaves one.
const fn may_lose(is_required: bool, factors: i64, taken: i64) -> bool {
    !is_required || factors > taken || (factors == 0 && taken > 0)
}

/// Whether the authenticator app may be removed, as the state of the second factor shows it.
pub(super) const fn is_app_removable(has_app: bool, passkeys: i64, is_required: bool) -> bool {
    has_app && may_lose(is_required, passkeys + 1, 1)
}

/// Refuses to take so many factors away where a role requires one of them.
pub(super) fn keep_required(state: &SecondFactor, taken: i64) -> Result<()> {
    let factors = state.passkeys + i64::from(state.has_authenticator_app);
    if may_lose(state.is_required, factors, taken) {
        return Ok(());
    }
    let message = "One of your roles requires a second factor, so it stays on.";
    Err(Error::conflict("second_factor_is_required", message))
}

/// The audit entry of a change, and the mail to the account's owner; `what` is a clause without its full stop.
pub(super) async fn note(work: &mut Work, user: UserId, event: &'static str, what: &str) -> Result<()> {
    let is_on = second_factors::state(work, user).await?.is_enabled;
    let change = Change { id: user.record(), old: json!({}), new: json!({ "second_factor": is_on }) };
    audit::record(work, event, "user", change).await?;
    let (name, email) = second_factors::owner(work, user).await?;
    let ip = work.scope().meta.ip;
    let email = emails::second_factor_changed(Recipient { name, email }, what, &ip.to_string());
    let now = work.now;
    jobs::enqueue(work, &[Job::Mail(email)], now).await
}

pub(super) fn off() -> Error {
    Error::conflict("no_second_factor", "You have no second factor.")
}

pub(super) fn fault(error: impl std::fmt::Display) -> Error {
    Error::Fault(error.to_string())
}

pub(super) fn place(column: &str, user: UserId) -> String {
    format!("users|{column}|{user}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_removable_app_is_one_whose_removal_is_not_refused() {
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
                assert_eq!(state.is_app_removable, keep_required(&state, 1).is_ok(), "{state:?}");
                assert_eq!(state.is_app_removable, passkeys > 0 || !is_required, "{state:?}");
                assert!(!is_app_removable(false, passkeys, is_required), "without an app");
            }
        }
    }
}
