//! Sends requests to an external panel that staff have not connected yet. Such a panel has no id, so no rate limit and no circuit
//! breaker applies.
//!
//! A panel that runs the same product responds to `action=panel` without a token, and may create an account for
//! `action=create_account` (see `operations::reseller::account`). Any other panel rejects both requests because of the missing
//! token; this rejection shows that the server at the address is a panel.

use serde_json::Value;

use super::{Balance, PanelError, Result, parse_balance, parse_response, send, unknown_outcome};
use crate::app::App;
use panel_domain::reseller_protocol::PRODUCT_NAME;
use panel_platform::outbound::OutboundResponse;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DetectedPanel {
    /// A panel that runs the same product as this server. Holds its currency if the response contains one.
    SameProduct(Option<String>),
    /// A panel of another product.
    OtherProduct,
}

/// The data about us in a request for an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountApplicant {
    /// Name of this panel.
    pub name: String,
    /// Contact address of our staff.
    pub email: Option<String>,
}

/// Finds out which kind of panel responds at `endpoint`. Sends no token.
pub async fn detect_panel(app: &App, endpoint: &str) -> Result<DetectedPanel> {
    match request_json(app, endpoint, "", "panel", Vec::new()).await {
        Ok(value) if value.get("panel").and_then(Value::as_str) == Some(PRODUCT_NAME) => {
            Ok(DetectedPanel::SameProduct(value.get("currency").and_then(Value::as_str).map(str::to_owned)))
        }
        Ok(value) => Err(unknown_outcome("it responded, but not like a panel", &value)),
        Err(PanelError::Rejected(..)) => Ok(DetectedPanel::OtherProduct),
        Err(error) => Err(error),
    }
}

/// Fetches the balance of our account.
pub async fn fetch_balance(app: &App, endpoint: &str, token: &str) -> Result<Balance> {
    parse_balance(&request_json(app, endpoint, token, "balance", Vec::new()).await?)
}

/// Requests an account and returns its token.
pub async fn create_account(app: &App, endpoint: &str, applicant: &AccountApplicant) -> Result<String> {
    let mut fields = vec![("name", applicant.name.clone())];
    fields.extend(applicant.email.clone().map(|email| ("email", email)));
    let value = request_json(app, endpoint, "", "create_account", fields).await?;
    let token = value.get("key").and_then(Value::as_str).map(str::to_owned).filter(|token| !token.is_empty());
    // The error must not quote the response, because staff see errors and the response may contain a token.
    token.ok_or_else(|| PanelError::Unknown("it sent no key".into()))
}

async fn request_json(
    app: &App,
    endpoint: &str,
    token: &str,
    action: &'static str,
    fields: Vec<(&'static str, String)>,
) -> Result<Value> {
    let parse = |response: &OutboundResponse, now| parse_response(response, token, false, now);
    let (result, retry_delay) = send(app, (endpoint, token), action, fields, None, parse).await?;
    match retry_delay {
        // Any server may respond with status 429, so this status does not show that the server is a panel.
        Some(_) => Err(PanelError::Unknown(
            "it responded with status 429, too many requests; try again in a few minutes".into(),
        )),
        None => result,
    }
}
