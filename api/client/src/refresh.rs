//! Refreshes the token: shortly before it expires, and once after a 401. Only one refresh runs at a time.

use std::pin::Pin;
use std::sync::Arc;

use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::session::Refresh;
use panel_contract::moment::Time;
use serde::Deserialize;

use crate::client::ClientState;
use crate::events::ClientEvent;
use crate::request::{Request, Response};
use crate::send::parse_bearer_token;
use crate::token::Token;

/// Body of a sign-in response: only the expiry of the token.
#[derive(Deserialize)]
struct TokenExpiry {
    expires_at: Time,
}

impl ClientState {
    /// The token for a request, refreshed if it expires soon. If the refresh fails, the request uses the old token.
    pub(crate) async fn token_for(self: &Arc<Self>, request: &Request) -> Option<Token> {
        let token = self.session.token()?;
        if request.may_refresh_token_first && self.expires_soon(&token) {
            self.refresh_unless_refreshed(&token).await;
            return self.session.token();
        }
        Some(token)
    }

    /// Tries to get another token after a response 401 to a request with `used_token`. Returns whether there is one.
    pub(crate) async fn try_replace_token(self: &Arc<Self>, used_token: Option<&Token>) -> bool {
        if self.session.find_replacement(used_token).is_some() {
            return true;
        }
        let Some(used_token) = used_token else { return false };
        // Neither an expired token can be refreshed, nor a token without an expiry, which the user has set.
        if used_token.expires_at.is_none_or(|expiry| expiry <= self.environment.now()) {
            return false;
        }
        self.refresh_unless_refreshed(used_token).await;
        self.session.token().is_some_and(|token| token.text != used_token.text)
    }

    /// Stores the token of a response. Returns false for a response without a token.
    pub(crate) fn store_token(&self, response: &Response) -> bool {
        let Some(text) = parse_bearer_token(&response.headers) else { return false };
        let expiry = serde_json::from_slice::<TokenExpiry>(&response.body).ok();
        let token = Token { text: text.to_owned(), expires_at: expiry.map(|expiry| expiry.expires_at) };
        self.session.set_token(Some(token));
        true
    }

    fn expires_soon(&self, token: &Token) -> bool {
        let remaining = token.expires_at.map(|expiry| expiry.0.saturating_sub(self.environment.now().0));
        let lead_time = i64::try_from(self.refresh_lead_time.as_micros()).unwrap_or(i64::MAX);
        remaining.is_some_and(|micros| micros > 0 && micros < lead_time)
    }

    /// Refreshes the token, unless another call or process has replaced `used_token` already. The refresh runs to completion even
    /// if the caller is dropped: otherwise a new token that the panel has already issued could be lost.
    pub(crate) fn refresh_unless_refreshed(
        self: &Arc<Self>,
        used_token: &Token,
    ) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        let task = tokio::spawn(refresh(Arc::clone(self), used_token.clone()));
        // Boxed, because `send` and `refresh` call each other.
        Box::pin(async move { drop(task.await) })
    }
}

async fn refresh(state: Arc<ClientState>, used_token: Token) {
    let _guard = state.session.refresh_lock.lock().await;
    if state.session.find_replacement(Some(&used_token)).is_some() {
        return;
    }
    let Ok(mut request) = Request::new(Refresh::OP.method, Refresh::OP.path) else { return };
    request.may_refresh_token_first = false;
    if let Ok(response) = state.send(&request).await
        && state.store_token(&response)
    {
        state.notify(&ClientEvent::TokenRefreshed);
    }
}
