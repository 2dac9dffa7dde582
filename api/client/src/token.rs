//! The bearer token, and the store that keeps it between runs of a program.

use std::sync::{Arc, PoisonError, RwLock};

use panel_contract::moment::Time;

/// A bearer token of a session.
#[derive(Clone, PartialEq, Eq)]
pub struct Token {
    /// The token as text, `pnl_…`; secret.
    pub text: String,
    /// Expiry in UTC; `None` for a token that the user set. The client refreshes only tokens with an expiry, because a refresh
    /// replaces the token.
    pub expires_at: Option<Time>,
}

impl std::fmt::Debug for Token {
    // The text is secret.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Token").field("expires_at", &self.expires_at).finish_non_exhaustive()
    }
}

/// Stores the token between runs of a program. Several processes may share a store.
pub trait TokenStore: Send + Sync + 'static {
    /// Reads the stored token; `None` if there is none or it cannot be read.
    fn load(&self) -> Option<Token>;
    /// Stores a new token, or removes the stored one with `None`, after a sign-out.
    fn save(&self, token: Option<&Token>);
}

/// A store that stores nothing: the token is in memory only, and lost when the program ends.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoTokenStore;

impl TokenStore for NoTokenStore {
    fn load(&self) -> Option<Token> {
        None
    }
    fn save(&self, _: Option<&Token>) {}
}

/// The current token and its store.
pub(crate) struct Session {
    current: RwLock<Option<Token>>,
    store: Arc<dyn TokenStore>,
    /// Locked during a refresh, so that only one runs at a time.
    pub(crate) refresh_lock: tokio::sync::Mutex<()>,
}

impl Session {
    pub(crate) fn new(token: Option<Token>, store: Arc<dyn TokenStore>) -> Self {
        let current = RwLock::new(token.or_else(|| store.load()));
        Self { current, store, refresh_lock: tokio::sync::Mutex::new(()) }
    }

    pub(crate) fn token(&self) -> Option<Token> {
        self.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn set_token(&self, token: Option<Token>) {
        self.store.save(token.as_ref());
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = token;
    }

    /// The token with which another call or process has replaced `used_token`; `None` if `used_token` is still the current one.
    pub(crate) fn find_replacement(&self, used_token: Option<&Token>) -> Option<Token> {
        let is_other = |token: &Token| Some(&token.text) != used_token.map(|used_token| &used_token.text);
        if let Some(token) = self.token().filter(is_other) {
            return Some(token);
        }
        let token = self.store.load().filter(is_other)?;
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Some(token.clone());
        Some(token)
    }
}
