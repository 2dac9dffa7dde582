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

/// Refuses to take so many factors away where a role requires one of them.
pub(super) fn keep_required(state: &SecondFactor, taken: i64) -> Result<()> {
    let factors = state.passkeys + i64::from(state.has_authenticator_app);
    if !state.is_required || factors > taken || (factors == 0 && taken > 0) {
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
