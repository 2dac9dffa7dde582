//! The only place that opens connections to the outside. Addresses are resolved, checked and pinned; redirects are
//! not followed; sizes and times are limited. Nothing else in the server makes an HTTP client.

mod call;
pub mod collector;
mod distinct;
pub mod guard;
mod measure;
mod secret_address;
mod template;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use tracing::Instrument as _;
use url::{Host, Url};

use crate::config::Outbound as Config;
use guard::Guard;
use measure::CallTrace;

pub use call::{Answer, Call, LARGEST_ANSWER, MOST_VALUES, Purpose, UnreadableJson};
pub use distinct::Distinct;
pub use secret_address::secret_stays;
pub use template::fill;

/// How long the look-up of a name may take when an address is only checked.
const LOOK_UP: Duration = Duration::from_secs(3);

/// Why a call was not made or not answered. The text is for the log and for staff, never holds a secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OutboundError {
    /// The address may not be called.
    #[error("this address may not be called: {0}")]
    Refused(String),
    /// No connection: the other side received nothing.
    #[error("no answer: {0}")]
    Unreached(String),
    /// No answer in time, or none that could be read; the other side may have received the whole request.
    #[error("no answer: {0}")]
    Failed(String),
    /// An answer that is not a success.
    #[error("the other side answered {0}")]
    Status(u16),
    /// More than is read.
    #[error("the answer is larger than {0} bytes")]
    TooLarge(usize),
}

/// The guarded client.
#[derive(Clone)]
pub struct Outbound {
    client: reqwest::Client,
    guard: Arc<Guard>,
}

/// Resolves names and hands on only addresses that may be called, so that what was checked is what is dialled.
struct PinnedResolver(Arc<Guard>);

/// A name led to an address that may not be called.
#[derive(Debug, thiserror::Error)]
#[error("{0} is a private address")]
struct Private(std::net::IpAddr);

impl Resolve for PinnedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let guard = Arc::clone(&self.0);
        Box::pin(async move {
            let found = resolved(&guard, name.as_str()).await?;
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

/// All addresses of a name, when all may be called: one bad address refuses the name, else a second look-up could be
/// steered to it.
async fn resolved(
    guard: &Guard,
    name: &str,
) -> Result<Vec<SocketAddr>, Box<dyn std::error::Error + Send + Sync>> {
    let found: Vec<SocketAddr> = tokio::net::lookup_host((name, 0)).await?.collect();
    match found.iter().find(|address| !guard.allows(address.ip())) {
        Some(bad) => Err(Private(bad.ip()).into()),
        None => Ok(found),
    }
}

impl Outbound {
    /// Makes the client.
    pub fn new(config: &Config) -> Result<Self, String> {
        let guard = Arc::new(config.guard());
        let client = build(Arc::clone(&guard), Duration::from_secs(config.seconds))
            .map_err(|error| error.to_string())?;
        Ok(Self { client, guard })
    }

    /// Makes a call; every answer is one, whatever its status. Redirects are answers too, never followed.
    pub async fn send(&self, call: Call) -> Result<Answer, OutboundError> {
        let measured = CallTrace::begin(call.purpose, call.method.as_str());
        let answer = self.read(call, &measured).instrument(measured.span()).await;
        measured.end(answer)
    }

    async fn read(&self, call: Call, trace: &CallTrace) -> Result<Answer, OutboundError> {
        let call = call.sound()?;
        let url = self.check(&call.url)?;
        // The host alone: the rest of an address may be a secret.
        let host = url.host_str().unwrap_or_default().to_owned();
        trace.to_host(&host);
        let mut request = self.client.request(call.method, url).headers(call.headers).body(call.body);
        if let Some(patience) = call.patience {
            request = request.timeout(patience);
        }
        let answer = request.send().await.map_err(|error| {
            let error = failed(&error);
            tracing::warn!(purpose = call.purpose.as_str(), host, %error, "outbound call failed");
            error
        })?;
        let mut read = Answer::of(answer.status().as_u16(), answer.headers());
        if !call.cuts && answer.content_length().is_some_and(|length| length > call.largest as u64) {
            return Err(OutboundError::TooLarge(call.largest));
        }
        let mut chunks = answer.bytes_stream();
        while let Some(chunk) = chunks.next().await {
            read.body.extend_from_slice(&chunk.map_err(|error| failed(&error))?);
            if read.body.len() > call.largest {
                if !call.cuts {
                    return Err(OutboundError::TooLarge(call.largest));
                }
                read.body.truncate(call.largest);
                read.is_cut = true;
                break;
            }
        }
        Ok(read)
    }

    /// Posts a form; an answer that is no success is an error.
    pub async fn post_form(
        &self,
        purpose: Purpose,
        url: &str,
        form: &[(&str, &str)],
    ) -> Result<Answer, OutboundError> {
        let answer = self.send(Call::form(purpose, url, form)).await?;
        if answer.is_success() { Ok(answer) } else { Err(OutboundError::Status(answer.status)) }
    }

    /// Whether an address that is to be stored may be called: its form, and the addresses of its name now. A name that does
    /// not resolve today may resolve tomorrow; each call resolves it again.
    pub async fn admits(&self, url: &str) -> Result<Url, OutboundError> {
        let url = self.check(url)?;
        if let Some(Host::Domain(name)) = url.host() {
            let look = tokio::time::timeout(LOOK_UP, resolved(&self.guard, name)).await;
            if let Ok(Err(error)) = look
                && let Some(private) = error.downcast_ref::<Private>()
            {
                return Err(OutboundError::Refused(private.to_string()));
            }
        }
        Ok(url)
    }

    /// The checks that need no look-up; names are checked when they are resolved.
    fn check(&self, url: &str) -> Result<Url, OutboundError> {
        self.guard.check(url).map_err(OutboundError::Refused)
    }
}

/// What went wrong at the bottom; never the address, which may hold a key.
fn failed(error: &reqwest::Error) -> OutboundError {
    let mut cause: &dyn std::error::Error = error;
    while let Some(next) = cause.source() {
        cause = next;
        if let Some(private) = cause.downcast_ref::<Private>() {
            return OutboundError::Refused(private.to_string());
        }
    }
    let what = match error {
        error if error.is_timeout() => "it took too long",
        error if error.is_connect() => "no connection",
        _ => "the call broke off",
    };
    // reqwest's own text names the address; the text of the cause below it does not.
    let below = std::error::Error::source(error).map(|_| cause.to_string());
    let text = below.map_or_else(|| what.to_owned(), |below| format!("{what} ({below})"));
    if error.is_connect() { OutboundError::Unreached(text) } else { OutboundError::Failed(text) }
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

#[cfg(test)]
mod tests;
