//! The bearer token, and its storage between runs of a program.

use std::sync::{Arc, PoisonError, RwLock};

use panel_contract::moment::Time;

/// A bearer token.
#[derive(Clone, PartialEq, Eq)]
pub struct Token {
    /// The token itself: `pnl_…`.
    pub text: String,
    /// Expiry time, if known. Only a token with an expiry is refreshed, because refreshing replaces it, and a token that the
    /// user set must stay valid.
    pub expires_at: Option<Time>,
}

impl std::fmt::Debug for Token {
    /// Omits the text.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Token").field("expires_at", &self.expires_at).finish_non_exhaustive()
    }
}

/// Stores the token between runs. Several processes may share a store.
pub trait TokenStore: Send + Sync + 'static {
    /// Reads the stored token.
    fn load(&self) -> Option<Token>;
    /// Stores a new token, or removes it with `None` after signing out.
    fn save(&self, token: Option<&Token>);
}

/// Stores nothing: the token lives as long as the client.
#[derive(Debug, Clone, Copy, Default)]
pub struct InMemory;

impl TokenStore for InMemory {
    fn load(&self) -> Option<Token> {
        None
    }
    fn save(&self, _: Option<&Token>) {}
}

/// The current token and its store.
pub(crate) struct Session {
    current: RwLock<Option<Token>>,
    store: Arc<dyn TokenStore>,
    /// Held while refreshing: one refresh at a time.
    pub(crate) refreshing: tokio::sync::Mutex<()>,
}

impl Session {
    pub(crate) fn new(token: Option<Token>, store: Arc<dyn TokenStore>) -> Self {
        let current = RwLock::new(token.or_else(|| store.load()));
        Self { current, store, refreshing: tokio::sync::Mutex::new(()) }
    }

    pub(crate) fn token(&self) -> Option<Token> {
        self.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn set(&self, token: Option<Token>) {
        self.store.save(token.as_ref());
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = token;
    }

    /// A token other than `used`, which another call or process has refreshed meanwhile.
    pub(crate) fn newer_than(&self, used: Option<&Token>) -> Option<Token> {
        let differs = |token: &Token| Some(&token.text) != used.map(|used| &used.text);
        if let Some(token) = self.token().filter(differs) {
            return Some(token);
        }
        let token = self.store.load().filter(differs)?;
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Some(token.clone());
        Some(token)
    }
}
