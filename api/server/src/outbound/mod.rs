//! The only place that opens connections to the outside. Addresses are resolved, checked and pinned; redirects are
//! not followed; sizes and times are limited. Nothing else in the server makes an HTTP client.

pub mod guard;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::Url;

use crate::config::Outbound as Config;
use guard::Guard;

/// Largest answer that is read.
const LARGEST_ANSWER: usize = 1 << 20;

/// Why a call was not made or not answered. The text is for the log and for staff, never holds a secret.
#[derive(Debug, thiserror::Error)]
pub enum OutboundError {
    /// The address may not be called.
    #[error("this address may not be called: {0}")]
    Refused(String),
    /// No answer in time, or none that could be read.
    #[error("no answer: {0}")]
    Failed(String),
    /// An answer that is not a success.
    #[error("the other side answered {0}")]
    Status(u16),
    /// More than is read.
    #[error("the answer is larger than {LARGEST_ANSWER} bytes")]
    TooLarge,
}

/// The guarded client.
#[derive(Clone)]
pub struct Outbound {
    client: reqwest::Client,
    guard: Arc<Guard>,
}

/// Resolves names and hands on only addresses that may be called, so that what was checked is what is dialled.
struct PinnedResolver(Arc<Guard>);

impl Resolve for PinnedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let guard = Arc::clone(&self.0);
        Box::pin(async move {
            let found: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            // One bad address refuses the name: else a second look-up could be steered to it.
            if let Some(bad) = found.iter().find(|address| !guard.allows(address.ip())) {
                return Err(format!("{} is a private address", bad.ip()).into());
            }
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

impl Outbound {
    /// Makes the client.
    pub fn new(config: &Config) -> Result<Self, String> {
        let guard = Arc::new(Guard::new(config.allowed_networks.clone(), config.allow_http));
        let client = build(Arc::clone(&guard), Duration::from_secs(config.seconds))
            .map_err(|error| error.to_string())?;
        Ok(Self { client, guard })
    }

    /// Posts a form and reads the answer of a success.
    pub async fn post_form(&self, url: &str, form: &[(&str, &str)]) -> Result<Vec<u8>, OutboundError> {
        let url = self.check(url)?;
        let failed = |error: reqwest::Error| OutboundError::Failed(error.without_url().to_string());
        let answer = self.client.post(url).form(form).send().await.map_err(failed)?;
        if !answer.status().is_success() {
            return Err(OutboundError::Status(answer.status().as_u16()));
        }
        let mut body = Vec::new();
        let mut chunks = answer.bytes_stream();
        while let Some(chunk) = chunks.next().await {
            body.extend_from_slice(&chunk.map_err(failed)?);
            if body.len() > LARGEST_ANSWER {
                return Err(OutboundError::TooLarge);
            }
        }
        Ok(body)
    }

    /// The checks that need no look-up; names are checked when they are resolved.
    fn check(&self, url: &str) -> Result<Url, OutboundError> {
        self.guard.check(url).map_err(OutboundError::Refused)
    }
}

#[expect(clippy::disallowed_methods, reason = "this is the room that may make a client")]
fn build(guard: Arc<Guard>, timeout: Duration) -> reqwest::Result<reqwest::Client> {
    reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
        .dns_resolver(Arc::new(PinnedResolver(guard)))
        .connect_timeout(Duration::from_secs(5))
        .timeout(timeout)
        .user_agent(concat!("Panel/", env!("CARGO_PKG_VERSION")))
        .build()
}
