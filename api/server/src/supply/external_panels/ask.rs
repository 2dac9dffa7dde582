//! Asking a panel that is not connected yet: whether it is one, and whether it knows us. Nothing is stored of it.

use panel_contract::common::Data;
use panel_contract::endpoints::external_panels::ValidateExternalPanel;
use panel_contract::external_panels::ValidatedPanel;
use panel_kernel::error::{Error, Result};

use crate::context::Ctx;
use crate::http::Req;
use crate::supply::external_panels::{refused, rules};
use crate::supply::reseller::probe::{self, Door};
use crate::supply::reseller::{PanelError, Reason};

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
        let balance = said.map_err(|error| field_error("api_token", &error))?;
        found.balance = Some(balance.balance);
        found.currency = balance.currency.map(|currency| currency.to_ascii_uppercase()).or(found.currency);
    }
    Ok(Data { data: found })
}

pub(super) fn typed(endpoint: &str) -> Result<String> {
    rules::endpoint(endpoint).map_err(|message| Error::invalid("endpoint", "invalid", message))
}

pub(super) async fn knock(ctx: &Ctx, endpoint: &str) -> Result<Door> {
    probe::knock(&ctx.app, endpoint).await.map_err(|error| field_error("endpoint", &error))
}

/// What went wrong, at the field that it is about, in the panel's own words where it said something.
pub(super) fn field_error(field: &'static str, error: &PanelError) -> Error {
    match error {
        PanelError::Refused(why) => Error::invalid("endpoint", "endpoint_refused", refused(why)),
        PanelError::Said(Reason::Key, words) => Error::invalid(field, "token_refused", words),
        PanelError::Said(_, words) => Error::invalid(field, "panel_refused", words),
        other => Error::invalid("endpoint", "no_panel_answers", other.to_string()),
    }
}
