//! Builds a client from the URL of the panel, the session and the retry policy.

use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;

use panel_contract::session::ConfirmInput;
use url::{Host, Url};

use crate::client::{Client, ClientState};
use crate::confirm::Confirmer;
use crate::environment::{Environment, SystemEnvironment};
use crate::error::{Error, Result};
use crate::events::{ClientEvent, EventHandler};
use crate::retry::RetryPolicy;
use crate::token::{NoTokenStore, Session, Token, TokenStore};

/// Timeout for the TCP and TLS handshakes of a new connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// A call fails if no bytes arrive for this time. The largest bulk action takes a few seconds.
const READ_TIMEOUT: Duration = Duration::from_secs(120);

/// Builder of a [`Client`].
#[must_use]
pub struct Builder {
    base_url: String,
    token: Option<Token>,
    store: Arc<dyn TokenStore>,
    user_agent: String,
    retry_policy: RetryPolicy,
    refresh_lead_time: Duration,
    environment: Arc<dyn Environment>,
    event_handler: Option<Arc<EventHandler>>,
    confirmer: Option<Arc<Confirmer>>,
    allow_http: bool,
}

impl Builder {
    pub(crate) fn new(base_url: impl Display) -> Self {
        Self {
            base_url: base_url.to_string(),
            token: None,
            store: Arc::new(NoTokenStore),
            user_agent: concat!("panel-client/", env!("CARGO_PKG_VERSION")).to_owned(),
            retry_policy: RetryPolicy::default(),
            refresh_lead_time: Duration::from_secs(24 * 3_600),
            environment: Arc::new(SystemEnvironment),
            event_handler: None,
            confirmer: None,
            allow_http: false,
        }
    }

    /// Uses this bearer token instead of a stored one. The client never refreshes it.
    pub fn token(mut self, text: impl Into<String>) -> Self {
        self.token = Some(Token { text: text.into(), expires_at: None });
        self
    }

    /// Loads the token from `store` and saves each new token there. Default: the token is in memory only.
    pub fn token_store(mut self, store: impl TokenStore) -> Self {
        self.store = Arc::new(store);
        self
    }

    /// Whether the client may send the password and the token over plain http to another machine. Allow it only in networks in
    /// which you trust every machine. Default: false. Plain http to this machine is always allowed.
    pub fn allow_http(mut self, is_allowed: bool) -> Self {
        self.allow_http = is_allowed;
        self
    }

    /// Sets the `User-Agent` header, which the panel shows in the list of sessions. Default: `panel-client/VERSION`.
    pub fn user_agent(mut self, name: impl Into<String>) -> Self {
        self.user_agent = name.into();
        self
    }

    /// Sets the retry policy. Default: [`RetryPolicy::default`].
    pub fn retry_policy(mut self, policy: RetryPolicy) -> Self {
        self.retry_policy = policy;
        self
    }

    /// Refreshes a token that expires in less than `lead_time`. Default: one day.
    pub fn refresh_lead_time(mut self, lead_time: Duration) -> Self {
        self.refresh_lead_time = lead_time;
        self
    }

    /// Replaces clock, timer and randomness, for tests.
    pub fn environment(mut self, environment: impl Environment) -> Self {
        self.environment = Arc::new(environment);
        self
    }

    /// Calls `handler` after every request, before every wait and after every refresh of the token.
    pub fn on_event(mut self, handler: impl Fn(&ClientEvent<'_>) + Send + Sync + 'static) -> Self {
        self.event_handler = Some(Arc::new(handler));
        self
    }

    /// Calls `prompt` for a password or code when the panel requires a confirmation of the caller's identity, and then sends the
    /// call again. Without a prompt such a call fails with the code `confirmation_required`.
    pub fn confirm_with<F>(mut self, prompt: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Option<ConfirmInput>> + Send + 'static,
    {
        self.confirmer = Some(Arc::new(move || Box::pin(prompt())));
        self
    }

    /// Builds the client. Fails if the URL is invalid, or is http to another machine without [`Builder::allow_http`].
    #[expect(clippy::disallowed_methods, reason = "the client library opens the connections to the panel")]
    pub fn build(self) -> Result<Client> {
        let base_url = parse_base_url(&self.base_url, self.allow_http)?;
        let http = reqwest::Client::builder()
            .user_agent(&self.user_agent)
            .connect_timeout(CONNECT_TIMEOUT)
            .read_timeout(READ_TIMEOUT)
            // A redirect could send the token to another server, or turn a POST into a GET.
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|error| Error::Setup(format!("Cannot set up the HTTP client: {error}.")))?;
        Ok(Client::new(ClientState {
            http,
            base_url,
            session: Session::new(self.token, self.store),
            retry_policy: self.retry_policy,
            refresh_lead_time: self.refresh_lead_time,
            environment: self.environment,
            event_handler: self.event_handler,
            confirmer: self.confirmer,
        }))
    }
}

/// Parses the URL of a panel. A path prefix stays; query, fragment and trailing slashes are removed.
fn parse_base_url(text: &str, allow_http: bool) -> Result<Url> {
    let invalid_url = |reason: &str| {
        Error::Setup(format!("{text:?} is not the URL of a panel: {reason}, such as https://panel.example."))
    };
    let mut url = Url::parse(text.trim()).map_err(|error| invalid_url(&error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err(invalid_url("it must be http or https"));
    }
    if url.scheme() == "http" && !allow_http && !is_loopback(&url) {
        return Err(Error::Setup(format!(
            "{text:?} would send the password and the token in plain text: write https. For a network in which you trust every machine, PANELCTL_ALLOW_HTTP=1 allows http."
        )));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(invalid_url("it must not contain a user or password"));
    }
    url.set_query(None);
    url.set_fragment(None);
    let path = url.path().trim_end_matches('/').to_owned();
    url.set_path(&path);
    Ok(url)
}

/// Whether the URL is a loopback address: such requests cross no network.
fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_urls() {
        let parse = |text| parse_base_url(text, false);
        assert_eq!(parse("https://a.example/panel/?x#y").unwrap().path(), "/panel");
        assert_eq!(parse(" http://127.0.0.1:8080 ").unwrap().as_str(), "http://127.0.0.1:8080/");
        for invalid in ["a.example", "ftp://a.example", "https://u:p@a.example", "", "file:///etc"] {
            assert!(parse(invalid).is_err(), "{invalid}");
        }
    }

    #[test]
    fn rejects_plain_http_to_another_machine_unless_it_is_allowed() {
        for local in
            ["http://localhost:8080", "http://127.0.0.1", "http://127.9.9.9:1", "http://[::1]:8080/panel"]
        {
            assert!(parse_base_url(local, false).is_ok(), "{local}");
        }
        for remote in [
            "http://panel.example",
            "http://10.0.0.7:8080",
            "http://localhost.example",
            "http://[2001:db8::1]",
        ] {
            let error = parse_base_url(remote, false).unwrap_err().to_string();
            assert!(error.contains("write https") && error.contains("PANELCTL_ALLOW_HTTP=1"), "{error}");
            assert!(parse_base_url(remote, true).is_ok(), "{remote}");
        }
        assert!(parse_base_url("ftp://panel.example", true).is_err());
    }
}
