//! Asking a panel of this product for an account, and never twice without a person's word: an account there cannot be
//! asked for by a key that makes a repetition harmless. What is asked is written down before the call; an answer that is
//! lost, here or on the way to whoever asked, leaves it standing. Nothing is kept of the token.

use std::time::Duration;

use panel_contract::common::Data;
use panel_contract::endpoints::external_panels::CreateExternalAccount;
use panel_contract::external_panels::CreatedAccount;
use panel_contract::ids::RecordId;
use panel_contract::moment::Time;
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::Rejection;
use serde_json::json;

use super::ask::{field_error, knock, typed};
use crate::context::Ctx;
use crate::http::Req;
use crate::stores::account_requests::{self, AccountCall};
use crate::supply::reseller::probe::{self, Door, Guest};
use panel_platform::audit;
use panel_platform::audit::change::Change;
use panel_platform::settings;
use panel_platform::work::Work;

/// What an account counts in where its panel does not say.
const CURRENCY: &str = "USD";
/// How long a call may be under way.
const UNDER_WAY: Duration = Duration::from_secs(120);

/// Only panels of this product hand out accounts, and only where their own staff allow it.
pub(super) async fn create(ctx: Ctx, req: Req<CreateExternalAccount>) -> Result<Data<CreatedAccount>> {
    if ctx.meta.dry_run {
        let message = "Another panel cannot rehearse; leave dry_run out.";
        return Err(Error::invalid("dry_run", "cannot_rehearse", message));
    }
    let endpoint = typed(&req.body.endpoint)?;
    let Door::Ours(currency) = knock(&ctx, &endpoint).await? else {
        let message =
            "Only panels of this kind hand out accounts; open one there by hand and enter its token.";
        return Err(Error::invalid("endpoint", "hands_out_no_accounts", message));
    };
    let db = &mut ctx.db();
    let guest = Guest {
        name: settings::text(db, settings::PANEL_NAME).await?.unwrap_or_default(),
        email: settings::text(db, "support_email").await?,
    };
    let currency = currency.unwrap_or_else(|| CURRENCY.into());
    // Written down before the call: where nothing can be written now, nobody is asked.
    let asked_at = book(&ctx, &endpoint, &currency, req.body.checked).await?;
    let said = probe::create_account(&ctx.app, &endpoint, &guest).await;
    let end = match &said {
        Ok(_) => End::Created,
        Err(error) if error.is_certain() => End::Nothing,
        Err(_) => End::Unclear,
    };
    // The account may be there, and its token is shown this once: what cannot be written does not take it away.
    if let Err(error) = close(&ctx, (&endpoint, asked_at), &currency, end).await {
        tracing::error!(?error, endpoint, ?end, "failed to record how a request for an account ended");
    }
    let api_token = said.map_err(|error| field_error("endpoint", &error))?;
    Ok(Data { data: CreatedAccount { api_token, endpoint, currency } })
}

// Rules

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// There is an account.
    Created,
    /// Nobody knows.
    Unclear,
    /// There surely is none.
    Nothing,
}

/// Why nobody asks again just so.
fn refusal(outcome: &str, asked_at: Time, now: Time) -> Rejection {
    if is_under_way(outcome, asked_at, now) {
        return Rejection::conflict(
            "account_being_asked",
            "This panel is being asked for an account right now; wait two minutes for its answer.",
        );
    }
    let message = match outcome {
        "created" => {
            "This panel opened an account for us before, and its token was shown once. Where the token is lost, ask that panel's staff \
             for a new one. To open another account, ask again and say that you have checked (checked)."
        }
        _ => {
            "This panel was asked for an account before, and whether it opened one is not known. Ask that panel's staff. If there is \
             none, ask again and say that you have checked (checked)."
        }
    };
    Rejection::conflict("account_asked_before", message)
}

fn is_under_way(outcome: &str, asked_at: Time, now: Time) -> bool {
    outcome == "asked" && now < asked_at.after(UNDER_WAY)
}

// Store

/// Writes down that the panel is asked, unless it was before and nobody checked; when.
async fn book(ctx: &Ctx, endpoint: &str, currency: &str, checked: bool) -> Result<Time> {
    let mut work = ctx.once().begin().await?;
    let now = work.now;
    let call = AccountCall { endpoint, asked_at: now };
    let asked = account_requests::ask(&mut work, call, checked, now.before(UNDER_WAY)).await?;
    if !asked.is_applied() {
        let (outcome, asked_at) = account_requests::read(&mut work, endpoint).await?;
        return Err(refusal(&outcome, asked_at, now).into());
    }
    note(&mut work, "external_panel.account_asked", endpoint, currency).await?;
    work.finish(now).await
}

/// Writes down how it ended, where nobody asked anew meanwhile.
async fn close(ctx: &Ctx, (endpoint, asked_at): (&str, Time), currency: &str, end: End) -> Result<()> {
    let mut work = ctx.once().begin().await?;
    let call = AccountCall { endpoint, asked_at };
    match end {
        End::Created => account_requests::mark_created(&mut work, call).await?.or_nothing(),
        End::Unclear => account_requests::mark_unclear(&mut work, call).await?.or_nothing(),
        End::Nothing => account_requests::forget(&mut work, call).await?.or_nothing(),
    }
    if end == End::Created {
        note(&mut work, "external_panel.account_created", endpoint, currency).await?;
    }
    work.finish(()).await
}

async fn note(work: &mut Work, event: &str, endpoint: &str, currency: &str) -> Result<()> {
    let new = json!({ "endpoint": endpoint, "currency": currency });
    audit::record(work, event, "external_panel", Change { id: RecordId::NONE, old: json!({}), new }).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_may_not_ask_again_hears_what_to_do() {
        let said = |outcome, now| refusal(outcome, Time(0), now);
        assert_eq!(said("asked", Time(119_999_999)).code, "account_being_asked");
        for (outcome, words) in [("asked", "not known"), ("unclear", "not known"), ("created", "shown once")]
        {
            let refusal = said(outcome, Time(120_000_000));
            assert_eq!(refusal.code, "account_asked_before");
            assert!(
                refusal.message.contains(words) && refusal.message.contains("checked"),
                "{}",
                refusal.message
            );
        }
        assert_eq!(said("created", Time(1)).code, "account_asked_before");
    }
}
