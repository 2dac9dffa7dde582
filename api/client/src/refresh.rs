//! Keeping the session alive: before the token ends, and once when it is refused; one refresh at a time.

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
use crate::watch::Seen;

/// The part of a sign-in's answer that belongs to the token.
#[derive(Deserialize)]
struct Ends {
    expires_at: Time,
}

impl Inner {
    /// The token to use, refreshed when its end is near. A refresh that fails is no reason to fail the call.
    pub(crate) async fn fresh_token(self: &Arc<Self>, request: &Request) -> Option<Token> {
        let token = self.session.token()?;
        if request.refreshes && self.ends_soon(&token) {
            self.refresh_once(&token).await;
            return self.session.token();
        }
        Some(token)
    }

    /// After a 401: whether there is another token to try with.
    pub(crate) async fn renew(self: &Arc<Self>, used: Option<&Token>) -> bool {
        if self.session.newer_than(used).is_some() {
            return true;
        }
        let Some(used) = used else { return false };
        // A token past its end cannot be refreshed, and one without an end was set by hand.
        if used.expires_at.is_none_or(|end| end <= self.world.now()) {
            return false;
        }
        self.refresh_once(used).await;
        self.session.token().is_some_and(|token| token.text != used.text)
    }

    /// Keeps the token that an answer carries.
    pub(crate) fn take_token(&self, answer: &Answer) -> bool {
        let Some(text) = token_of(&answer.headers) else { return false };
        let ends = serde_json::from_slice::<Ends>(&answer.body).ok();
        let token = Token { text: text.to_owned(), expires_at: ends.map(|ends| ends.expires_at) };
        self.session.set(Some(token));
        true
    }

    fn ends_soon(&self, token: &Token) -> bool {
        let left = token.expires_at.map(|end| end.0.saturating_sub(self.world.now().0));
        let wanted = i64::try_from(self.refresh_before.as_micros()).unwrap_or(i64::MAX);
        left.is_some_and(|left| left > 0 && left < wanted)
    }

    /// Refreshes unless somebody else did meanwhile. Runs to its end even when the caller is dropped: the panel
    /// would have a token that nobody kept.
    pub(crate) fn refresh_once(self: &Arc<Self>, used: &Token) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        let task = tokio::spawn(refresh(Arc::clone(self), used.clone()));
        // A named type: sending refreshes, and refreshing sends.
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
        && inner.take_token(&answer)
    {
        inner.tell(&Seen::Refreshed);
    }
}
