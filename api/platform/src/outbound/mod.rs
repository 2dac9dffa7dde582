//! Outbound HTTP: the only module that connects to other machines. It resolves, checks and pins addresses, follows no redirects,
//! and limits sizes and times. No other module of the server creates an HTTP client.

mod call;
pub mod collector;
pub mod guard;
mod measure;
mod secret_address;
mod template;
mod unique_fields_json;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use tracing::Instrument as _;
use url::{Host, Url};

use crate::config::Outbound as Config;
use guard::AddressGuard;
use measure::CallTrace;

pub use call::{Call, JsonError, MAX_JSON_VALUES, MAX_RESPONSE_BYTES, OutboundResponse, Purpose};
pub use secret_address::may_keep_secret;
pub use template::fill_template;
pub use unique_fields_json::UniqueFieldsJson;

/// Timeout of the DNS lookup where an address is only checked.
const LOOKUP_TIMEOUT: Duration = Duration::from_secs(3);

/// Error of a call. The text is for the log and for staff, and never holds a secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OutboundError {
    /// The guard refuses the address, or the call is invalid.
    #[error("this address may not be called: {0}")]
    Refused(String),
    /// No connection: the server received nothing.
    #[error("no answer: {0}")]
    Unreached(String),
    /// No complete response in time; the server may have received the whole request.
    #[error("no answer: {0}")]
    Failed(String),
    /// A response with a status other than success.
    #[error("the other side answered {0}")]
    Status(u16),
    /// The response is larger than the limit of the call, in bytes.
    #[error("the answer is larger than {0} bytes")]
    TooLarge(usize),
}

/// HTTP client that calls only allowed addresses.
#[derive(Clone)]
pub struct Outbound {
    client: reqwest::Client,
    guard: Arc<AddressGuard>,
}

/// Resolves names to allowed addresses only, so that the client connects to the address that was checked.
struct PinnedResolver(Arc<AddressGuard>);

/// A name resolved to an address that may not be called.
#[derive(Debug, thiserror::Error)]
#[error("{0} is a private address")]
struct PrivateAddress(std::net::IpAddr);

impl Resolve for PinnedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let guard = Arc::clone(&self.0);
        Box::pin(async move {
            let addresses = resolve_allowed(&guard, name.as_str()).await?;
            Ok(Box::new(addresses.into_iter()) as Addrs)
        })
    }
}

/// All addresses of a name. One forbidden address refuses the name; otherwise a second lookup could return only that one.
async fn resolve_allowed(
    guard: &AddressGuard,
    name: &str,
) -> Result<Vec<SocketAddr>, Box<dyn std::error::Error + Send + Sync>> {
    let addresses: Vec<SocketAddr> = tokio::net::lookup_host((name, 0)).await?.collect();
    match addresses.iter().find(|address| !guard.allows(address.ip())) {
        Some(forbidden) => Err(PrivateAddress(forbidden.ip()).into()),
        None => Ok(addresses),
    }
}

impl Outbound {
    /// Creates the client.
    pub fn new(config: &Config) -> Result<Self, String> {
        let guard = Arc::new(config.guard());
        let client = build(Arc::clone(&guard), Duration::from_secs(config.seconds))
            .map_err(|error| error.to_string())?;
        Ok(Self { client, guard })
    }

    /// Makes a call and returns the response whatever its status. A redirect is returned, never followed.
    pub async fn send(&self, call: Call) -> Result<OutboundResponse, OutboundError> {
        let trace = CallTrace::begin(call.purpose, call.method.as_str());
        let response = self.read(call, &trace).instrument(trace.span()).await;
        trace.end(response)
    }

    async fn read(&self, call: Call, trace: &CallTrace) -> Result<OutboundResponse, OutboundError> {
        let call = call.into_valid()?;
        let url = self.check(&call.url)?;
        // Only the host is recorded: the rest of an address may be a secret.
        let host = url.host_str().unwrap_or_default().to_owned();
        trace.record_host(&host);
        let mut request = self.client.request(call.method, url).headers(call.headers).body(call.body);
        if let Some(timeout) = call.timeout {
            request = request.timeout(timeout);
        }
        let answer = request.send().await.map_err(|error| {
            let error = to_outbound_error(&error);
            tracing::warn!(purpose = call.purpose.as_str(), host, %error, "outbound call failed");
            error
        })?;
        let mut read = OutboundResponse::of(answer.status().as_u16(), answer.headers());
        if !call.truncates && answer.content_length().is_some_and(|length| length > call.max_bytes as u64) {
            return Err(OutboundError::TooLarge(call.max_bytes));
        }
        let mut chunks = answer.bytes_stream();
        while let Some(chunk) = chunks.next().await {
            read.body.extend_from_slice(&chunk.map_err(|error| to_outbound_error(&error))?);
            if read.body.len() > call.max_bytes {
                if !call.truncates {
                    return Err(OutboundError::TooLarge(call.max_bytes));
                }
                read.body.truncate(call.max_bytes);
                read.is_truncated = true;
                break;
            }
        }
        Ok(read)
    }

    /// Posts a form; a status other than success is an error.
    pub async fn post_form(
        &self,
        purpose: Purpose,
        url: &str,
        form: &[(&str, &str)],
    ) -> Result<OutboundResponse, OutboundError> {
        let answer = self.send(Call::form(purpose, url, form)).await?;
        if answer.is_success() { Ok(answer) } else { Err(OutboundError::Status(answer.status)) }
    }

    /// Checks an address before it is stored: its form, and the current addresses of its name. A name that does not resolve passes,
    /// because it may resolve later; each call resolves it again.
    pub async fn check_storable_address(&self, url: &str) -> Result<Url, OutboundError> {
        let url = self.check(url)?;
        if let Some(Host::Domain(name)) = url.host() {
            let lookup = tokio::time::timeout(LOOKUP_TIMEOUT, resolve_allowed(&self.guard, name)).await;
            if let Ok(Err(error)) = lookup
                && let Some(private) = error.downcast_ref::<PrivateAddress>()
            {
                return Err(OutboundError::Refused(private.to_string()));
            }
        }
        Ok(url)
    }

    /// The checks without a DNS lookup; names are checked when they are resolved.
    fn check(&self, url: &str) -> Result<Url, OutboundError> {
        self.guard.check(url).map_err(OutboundError::Refused)
    }
}

/// Describes the root cause; never names the address, which may hold a key.
fn to_outbound_error(error: &reqwest::Error) -> OutboundError {
    let mut cause: &dyn std::error::Error = error;
    while let Some(next) = cause.source() {
        cause = next;
        if let Some(private) = cause.downcast_ref::<PrivateAddress>() {
            return OutboundError::Refused(private.to_string());
        }
    }
    let what = match error {
        error if error.is_timeout() => "it took too long",
        error if error.is_connect() => "no connection",
        _ => "the call broke off",
    };
    // The text of reqwest names the address; the text of the root cause does not.
    let root_cause = std::error::Error::source(error).map(|_| cause.to_string());
    let text = root_cause.map_or_else(|| what.to_owned(), |root_cause| format!("{what} ({root_cause})"));
    if error.is_connect() { OutboundError::Unreached(text) } else { OutboundError::Failed(text) }
}

#[expect(clippy::disallowed_methods, reason = "only this module may create a client")]
fn build(guard: Arc<AddressGuard>, timeout: Duration) -> reqwest::Result<reqwest::Client> {
    reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
        .dns_resolver(Arc::new(PinnedResolver(guard)))
        .connect_timeout(Duration::from_secs(5))
        .timeout(timeout)
        .user_agent(concat!("Panel/", env!("CARGO_PKG_VERSION")))
        .build()
}

#[cfg(test)]
mod tests;
