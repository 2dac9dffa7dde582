//! Calls to a panel that is not connected yet: no gate is kept for it, as it has no id.
//!
//! A panel of this product says what it is to whoever asks `action=panel`, and may hand out an account for
//! `action=create_account` (see `operations::reseller::account`). Any other panel answers both with a refusal of our
//! missing key, which is how we know that it is one.

use serde_json::Value;

use super::{Balance, PanelError, Result, balance_in, send, unclear, understand};
use crate::app::App;
use panel_domain::reseller_protocol::OWN_NAME;
use panel_platform::outbound::Answer;

/// Who answers at an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Door {
    /// A panel of this product, and what it counts in.
    Ours(Option<String>),
    /// Another one.
    Theirs,
}

/// As whom we ask for an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guest {
    /// The name of our panel.
    pub name: String,
    /// Where its staff are reached.
    pub email: Option<String>,
}

/// Whether a panel answers there. No token is sent.
pub async fn knock(app: &App, endpoint: &str) -> Result<Door> {
    match ask(app, endpoint, "", "panel", Vec::new()).await {
        Ok(value) if value.get("panel").and_then(Value::as_str) == Some(OWN_NAME) => {
            Ok(Door::Ours(value.get("currency").and_then(Value::as_str).map(str::to_owned)))
        }
        Ok(value) => Err(unclear("it answered, but not as panels do", &value)),
        Err(PanelError::Said(..)) => Ok(Door::Theirs),
        Err(error) => Err(error),
    }
}

/// Our balance there.
pub async fn balance(app: &App, endpoint: &str, token: &str) -> Result<Balance> {
    balance_in(&ask(app, endpoint, token, "balance", Vec::new()).await?)
}

/// Asks for an account; its token.
pub async fn create_account(app: &App, endpoint: &str, guest: &Guest) -> Result<String> {
    let mut fields = vec![("name", guest.name.clone())];
    fields.extend(guest.email.clone().map(|email| ("email", email)));
    let value = ask(app, endpoint, "", "create_account", fields).await?;
    let key = value.get("key").and_then(Value::as_str).map(str::to_owned).filter(|key| !key.is_empty());
    // What it sent instead may hold a token, and errors are shown.
    key.ok_or_else(|| PanelError::Unclear("it sent no key".into()))
}

async fn ask(
    app: &App,
    endpoint: &str,
    token: &str,
    action: &'static str,
    fields: Vec<(&'static str, String)>,
) -> Result<Value> {
    let read = |answer: &Answer, now| understand(answer, token, false, now);
    let (said, rest) = send(app, (endpoint, token), action, fields, None, read).await?;
    match rest {
        // It says so to everybody, panel or not.
        Some(_) => Err(PanelError::Unclear("it answered 429, too many calls; try again in a while".into())),
        None => said,
    }
}
