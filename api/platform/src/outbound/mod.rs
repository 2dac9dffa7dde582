//! The HTTP client of the server. It resolves, checks and pins addresses, follows no redirects, and limits sizes and times. No
//! other module may create an HTTP client.

pub mod collector;
pub mod guard;
mod measure;
mod request;
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

use crate::config::OutboundConfig;
use guard::AddressGuard;
use measure::RequestTrace;

pub use request::{
    JsonError, MAX_JSON_VALUES, MAX_RESPONSE_BYTES, OutboundRequest, OutboundResponse, Purpose,
};
pub use secret_address::may_keep_secret;
pub use template::fill_template;
pub use unique_fields_json::UniqueFieldsJson;

/// Timeout of the DNS lookup in [`OutboundClient::check_url_before_storing`].
const LOOKUP_TIMEOUT: Duration = Duration::from_secs(3);

/// Why a request has no usable response. The text is for the log and for staff, and never contains a secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OutboundError {
    /// The guard does not allow the address; the request was not sent.
    #[error("this address may not be called: {0}")]
    ForbiddenAddress(String),
    /// A header or the body cannot be encoded; the request was not sent.
    #[error("the request is invalid: {0}")]
    InvalidRequest(String),
    /// There was no connection: the other server received nothing.
    #[error("no response: {0}")]
    NotConnected(String),
    /// No complete response in time; the server may have received the whole request.
    #[error("no response: {0}")]
    NoCompleteResponse(String),
    /// The status of the response is not a success.
    #[error("the response has the status {0}")]
    Status(u16),
    /// The response is larger than the limit of the request, in bytes.
    #[error("the response is larger than {0} bytes")]
    TooLarge(usize),
}

/// An HTTP client that sends requests only to allowed addresses.
#[derive(Clone)]
pub struct OutboundClient {
    client: reqwest::Client,
    guard: Arc<AddressGuard>,
}

/// Resolves names to allowed addresses only, so that the client connects to the address that was checked.
struct PinnedResolver(Arc<AddressGuard>);

/// The error of a name that resolves to an address that the server may not call.
#[derive(Debug, thiserror::Error)]
#[error("{0} is a private address")]
struct PrivateAddress(std::net::IpAddr);

impl Resolve for PinnedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let guard = Arc::clone(&self.0);
        Box::pin(async move {
            let addresses = resolve_allowed_addresses(&guard, name.as_str()).await?;
            Ok(Box::new(addresses.into_iter()) as Addrs)
        })
    }
}

/// Resolves all addresses of a name. One forbidden address is an error, because a second lookup could return only that address.
async fn resolve_allowed_addresses(
    guard: &AddressGuard,
    name: &str,
) -> Result<Vec<SocketAddr>, Box<dyn std::error::Error + Send + Sync>> {
    let addresses: Vec<SocketAddr> = tokio::net::lookup_host((name, 0)).await?.collect();
    match addresses.iter().find(|address| !guard.allows(address.ip())) {
        Some(forbidden) => Err(PrivateAddress(forbidden.ip()).into()),
        None => Ok(addresses),
    }
}

impl OutboundClient {
    pub fn new(config: &OutboundConfig) -> Result<Self, String> {
        let guard = Arc::new(config.guard());
        let client = build_client(Arc::clone(&guard), Duration::from_secs(config.timeout_seconds))
            .map_err(|error| error.to_string())?;
        Ok(Self { client, guard })
    }

    /// Sends a request and returns the response, regardless of its status. It returns a redirect as the response and never follows it.
    pub async fn send(&self, request: OutboundRequest) -> Result<OutboundResponse, OutboundError> {
        let trace = RequestTrace::begin(request.purpose, request.method.as_str());
        let response = self.send_and_read(request, &trace).instrument(trace.span()).await;
        trace.end(response)
    }

    async fn send_and_read(
        &self,
        request: OutboundRequest,
        trace: &RequestTrace,
    ) -> Result<OutboundResponse, OutboundError> {
        let request = request.into_valid()?;
        let url = self.check(&request.url)?;
        // The other parts of an address may be secret.
        let host = url.host_str().unwrap_or_default().to_owned();
        trace.record_host(&host);
        let mut http_request =
            self.client.request(request.method, url).headers(request.headers).body(request.body);
        if let Some(timeout) = request.timeout {
            http_request = http_request.timeout(timeout);
        }
        let http_response = http_request.send().await.map_err(|error| {
            let error = to_outbound_error(&error);
            tracing::warn!(purpose = request.purpose.as_str(), host, %error, "outbound request failed");
            error
        })?;
        let mut response =
            OutboundResponse::from_head(http_response.status().as_u16(), http_response.headers());
        let exceeds_limit = |length: u64| length > request.max_bytes as u64;
        if !request.truncates && http_response.content_length().is_some_and(exceeds_limit) {
            return Err(OutboundError::TooLarge(request.max_bytes));
        }
        let mut chunks = http_response.bytes_stream();
        while let Some(chunk) = chunks.next().await {
            response.body.extend_from_slice(&chunk.map_err(|error| to_outbound_error(&error))?);
            if response.body.len() > request.max_bytes {
                if !request.truncates {
                    return Err(OutboundError::TooLarge(request.max_bytes));
                }
                response.body.truncate(request.max_bytes);
                response.is_truncated = true;
                break;
            }
        }
        Ok(response)
    }

    /// Posts a form; a response whose status is not a success is an error.
    pub async fn post_form(
        &self,
        purpose: Purpose,
        url: &str,
        form: &[(&str, &str)],
    ) -> Result<OutboundResponse, OutboundError> {
        let response = self.send(OutboundRequest::form(purpose, url, form)).await?;
        if response.is_success() { Ok(response) } else { Err(OutboundError::Status(response.status)) }
    }

    /// Checks an address before the caller stores it: its form, and the IP addresses to which its name resolves now. Accepts a name
    /// that does not resolve, because it may resolve later and each request resolves it again.
    pub async fn check_url_before_storing(&self, url: &str) -> Result<Url, OutboundError> {
        let url = self.check(url)?;
        if let Some(Host::Domain(name)) = url.host() {
            let lookup =
                tokio::time::timeout(LOOKUP_TIMEOUT, resolve_allowed_addresses(&self.guard, name)).await;
            if let Ok(Err(error)) = lookup
                && let Some(private) = error.downcast_ref::<PrivateAddress>()
            {
                return Err(OutboundError::ForbiddenAddress(private.to_string()));
            }
        }
        Ok(url)
    }

    /// Makes all checks that need no DNS lookup; [`PinnedResolver`] checks names.
    fn check(&self, url: &str) -> Result<Url, OutboundError> {
        self.guard.check(url).map_err(OutboundError::ForbiddenAddress)
    }
}

/// Converts an error of the HTTP client. The text describes the root cause and never contains the address, which may contain a key.
fn to_outbound_error(error: &reqwest::Error) -> OutboundError {
    let mut cause: &dyn std::error::Error = error;
    while let Some(next) = cause.source() {
        cause = next;
        if let Some(private) = cause.downcast_ref::<PrivateAddress>() {
            return OutboundError::ForbiddenAddress(private.to_string());
        }
    }
    let summary = match error {
        error if error.is_timeout() => "timeout",
        error if error.is_connect() => "no connection",
        _ => "the connection ended before the response was complete",
    };
    // The text of reqwest contains the address; the text of the root cause does not.
    let root_cause = std::error::Error::source(error).map(|_| cause.to_string());
    let text =
        root_cause.map_or_else(|| summary.to_owned(), |root_cause| format!("{summary} ({root_cause})"));
    if error.is_connect() {
        OutboundError::NotConnected(text)
    } else {
        OutboundError::NoCompleteResponse(text)
    }
}

#[expect(clippy::disallowed_methods, reason = "only this module may create a client")]
fn build_client(guard: Arc<AddressGuard>, timeout: Duration) -> reqwest::Result<reqwest::Client> {
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
