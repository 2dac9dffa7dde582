//! Step-up authentication: if the panel requires a confirmation of the caller's identity, the client asks the user once and sends
//! the request again. It never stores the password or code.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::session::ConfirmProfile;
use panel_contract::session::ConfirmInput;

use crate::client::ClientState;
use crate::error::{Error, Result};
use crate::request::Request;

/// Error code of a call that requires a confirmation of the caller's identity.
pub const CONFIRMATION_REQUIRED: &str = "confirmation_required";

/// Asks the user for a password, code or passkey response; `None` if the user declines or cannot be asked.
pub type Confirmer = dyn Fn() -> Pin<Box<dyn Future<Output = Option<ConfirmInput>> + Send>> + Send + Sync;

impl ClientState {
    /// Asks the user and sends the confirmation; false if the user declines. An error comes from the panel, such as a wrong
    /// password.
    pub(crate) fn confirm(self: &Arc<Self>) -> Pin<Box<dyn Future<Output = Result<bool>> + Send>> {
        let task = tokio::spawn(confirm(Arc::clone(self)));
        // Boxed, because `send` and `confirm` call each other.
        Box::pin(async move { task.await.unwrap_or(Ok(false)) })
    }
}

async fn confirm(state: Arc<ClientState>) -> Result<bool> {
    let Some(prompt) = state.confirmer.clone() else { return Ok(false) };
    let Some(input) = prompt().await else { return Ok(false) };
    let body = serde_json::to_vec(&input)
        .map_err(|error| Error::Setup(format!("Cannot serialize the body: {error}.")))?;
    let request =
        Request::new(ConfirmProfile::OP.method, ConfirmProfile::OP.path)?.body("application/json", body);
    state.send(&request).await?;
    // After the refresh a stolen copy of the old token has no confirmation. The user set a token without an expiry, so it must stay
    // valid.
    if let Some(token) = state.session.token().filter(|token| token.expires_at.is_some()) {
        state.refresh_unless_refreshed(&token).await;
    }
    Ok(true)
}
