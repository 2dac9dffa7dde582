//! The client of one panel. It is cheap to clone, and all clones use the same session.

use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;

use url::Url;

use crate::builder::Builder;
use crate::confirm::Confirmer;
use crate::environment::Environment;
use crate::events::{ClientEvent, EventHandler};
use crate::retry::RetryPolicy;
use crate::token::{Session, Token};

/// A client of one panel. Clones share connections, session and retry policy.
#[derive(Clone)]
pub struct Client {
    pub(crate) state: Arc<ClientState>,
    /// The `Idempotency-Key` of the next write.
    pub(crate) idempotency_key: Option<Arc<str>>,
}

/// State that the clones of a client share.
pub(crate) struct ClientState {
    pub(crate) http: reqwest::Client,
    pub(crate) base_url: Url,
    pub(crate) session: Session,
    pub(crate) retry_policy: RetryPolicy,
    pub(crate) refresh_lead_time: Duration,
    pub(crate) environment: Arc<dyn Environment>,
    pub(crate) event_handler: Option<Arc<EventHandler>>,
    pub(crate) confirmer: Option<Arc<Confirmer>>,
}

impl ClientState {
    pub(crate) fn notify(&self, event: &ClientEvent<'_>) {
        if let Some(event_handler) = &self.event_handler {
            event_handler(event);
        }
    }
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client").field("base_url", &self.state.base_url.as_str()).finish_non_exhaustive()
    }
}

impl Client {
    /// Starts building a client for the panel at `base_url`, such as `https://panel.example`.
    pub fn builder(base_url: impl Display) -> Builder {
        Builder::new(base_url)
    }

    pub(crate) fn new(state: ClientState) -> Self {
        Self { state: Arc::new(state), idempotency_key: None }
    }

    /// URL of the panel, without query, fragment and trailing slash.
    #[must_use]
    pub fn base_url(&self) -> &Url {
        &self.state.base_url
    }

    /// The current bearer token; `None` while signed out.
    #[must_use]
    pub fn token(&self) -> Option<Token> {
        self.state.session.token()
    }

    /// The clock, timer and randomness that the client uses.
    #[must_use]
    pub fn environment(&self) -> &Arc<dyn Environment> {
        &self.state.environment
    }

    /// A clone whose writes send this `Idempotency-Key`: the panel applies a write at most once, however often the client sends it.
    /// Use one key for one write with one body only.
    #[must_use]
    pub fn with_idempotency_key(&self, key: impl Into<Arc<str>>) -> Self {
        Self { state: Arc::clone(&self.state), idempotency_key: Some(key.into()) }
    }

    /// A clone with a new random idempotency key, for one write that may be retried.
    #[must_use]
    pub fn with_new_idempotency_key(&self) -> Self {
        self.with_idempotency_key(new_idempotency_key())
    }
}

/// A new random idempotency key.
#[must_use]
pub(crate) fn new_idempotency_key() -> String {
    uuid::Uuid::new_v4().to_string()
}
