//! The client: cheap to clone, shared by all code that calls one panel with one session.

use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;

use url::Url;

use crate::builder::Builder;
use crate::confirm::Confirmer;
use crate::retry::Retry;
use crate::token::{Session, Token};
use crate::watch::{ClientEvent, Watcher};
use crate::world::Environment;

/// A client of one panel. Clones share the session.
#[derive(Clone)]
pub struct Client {
    pub(crate) inner: Arc<Inner>,
    pub(crate) key: Option<Arc<str>>,
}

/// State shared by clones.
pub(crate) struct Inner {
    pub(crate) http: reqwest::Client,
    pub(crate) base: Url,
    pub(crate) session: Session,
    pub(crate) retry: Retry,
    pub(crate) refresh_before: Duration,
    pub(crate) world: Arc<dyn Environment>,
    pub(crate) watcher: Option<Arc<Watcher>>,
    pub(crate) confirmer: Option<Arc<Confirmer>>,
}

impl Inner {
    pub(crate) fn notify(&self, event: &ClientEvent<'_>) {
        if let Some(watcher) = &self.watcher {
            watcher(event);
        }
    }
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client").field("base", &self.inner.base.as_str()).finish_non_exhaustive()
    }
}

impl Client {
    /// Starts building a client for the panel at `base`, such as `https://panel.example`.
    pub fn builder(base: impl Display) -> Builder {
        Builder::new(base)
    }

    pub(crate) fn new(inner: Inner) -> Self {
        Self { inner: Arc::new(inner), key: None }
    }

    /// URL of the panel.
    #[must_use]
    pub fn base(&self) -> &Url {
        &self.inner.base
    }

    /// The current token.
    #[must_use]
    pub fn token(&self) -> Option<Token> {
        self.inner.session.token()
    }

    /// The clock, timer and randomness in use.
    #[must_use]
    pub fn world(&self) -> &Arc<dyn Environment> {
        &self.inner.world
    }

    /// The same client, whose writes send this `Idempotency-Key`, so that they can be repeated without being applied twice. Use
    /// one key for one write with one body only.
    #[must_use]
    pub fn with_idempotency_key(&self, key: impl Into<Arc<str>>) -> Self {
        Self { inner: Arc::clone(&self.inner), key: Some(key.into()) }
    }

    /// The same client with a new idempotency key, for one write.
    #[must_use]
    pub fn once(&self) -> Self {
        self.with_idempotency_key(new_key())
    }
}

/// A new idempotency key.
#[must_use]
pub(crate) fn new_key() -> String {
    uuid::Uuid::new_v4().to_string()
}
