//! Calls to a panel that is not connected yet. It has no id, so no rate limit and no circuit breaker applies.
//!
//! A panel of this product answers `action=panel` without a token, and may create an account for `action=create_account` (see
//! `operations::reseller::account`). Any other panel rejects both calls because of the missing token, which shows that it is a
//! panel.

use serde_json::Value;

use super::{Balance, PanelError, Result, parse_balance, parse_response, send, unknown_outcome};
use crate::app::App;
use panel_domain::reseller_protocol::PRODUCT_NAME;
use panel_platform::outbound::OutboundResponse;

/// The kind of panel at an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DetectedPanel {
    /// A panel of this product, and its currency if it sends one.
    SameProduct(Option<String>),
    /// A panel of another product.
    OtherProduct,
}

/// Our details in a request for an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountApplicant {
    /// The name of our panel.
    pub name: String,
    /// Contact address of our staff.
    pub email: Option<String>,
}

/// Finds out which kind of panel answers at `endpoint`. Sends no token.
pub async fn detect_panel(app: &App, endpoint: &str) -> Result<DetectedPanel> {
    match call_json(app, endpoint, "", "panel", Vec::new()).await {
        Ok(value) if value.get("panel").and_then(Value::as_str) == Some(PRODUCT_NAME) => {
            Ok(DetectedPanel::SameProduct(value.get("currency").and_then(Value::as_str).map(str::to_owned)))
        }
        Ok(value) => Err(unknown_outcome("it answered, but not as panels do", &value)),
        Err(PanelError::Rejected(..)) => Ok(DetectedPanel::OtherProduct),
        Err(error) => Err(error),
    }
}

/// Fetches the balance of our account.
pub async fn balance(app: &App, endpoint: &str, token: &str) -> Result<Balance> {
    parse_balance(&call_json(app, endpoint, token, "balance", Vec::new()).await?)
}

/// Requests an account and returns its token.
pub async fn create_account(app: &App, endpoint: &str, applicant: &AccountApplicant) -> Result<String> {
    let mut fields = vec![("name", applicant.name.clone())];
    fields.extend(applicant.email.clone().map(|email| ("email", email)));
    let value = call_json(app, endpoint, "", "create_account", fields).await?;
    let key = value.get("key").and_then(Value::as_str).map(str::to_owned).filter(|key| !key.is_empty());
    // The error does not quote the response: errors are shown, and the response may contain a token.
    key.ok_or_else(|| PanelError::Unknown("it sent no key".into()))
}

async fn call_json(
    app: &App,
    endpoint: &str,
    token: &str,
    action: &'static str,
    fields: Vec<(&'static str, String)>,
) -> Result<Value> {
    let parse = |response: &OutboundResponse, now| parse_response(response, token, false, now);
    let (result, wait) = send(app, (endpoint, token), action, fields, None, parse).await?;
    match wait {
        // Any server may answer 429, so it does not show that a panel is there.
        Some(_) => Err(PanelError::Unknown("it answered 429, too many calls; try again in a while".into())),
        None => result,
    }
}
