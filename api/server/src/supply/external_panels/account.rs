//! Requests an account at a panel of this product, and never a second time unless a staff member confirms it: that call has no
//! idempotency key. The request is stored before the call, so a lost response leaves an open request. The token is not stored.

use std::time::Duration;

use panel_contract::common::Data;
use panel_contract::endpoints::external_panels::CreateExternalAccount;
use panel_contract::external_panels::CreatedAccount;
use panel_contract::ids::RecordId;
use panel_contract::moment::Time;
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::Rejection;
use serde_json::json;

use super::connection_check::{detect_panel, field_error, parse_endpoint};
use crate::context::Ctx;
use crate::http::Req;
use crate::stores::account_requests::{self, AccountCall};
use crate::supply::reseller::probe::{self, AccountApplicant, DetectedPanel};
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::settings;
use panel_platform::work::UnitOfWork;

/// Currency of an account if its panel sends none.
const DEFAULT_CURRENCY: &str = "USD";
/// A request without a recorded outcome counts as running for this time after its call.
const CALL_DEADLINE: Duration = Duration::from_secs(120);

/// Only panels of this product create accounts, and only if their staff allow it.
pub(super) async fn create(ctx: Ctx, req: Req<CreateExternalAccount>) -> Result<Data<CreatedAccount>> {
    if ctx.meta.dry_run {
        let message = "The other panel has no dry run. Send the request without dry_run.";
        return Err(Error::invalid("dry_run", "cannot_rehearse", message));
    }
    let endpoint = parse_endpoint(&req.body.endpoint)?;
    let DetectedPanel::SameProduct(currency) = detect_panel(&ctx, &endpoint).await? else {
        let message = "Only panels of this product create accounts by API. Create an account on the panel's site and enter its token.";
        return Err(Error::invalid("endpoint", "account_creation_disabled", message));
    };
    let db = &mut ctx.db();
    let applicant = AccountApplicant {
        name: settings::read_text(db, settings::PANEL_NAME).await?.unwrap_or_default(),
        email: settings::read_text(db, "support_email").await?,
    };
    let currency = currency.unwrap_or_else(|| DEFAULT_CURRENCY.into());
    // Stored before the call: if the database does not accept the request, no call is made.
    let requested_at = start_request(&ctx, &endpoint, &currency, req.body.checked).await?;
    let account_result = probe::create_account(&ctx.app, &endpoint, &applicant).await;
    let outcome = match &account_result {
        Ok(_) => AccountCallOutcome::Created,
        Err(error) if error.has_no_effect() => AccountCallOutcome::NotCreated,
        Err(_) => AccountCallOutcome::Unknown,
    };
    // The account may exist and its token is shown only now, so a failed write must not hide the token.
    if let Err(error) = record_outcome(&ctx, (&endpoint, requested_at), &currency, outcome).await {
        tracing::error!(?error, endpoint, ?outcome, "failed to record the outcome of an account request");
    }
    let api_token = account_result.map_err(|error| field_error("endpoint", &error))?;
    Ok(Data { data: CreatedAccount { api_token, endpoint, currency } })
}

// Rules

/// The outcome of a call that requests an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AccountCallOutcome {
    Created,
    /// The panel may have created an account.
    Unknown,
    /// The panel certainly created no account.
    NotCreated,
}

/// Why the request is not sent again without a confirmation.
fn rejection(outcome: &str, requested_at: Time, now: Time) -> Rejection {
    if is_call_running(outcome, requested_at, now) {
        return Rejection::conflict(
            "account_request_pending",
            "A request for an account at this panel is still running. Wait two minutes for its outcome.",
        );
    }
    let message = match outcome {
        "created" => {
            "This panel already created an account for us, and its token was shown once. If the token is lost, ask that panel's staff \
             for a new one. To create another account, send the request again with checked."
        }
        _ => {
            "An earlier request for an account at this panel has an unknown outcome. Ask that panel's staff. If there is no account, \
             send the request again with checked."
        }
    };
    Rejection::conflict("account_requested_before", message)
}

fn is_call_running(outcome: &str, requested_at: Time, now: Time) -> bool {
    outcome == "sent" && now < requested_at.plus(CALL_DEADLINE)
}

// Store

/// Stores that the account is requested and returns the time. Rejects a repeated request unless it is confirmed by `checked`.
async fn start_request(ctx: &Ctx, endpoint: &str, currency: &str, checked: bool) -> Result<Time> {
    let mut work = ctx.once().begin().await?;
    let now = work.now;
    let call = AccountCall { endpoint, sent_at: now };
    let transition =
        account_requests::start_request(&mut work, call, checked, now.minus(CALL_DEADLINE)).await?;
    if !transition.is_applied() {
        let (outcome, requested_at) = account_requests::load_outcome(&mut work, endpoint).await?;
        return Err(rejection(&outcome, requested_at, now).into());
    }
    record_audit(&mut work, "external_panel.account_requested", endpoint, currency).await?;
    work.finish(now).await
}

/// Records the outcome, unless the account was requested again meanwhile.
async fn record_outcome(
    ctx: &Ctx,
    (endpoint, requested_at): (&str, Time),
    currency: &str,
    outcome: AccountCallOutcome,
) -> Result<()> {
    let mut work = ctx.once().begin().await?;
    let call = AccountCall { endpoint, sent_at: requested_at };
    match outcome {
        AccountCallOutcome::Created => {
            account_requests::mark_created(&mut work, call).await?.ignore_superseded()
        }
        AccountCallOutcome::Unknown => {
            account_requests::mark_unclear(&mut work, call).await?.ignore_superseded()
        }
        AccountCallOutcome::NotCreated => {
            account_requests::delete(&mut work, call).await?.ignore_superseded()
        }
    }
    if outcome == AccountCallOutcome::Created {
        record_audit(&mut work, "external_panel.account_created", endpoint, currency).await?;
    }
    work.finish(()).await
}

async fn record_audit(work: &mut UnitOfWork, event: &str, endpoint: &str, currency: &str) -> Result<()> {
    let new = json!({ "endpoint": endpoint, "currency": currency });
    audit::record(work, event, "external_panel", AuditChange { id: RecordId::NONE, old: json!({}), new })
        .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeated_request_is_rejected_with_advice() {
        let rejection = |outcome, now| rejection(outcome, Time(0), now);
        assert_eq!(rejection("sent", Time(119_999_999)).code, "account_request_pending");
        for (outcome, expected_text) in
            [("sent", "unknown outcome"), ("unclear", "unknown outcome"), ("created", "shown once")]
        {
            let rejection_error = rejection(outcome, Time(120_000_000));
            assert_eq!(rejection_error.code, "account_requested_before");
            assert!(
                rejection_error.message.contains(expected_text)
                    && rejection_error.message.contains("checked"),
                "{}",
                rejection_error.message
            );
        }
        assert_eq!(rejection("created", Time(1)).code, "account_requested_before");
    }
}
