//! Refreshes the session: shortly before the token expires, and once when it is refused. One refresh at a time.

use std::pin::Pin;
use std::sync::Arc;

use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::session::Refresh;
use panel_contract::moment::Time;
use serde::Deserialize;

use crate::client::Inner;
use crate::request::{Answer, Request};
use crate::send::token_of;
use crate::token::Token;
use crate::watch::ClientEvent;

/// The part of a sign-in response about the token.
#[derive(Deserialize)]
struct Expiry {
    expires_at: Time,
}

impl Inner {
    /// The token to use, refreshed if it expires soon. If the refresh fails, the call continues with the old token.
    pub(crate) async fn fresh_token(self: &Arc<Self>, request: &Request) -> Option<Token> {
        let token = self.session.token()?;
        if request.refreshes && self.expires_soon(&token) {
            self.refresh_once(&token).await;
            return self.session.token();
        }
        Some(token)
    }

    /// After a 401: returns whether another token is available.
    pub(crate) async fn renew(self: &Arc<Self>, used: Option<&Token>) -> bool {
        if self.session.newer_than(used).is_some() {
            return true;
        }
        let Some(used) = used else { return false };
        // An expired token cannot be refreshed, and a token without an expiry was set by the user.
        if used.expires_at.is_none_or(|end| end <= self.world.now()) {
            return false;
        }
        self.refresh_once(used).await;
        self.session.token().is_some_and(|token| token.text != used.text)
    }

    /// Stores the token of a response, if it has one.
    pub(crate) fn store_token(&self, answer: &Answer) -> bool {
        let Some(text) = token_of(&answer.headers) else { return false };
        let expiry = serde_json::from_slice::<Expiry>(&answer.body).ok();
        let token = Token { text: text.to_owned(), expires_at: expiry.map(|expiry| expiry.expires_at) };
        self.session.set(Some(token));
        true
    }

    fn expires_soon(&self, token: &Token) -> bool {
        let left = token.expires_at.map(|end| end.0.saturating_sub(self.world.now().0));
        let threshold = i64::try_from(self.refresh_before.as_micros()).unwrap_or(i64::MAX);
        left.is_some_and(|left| left > 0 && left < threshold)
    }

    /// Refreshes the token unless another call did meanwhile. Runs to completion even if the caller is dropped, because
    /// otherwise a new token of the panel could be lost.
    pub(crate) fn refresh_once(self: &Arc<Self>, used: &Token) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        let task = tokio::spawn(refresh(Arc::clone(self), used.clone()));
        // A boxed future: sending refreshes, and refreshing sends.
        Box::pin(async move { drop(task.await) })
    }
}

async fn refresh(inner: Arc<Inner>, used: Token) {
    let _one_at_a_time = inner.session.refreshing.lock().await;
    if inner.session.newer_than(Some(&used)).is_some() {
        return;
    }
    let Ok(mut request) = Request::new(Refresh::OP.method, Refresh::OP.path) else { return };
    request.refreshes = false;
    if let Ok(answer) = inner.send(&request).await
        && inner.store_token(&answer)
    {
        inner.notify(&ClientEvent::Refreshed);
    }
}
