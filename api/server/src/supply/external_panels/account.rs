//! Requests an account at an external panel that runs the same product. This request has no idempotency key, so the server never
//! sends it a second time unless a staff member confirms that. It stores a record before it sends the request, so that the record
//! remains open if the response is lost. The server does not store the token of the new account.

use std::time::Duration;

use panel_contract::common::Data;
use panel_contract::endpoints::external_panels::CreateExternalAccount;
use panel_contract::external_panels::CreatedAccount;
use panel_contract::ids::RecordId;
use panel_contract::moment::Time;
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::Rejection;
use serde_json::json;

use super::connection_check::{detect_panel, parse_endpoint, to_field_error};
use crate::context::Ctx;
use crate::http::Req;
use crate::stores::account_requests::{self, AccountRequest};
use crate::supply::reseller::probe::{self, AccountApplicant, DetectedPanel};
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::settings;
use panel_platform::work::UnitOfWork;

/// Currency of an account if the external panel sends no currency.
const DEFAULT_CURRENCY: &str = "USD";
/// A request without a recorded outcome counts as running for this time after it was sent.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(120);

/// Creates an account. Only external panels that run the same product support this, and only if their staff allow it.
pub(super) async fn create(ctx: Ctx, req: Req<CreateExternalAccount>) -> Result<Data<CreatedAccount>> {
    if ctx.meta.dry_run {
        let message = "The external panel supports no dry run. Send the request without dry_run.";
        return Err(Error::invalid("dry_run", "cannot_rehearse", message));
    }
    let endpoint = parse_endpoint(&req.body.endpoint)?;
    let DetectedPanel::SameProduct(currency) = detect_panel(&ctx, &endpoint).await? else {
        let message = "The API of this external panel cannot create accounts. Create an account on its website, and enter the API token here.";
        return Err(Error::invalid("endpoint", "account_creation_disabled", message));
    };
    let db = &mut ctx.db();
    let applicant = AccountApplicant {
        name: settings::read_text(db, settings::PANEL_NAME).await?.unwrap_or_default(),
        email: settings::read_text(db, "support_email").await?,
    };
    let currency = currency.unwrap_or_else(|| DEFAULT_CURRENCY.into());
    // The record is stored first. If the database fails, the server does not send the request.
    let requested_at = start_request(&ctx, &endpoint, &currency, req.body.checked).await?;
    let account_result = probe::create_account(&ctx.app, &endpoint, &applicant).await;
    let outcome = match &account_result {
        Ok(_) => AccountRequestOutcome::Created,
        Err(error) if error.has_no_effect() => AccountRequestOutcome::NotCreated,
        Err(_) => AccountRequestOutcome::Unknown,
    };
    // The account may exist, and only this response shows its token, so a failed write must not replace the response by an error.
    if let Err(error) = record_outcome(&ctx, (&endpoint, requested_at), &currency, outcome).await {
        tracing::error!(?error, endpoint, ?outcome, "failed to record the outcome of an account request");
    }
    let api_token = account_result.map_err(|error| to_field_error("endpoint", &error))?;
    Ok(Data { data: CreatedAccount { api_token, endpoint, currency } })
}

// Rules

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AccountRequestOutcome {
    Created,
    /// The external panel may have created an account.
    Unknown,
    /// The external panel has certainly not created an account.
    NotCreated,
}

/// The reason why the server does not send the request again without a confirmation.
fn repeated_request_rejection(outcome: &str, requested_at: Time, now: Time) -> Rejection {
    if is_request_running(outcome, requested_at, now) {
        return Rejection::conflict(
            "account_request_pending",
            "A request for an account at this external panel is still running. Wait two minutes for its outcome.",
        );
    }
    let message = match outcome {
        "created" => {
            "This external panel has already created an account for us, and its token was shown once. If you lost the token, ask the \
             staff of the external panel for a new one. To create another account, send the request again with checked."
        }
        _ => {
            "An earlier request for an account at this external panel has an unknown outcome. Ask the staff of the external panel. \
             If no account exists, send the request again with checked."
        }
    };
    Rejection::conflict("account_requested_before", message)
}

fn is_request_running(outcome: &str, requested_at: Time, now: Time) -> bool {
    outcome == "sent" && now < requested_at.plus(REQUEST_TIMEOUT)
}

// Store

/// Stores a record of the request and returns its time. Rejects a repeated request unless `checked` confirms it.
async fn start_request(ctx: &Ctx, endpoint: &str, currency: &str, checked: bool) -> Result<Time> {
    let mut work = ctx.without_replay_and_dry_run().begin().await?;
    let now = work.now;
    let account_request = AccountRequest { endpoint, sent_at: now };
    let transition =
        account_requests::start_request(&mut work, account_request, checked, now.minus(REQUEST_TIMEOUT))
            .await?;
    if !transition.is_applied() {
        let (outcome, requested_at) = account_requests::load_outcome(&mut work, endpoint).await?;
        return Err(repeated_request_rejection(&outcome, requested_at, now).into());
    }
    record_audit(&mut work, "external_panel.account_requested", endpoint, currency).await?;
    work.finish(now).await
}

/// Records the outcome, unless a newer request for an account exists.
async fn record_outcome(
    ctx: &Ctx,
    (endpoint, requested_at): (&str, Time),
    currency: &str,
    outcome: AccountRequestOutcome,
) -> Result<()> {
    let mut work = ctx.without_replay_and_dry_run().begin().await?;
    let account_request = AccountRequest { endpoint, sent_at: requested_at };
    match outcome {
        AccountRequestOutcome::Created => {
            account_requests::mark_created(&mut work, account_request).await?.ignore_superseded()
        }
        AccountRequestOutcome::Unknown => {
            account_requests::mark_unclear(&mut work, account_request).await?.ignore_superseded()
        }
        AccountRequestOutcome::NotCreated => {
            account_requests::delete(&mut work, account_request).await?.ignore_superseded()
        }
    }
    if outcome == AccountRequestOutcome::Created {
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
    fn a_repeated_request_is_rejected_with_its_reason() {
        let reject = |outcome, now| repeated_request_rejection(outcome, Time(0), now);
        assert_eq!(reject("sent", Time(119_999_999)).code, "account_request_pending");
        for (outcome, expected_text) in
            [("sent", "unknown outcome"), ("unclear", "unknown outcome"), ("created", "shown once")]
        {
            let rejection = reject(outcome, Time(120_000_000));
            assert_eq!(rejection.code, "account_requested_before");
            assert!(
                rejection.message.contains(expected_text) && rejection.message.contains("checked"),
                "{}",
                rejection.message
            );
        }
        assert_eq!(reject("created", Time(1)).code, "account_requested_before");
    }
}
