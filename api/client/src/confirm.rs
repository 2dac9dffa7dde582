//! Step-up authentication: if the panel requires a confirmation, the user is asked once, and the refused request is sent again.
//! Never stores the password or code.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::session::ConfirmProfile;
use panel_contract::session::ConfirmInput;

use crate::client::Inner;
use crate::error::{Error, Result};
use crate::request::Request;

/// Error code that requires a confirmation.
pub const CONFIRMATION_REQUIRED: &str = "confirmation_required";

/// Asks the user for a password or code; `None` if they decline or no terminal is attached.
pub type Confirmer = dyn Fn() -> Pin<Box<dyn Future<Output = Option<ConfirmInput>> + Send>> + Send + Sync;

impl Inner {
    /// Asks the user and sends the confirmation; false if they give no answer. An error comes from the panel, such as a wrong
    /// password.
    pub(crate) fn confirm(self: &Arc<Self>) -> Pin<Box<dyn Future<Output = Result<bool>> + Send>> {
        let task = tokio::spawn(confirm(Arc::clone(self)));
        // A boxed future: sending confirms, and confirming sends.
        Box::pin(async move { task.await.unwrap_or(Ok(false)) })
    }
}

async fn confirm(inner: Arc<Inner>) -> Result<bool> {
    let Some(ask) = inner.confirmer.clone() else { return Ok(false) };
    let Some(input) = ask().await else { return Ok(false) };
    let body = serde_json::to_vec(&input)
        .map_err(|error| Error::Setup(format!("Cannot serialize the body: {error}.")))?;
    let request =
        Request::new(ConfirmProfile::OP.method, ConfirmProfile::OP.path)?.body("application/json", body);
    inner.send(&request).await?;
    // Refreshed, so that a copy of the old token does not gain the confirmation. A token without an expiry was set by the user
    // and stays.
    if let Some(token) = inner.session.token().filter(|token| token.expires_at.is_some()) {
        inner.refresh_once(&token).await;
    }
    Ok(true)
}
