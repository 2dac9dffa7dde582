//! Builds a client: the panel's URL, the session, and the retry policy.

use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;

use panel_contract::session::ConfirmInput;
use url::{Host, Url};

use crate::client::{Client, Inner};
use crate::confirm::Confirmer;
use crate::error::{Error, Result};
use crate::retry::Retry;
use crate::token::{InMemory, Session, Token, TokenStore};
use crate::watch::{ClientEvent, Watcher};
use crate::world::{Environment, SystemEnvironment};

/// Longest time for TCP and TLS of a new connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Timeout without received bytes; the largest bulk action takes seconds.
const READ_TIMEOUT: Duration = Duration::from_secs(120);

/// Builder of a [`Client`].
#[must_use]
pub struct Builder {
    base: String,
    token: Option<Token>,
    store: Arc<dyn TokenStore>,
    user_agent: String,
    retry: Retry,
    refresh_before: Duration,
    world: Arc<dyn Environment>,
    watcher: Option<Arc<Watcher>>,
    confirmer: Option<Arc<Confirmer>>,
    allow_http: bool,
}

impl Builder {
    pub(crate) fn new(base: impl Display) -> Self {
        Self {
            base: base.to_string(),
            token: None,
            store: Arc::new(InMemory),
            user_agent: concat!("panel-client/", env!("CARGO_PKG_VERSION")).to_owned(),
            retry: Retry::default(),
            refresh_before: Duration::from_secs(24 * 3_600),
            world: Arc::new(SystemEnvironment),
            watcher: None,
            confirmer: None,
            allow_http: false,
        }
    }

    /// Uses this token, which is never refreshed.
    pub fn token(mut self, text: impl Into<String>) -> Self {
        self.token = Some(Token { text: text.into(), expires_at: None });
        self
    }

    /// Reads the token from a store, and saves new ones there.
    pub fn token_store(mut self, store: impl TokenStore) -> Self {
        self.store = Arc::new(store);
        self
    }

    /// Whether the password and the token may be sent over plain http to another machine. Only for networks in which every
    /// machine is trusted. Default: no. Plain http to this machine is always allowed.
    pub fn allow_http(mut self, is_allowed: bool) -> Self {
        self.allow_http = is_allowed;
        self
    }

    /// Name of the program in the panel's session list.
    pub fn user_agent(mut self, name: impl Into<String>) -> Self {
        self.user_agent = name.into();
        self
    }

    /// Retry policy.
    pub fn retry(mut self, retry: Retry) -> Self {
        self.retry = retry;
        self
    }

    /// Refreshes a token this long before it expires. Default: one day.
    pub fn refresh_before(mut self, left: Duration) -> Self {
        self.refresh_before = left;
        self
    }

    /// Clock, timer and randomness, for tests.
    pub fn world(mut self, world: impl Environment) -> Self {
        self.world = Arc::new(world);
        self
    }

    /// Calls `watcher` for every request, wait and refresh.
    pub fn watch(mut self, watcher: impl Fn(&ClientEvent<'_>) + Send + Sync + 'static) -> Self {
        self.watcher = Some(Arc::new(watcher));
        self
    }

    /// Asks for a password or code if the panel requires a confirmation, and then repeats the refused call. Without it the call
    /// fails with the code `confirmation_required`.
    pub fn confirm_with<F>(mut self, ask: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Option<ConfirmInput>> + Send + 'static,
    {
        self.confirmer = Some(Arc::new(move || Box::pin(ask())));
        self
    }

    /// Builds the client. Fails if the URL is invalid or uses http without permission.
    #[expect(clippy::disallowed_methods, reason = "the client library opens the connections to the panel")]
    pub fn build(self) -> Result<Client> {
        let base = base_url(&self.base, self.allow_http)?;
        let http = reqwest::Client::builder()
            .user_agent(&self.user_agent)
            .connect_timeout(CONNECT_TIMEOUT)
            .read_timeout(READ_TIMEOUT)
            // A redirect could send the token to another server, or turn a POST into a GET.
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|error| Error::Setup(format!("Cannot set up the HTTP client: {error}.")))?;
        Ok(Client::new(Inner {
            http,
            base,
            session: Session::new(self.token, self.store),
            retry: self.retry,
            refresh_before: self.refresh_before,
            world: self.world,
            watcher: self.watcher,
            confirmer: self.confirmer,
        }))
    }
}

/// Parses a URL; a path prefix is kept.
fn base_url(text: &str, allow_http: bool) -> Result<Url> {
    let wrong = |why: &str| {
        Error::Setup(format!("{text:?} is not the URL of a panel: {why}, such as https://panel.example."))
    };
    let mut url = Url::parse(text.trim()).map_err(|error| wrong(&error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err(wrong("it must be http or https"));
    }
    if url.scheme() == "http" && !allow_http && !is_this_machine(&url) {
        return Err(Error::Setup(format!(
            "{text:?} would send the password and the token in plain text: write https. For a network in which you trust every machine, PANELCTL_ALLOW_HTTP=1 allows http."
        )));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(wrong("it must not contain a user or password"));
    }
    url.set_query(None);
    url.set_fragment(None);
    let path = url.path().trim_end_matches('/').to_owned();
    url.set_path(&path);
    Ok(url)
}

/// Requests to this machine cross no network.
fn is_this_machine(url: &Url) -> bool {
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
        let base_url = |text| base_url(text, false);
        assert_eq!(base_url("https://a.example/panel/?x#y").unwrap().path(), "/panel");
        assert_eq!(base_url(" http://127.0.0.1:8080 ").unwrap().as_str(), "http://127.0.0.1:8080/");
        for bad in ["a.example", "ftp://a.example", "https://u:p@a.example", "", "file:///etc"] {
            assert!(base_url(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn plain_http_is_for_this_machine_unless_it_is_allowed() {
        for here in
            ["http://localhost:8080", "http://127.0.0.1", "http://127.9.9.9:1", "http://[::1]:8080/panel"]
        {
            assert!(base_url(here, false).is_ok(), "{here}");
        }
        for remote in [
            "http://panel.example",
            "http://10.0.0.7:8080",
            "http://localhost.example",
            "http://[2001:db8::1]",
        ] {
            let refused = base_url(remote, false).unwrap_err().to_string();
            assert!(
                refused.contains("write https") && refused.contains("PANELCTL_ALLOW_HTTP=1"),
                "{refused}"
            );
            assert!(base_url(remote, true).is_ok(), "{remote}");
        }
        assert!(base_url("ftp://panel.example", true).is_err());
    }
}
