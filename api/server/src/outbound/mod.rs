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

/// A name led to an address that may not be called.
#[derive(Debug, thiserror::Error)]
#[error("{0} is a private address")]
struct Private(std::net::IpAddr);

impl Resolve for PinnedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let guard = Arc::clone(&self.0);
        Box::pin(async move {
            let found: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            // One bad address refuses the name: else a second look-up could be steered to it.
            if let Some(bad) = found.iter().find(|address| !guard.allows(address.ip())) {
                return Err(Private(bad.ip()).into());
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
        let answer = self.client.post(url).form(form).send().await.map_err(|error| failed(&error))?;
        if !answer.status().is_success() {
            return Err(OutboundError::Status(answer.status().as_u16()));
        }
        let mut body = Vec::new();
        let mut chunks = answer.bytes_stream();
        while let Some(chunk) = chunks.next().await {
            body.extend_from_slice(&chunk.map_err(|error| failed(&error))?);
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
    OutboundError::Failed(below.map_or_else(|| what.to_owned(), |below| format!("{what} ({below})")))
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
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;

    fn local() -> Outbound {
        let allowed_networks = vec!["127.0.0.0/8".parse().unwrap()];
        Outbound::new(&Config { allowed_networks, allow_http: true, seconds: 2 }).unwrap()
    }

    /// Answers every connection with these bytes; its address.
    async fn answering(answer: Vec<u8>) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            loop {
                let (mut socket, _) = listener.accept().await.unwrap();
                let answer = answer.clone();
                tokio::spawn(async move {
                    drop(socket.read(&mut [0; 4_096]).await);
                    drop(socket.write_all(&answer).await);
                });
            }
        });
        format!("http://{address}/")
    }

    #[tokio::test]
    async fn names_that_lead_inside_are_refused() {
        let guarded = Outbound::new(&Config { allow_http: true, ..Config::default() }).unwrap();
        for url in ["http://localhost:1/", "https://localhost/", "https://127.0.0.1/"] {
            let refused = guarded.post_form(url, &[]).await.unwrap_err();
            assert!(matches!(refused, OutboundError::Refused(_)), "{url}: {refused}");
        }
    }

    #[tokio::test]
    async fn redirects_are_not_followed_and_answers_are_limited() {
        let inside = answering(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nno".to_vec()).await;
        let moved = format!("HTTP/1.1 307 Moved\r\nlocation: {inside}\r\ncontent-length: 0\r\n\r\n");
        let moved = local().post_form(&answering(moved.into_bytes()).await, &[]).await.unwrap_err();
        assert!(matches!(moved, OutboundError::Status(307)), "{moved}");
        assert_eq!(local().post_form(&inside, &[("a", "b")]).await.unwrap(), b"no");
        let mut large = b"HTTP/1.1 200 OK\r\ncontent-length: 2000000\r\n\r\n".to_vec();
        large.resize(2_000_100, b'x');
        let large = local().post_form(&answering(large).await, &[]).await.unwrap_err();
        assert!(matches!(large, OutboundError::TooLarge), "{large}");
    }

    #[tokio::test]
    async fn a_failure_names_no_address() {
        let nobody = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
        let error = local().post_form(&format!("http://{nobody}/?key=hidden"), &[]).await.unwrap_err();
        assert!(matches!(&error, OutboundError::Failed(text) if !text.contains("hidden")), "{error}");
    }
}
