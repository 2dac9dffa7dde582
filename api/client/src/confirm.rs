//! Step-up: where the panel asks that the caller confirms who they are, a question is put to them once, and the refused
//! request is sent again. It never keeps what was typed.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::session::ConfirmProfile;
use panel_contract::session::ConfirmInput;

use crate::client::Inner;
use crate::error::{Error, Result};
use crate::request::Request;

/// Code of the refusal that asks for a confirmation.
pub const CONFIRMATION_REQUIRED: &str = "confirmation_required";

/// Asks the person for a password or code; none where they decline, or no terminal is attached.
pub type Confirmer = dyn Fn() -> Pin<Box<dyn Future<Output = Option<ConfirmInput>> + Send>> + Send + Sync;

impl Inner {
    /// Asks the person and confirms who they are; false where they do not answer. An error is the panel's, such as a wrong
    /// password.
    pub(crate) fn confirm(self: &Arc<Self>) -> Pin<Box<dyn Future<Output = Result<bool>> + Send>> {
        let task = tokio::spawn(confirm(Arc::clone(self)));
        // A named type: sending confirms, and confirming sends.
        Box::pin(async move { task.await.unwrap_or(Ok(false)) })
    }
}

async fn confirm(inner: Arc<Inner>) -> Result<bool> {
    let Some(ask) = inner.confirmer.clone() else { return Ok(false) };
    let Some(input) = ask().await else { return Ok(false) };
    let body = serde_json::to_vec(&input)
        .map_err(|error| Error::Setup(format!("The body cannot be written: {error}.")))?;
    let request =
        Request::new(ConfirmProfile::OP.method, ConfirmProfile::OP.path)?.body("application/json", body);
    inner.send(&request).await?;
    // A copy of the old token gains nothing by the confirmation. A token without an end was set by hand and stays.
    if let Some(token) = inner.session.token().filter(|token| token.expires_at.is_some()) {
        inner.refresh_once(&token).await;
    }
    Ok(true)
}
