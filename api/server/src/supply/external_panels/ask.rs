//! Asking a panel that is not connected yet: whether it is one, whether it knows us, whether it gives us an account.
//! Nothing is stored of it.

use panel_contract::common::Data;
use panel_contract::endpoints::external_panels::{CreateExternalAccount, ValidateExternalPanel};
use panel_contract::external_panels::{CreatedAccount, ValidatedPanel};
use serde_json::json;

use crate::audit::{self, Change};
use crate::configuration::settings;
use crate::http::error::{ApiError, Result};
use crate::http::{Ctx, Req};
use crate::supply::external_panels::{refused, rules};
use crate::supply::reseller::probe::{self, Door, Guest};
use crate::supply::reseller::{PanelError, Reason};

/// What an account counts in where its panel does not say.
const CURRENCY: &str = "USD";

/// A panel answers there; with a token, it knows us.
pub(super) async fn validate(ctx: Ctx, req: Req<ValidateExternalPanel>) -> Result<Data<ValidatedPanel>> {
    let endpoint = typed(&req.body.endpoint)?;
    let token = rules::token(req.body.api_token.as_deref())?;
    let door = knock(&ctx, &endpoint).await?;
    let is_our_panel = matches!(door, Door::Ours(_));
    let currency = if let Door::Ours(currency) = door { currency } else { None };
    let mut found = ValidatedPanel { is_our_panel, endpoint, balance: None, currency };
    if let Some(token) = token {
        let said = probe::balance(&ctx.app, &found.endpoint, &token).await;
        let balance = said.map_err(|error| told("api_token", &error))?;
        found.balance = Some(balance.balance);
        found.currency = balance.currency.map(|currency| currency.to_ascii_uppercase()).or(found.currency);
    }
    Ok(Data { data: found })
}

/// Only panels of this product hand out accounts, and only where their own staff allow it.
pub(super) async fn create_account(
    ctx: Ctx,
    req: Req<CreateExternalAccount>,
) -> Result<Data<CreatedAccount>> {
    if ctx.meta.dry_run {
        let message = "Another panel cannot rehearse; leave dry_run out.";
        return Err(ApiError::invalid("dry_run", "cannot_rehearse", message));
    }
    let endpoint = typed(&req.body.endpoint)?;
    let Door::Ours(currency) = knock(&ctx, &endpoint).await? else {
        let message =
            "Only panels of this kind hand out accounts; open one there by hand and enter its token.";
        return Err(ApiError::invalid("endpoint", "hands_out_no_accounts", message));
    };
    let db = &mut ctx.db();
    let guest = Guest {
        name: settings::text(db, settings::PANEL_NAME).await?.unwrap_or_default(),
        email: settings::text(db, "support_email").await?,
    };
    // Written down before the call: where nothing can be written now, nobody is asked, and a retry opens no second account.
    let told_of = |currency: &str| json!({ "endpoint": endpoint, "currency": currency });
    let currency = currency.unwrap_or_else(|| CURRENCY.into());
    note(&ctx, "external_panel.account_asked", told_of(&currency)).await?;
    let api_token =
        probe::create_account(&ctx.app, &endpoint, &guest).await.map_err(|error| told("endpoint", &error))?;
    // The account is there, and its token is shown this once: an entry that cannot be written does not take it away.
    if let Err(error) = note(&ctx, "external_panel.account_created", told_of(&currency)).await {
        tracing::error!(?error, endpoint, "an account was handed out and could not be written down");
    }
    Ok(Data { data: CreatedAccount { api_token, endpoint, currency } })
}

/// The answer holds a secret, so nothing of it is kept under the request's key.
async fn note(ctx: &Ctx, event: &str, new: serde_json::Value) -> Result<()> {
    let mut work = ctx.once().begin().await?;
    audit::record(&mut work, event, "external_panel", Change { id: 0, old: json!({}), new }).await?;
    work.finish(()).await
}

fn typed(endpoint: &str) -> Result<String> {
    rules::endpoint(endpoint).map_err(|message| ApiError::invalid("endpoint", "invalid", message))
}

async fn knock(ctx: &Ctx, endpoint: &str) -> Result<Door> {
    probe::knock(&ctx.app, endpoint).await.map_err(|error| told("endpoint", &error))
}

/// What went wrong, at the field that it is about, in the panel's own words where it said something.
fn told(field: &'static str, error: &PanelError) -> ApiError {
    match error {
        PanelError::Refused(why) => ApiError::invalid("endpoint", "endpoint_refused", refused(why)),
        PanelError::Said(Reason::Key, words) => ApiError::invalid(field, "token_refused", words),
        PanelError::Said(_, words) => ApiError::invalid(field, "panel_refused", words),
        other => ApiError::invalid("endpoint", "no_panel_answers", other.to_string()),
    }
}
