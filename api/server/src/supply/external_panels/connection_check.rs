//! Validates the endpoint and the API token of an external panel before staff connect it. This module stores nothing.

use panel_contract::common::Data;
use panel_contract::endpoints::external_panels::ValidateExternalPanel;
use panel_contract::external_panels::ValidatedPanel;
use panel_kernel::error::{Error, Result};

use crate::context::Ctx;
use crate::http::Req;
use crate::supply::external_panels::{forbidden_address_message, rules};
use crate::supply::reseller::probe::{self, DetectedPanel};
use crate::supply::reseller::{MessageSubject, PanelError};

/// Checks that an external panel responds at the endpoint and, if the input has a token, that the external panel accepts the token.
pub(super) async fn validate(ctx: Ctx, req: Req<ValidateExternalPanel>) -> Result<Data<ValidatedPanel>> {
    let endpoint = parse_endpoint(&req.body.endpoint)?;
    let token = rules::validate_token(req.body.api_token.as_deref())?;
    let detected_panel = detect_panel(&ctx, &endpoint).await?;
    let is_our_panel = matches!(detected_panel, DetectedPanel::SameProduct(_));
    let currency = if let DetectedPanel::SameProduct(currency) = detected_panel { currency } else { None };
    let mut panel = ValidatedPanel { is_our_panel, endpoint, balance: None, currency };
    if let Some(token) = token {
        let result = probe::fetch_balance(&ctx.app, &panel.endpoint, &token).await;
        let balance = result.map_err(|error| to_field_error("api_token", &error))?;
        panel.balance = Some(balance.balance);
        panel.currency = balance.currency.map(|currency| currency.to_ascii_uppercase()).or(panel.currency);
    }
    Ok(Data { data: panel })
}

pub(super) fn parse_endpoint(endpoint: &str) -> Result<String> {
    rules::normalize_endpoint(endpoint).map_err(|message| Error::invalid("endpoint", "invalid", message))
}

pub(super) async fn detect_panel(ctx: &Ctx, endpoint: &str) -> Result<DetectedPanel> {
    probe::detect_panel(&ctx.app, endpoint).await.map_err(|error| to_field_error("endpoint", &error))
}

/// Converts the error to a field error, which quotes the message of the external panel if it sent one.
pub(super) fn to_field_error(field: &'static str, error: &PanelError) -> Error {
    match error {
        PanelError::ForbiddenAddress(reason) => {
            Error::invalid("endpoint", "endpoint_rejected", forbidden_address_message(reason))
        }
        PanelError::Rejected(MessageSubject::Key, message) => {
            Error::invalid(field, "token_rejected", message)
        }
        PanelError::Rejected(_, message) => Error::invalid(field, "panel_rejected", message),
        other_error => Error::invalid("endpoint", "no_panel_answers", other_error.to_string()),
    }
}
