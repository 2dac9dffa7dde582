//! Raw requests, for calls without a typed endpoint (`panelctl api`), and their responses.

use bytes::Bytes;
use reqwest::Method;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use crate::client::Client;
use crate::error::{Error, Result};

/// A request, which the client can send several times.
#[derive(Debug, Clone)]
pub struct Request {
    pub(crate) method: Method,
    /// Path below the base URL.
    pub(crate) path: String,
    pub(crate) query: Vec<(String, String)>,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Option<Bytes>,
    pub(crate) idempotency_key: Option<String>,
    /// Whether the request carries the bearer token.
    pub(crate) is_authenticated: bool,
    /// Whether the client refreshes the token for this request: before it expires, and once after a 401.
    pub(crate) may_refresh_token_first: bool,
}

impl Request {
    /// A request without query and body to a path below the URL of the panel, such as `/api/v1/admin/orders`. `method` may be in
    /// upper or lower case. Fails if the method is invalid, or if the path does not start with exactly one slash.
    pub fn new(method: &str, path: impl Into<String>) -> Result<Self> {
        let path = path.into();
        let method = Method::from_bytes(method.to_ascii_uppercase().as_bytes())
            .map_err(|_| Error::Setup(format!("{method:?} is not an HTTP method.")))?;
        if !path.starts_with('/') || path.starts_with("//") {
            return Err(Error::Setup(format!("The path {path:?} must start with one slash.")));
        }
        Ok(Self {
            method,
            path,
            query: Vec::new(),
            headers: HeaderMap::new(),
            body: None,
            idempotency_key: None,
            is_authenticated: true,
            may_refresh_token_first: true,
        })
    }

    /// Appends decoded name-value pairs to the query.
    #[must_use]
    pub fn query(mut self, pairs: Vec<(String, String)>) -> Self {
        self.query.extend(pairs);
        self
    }

    /// Sets a header. Fails if the header is invalid, or is `Authorization`, which the client sets from the session.
    pub fn header(mut self, name: &str, value: &str) -> Result<Self> {
        let invalid_header = |_| Error::Setup(format!("The header {name}: {value} is invalid."));
        let name = name.parse::<HeaderName>().map_err(|_| invalid_header(()))?;
        if name == reqwest::header::AUTHORIZATION {
            return Err(Error::Setup("The Authorization header is set by signing in.".into()));
        }
        self.headers.insert(name, HeaderValue::try_from(value).map_err(|_| invalid_header(()))?);
        Ok(self)
    }

    /// Sets the body, and its content type unless the header `Content-Type` is set already.
    #[must_use]
    pub fn body(mut self, content_type: &'static str, bytes: impl Into<Bytes>) -> Self {
        self.headers.entry(reqwest::header::CONTENT_TYPE).or_insert(HeaderValue::from_static(content_type));
        self.body = Some(bytes.into());
        self
    }

    /// Sets the `Idempotency-Key`, so that the client may retry the request even if it is a write.
    #[must_use]
    pub fn idempotency_key(mut self, key: impl Into<String>) -> Self {
        self.idempotency_key = Some(key.into());
        self
    }

    pub(crate) fn accept(mut self, media_type: &'static str) -> Self {
        self.headers.insert(reqwest::header::ACCEPT, HeaderValue::from_static(media_type));
        self
    }

    /// Whether the panel applies the request at most once, even if it arrives twice.
    pub(crate) fn is_idempotent(&self) -> bool {
        self.idempotency_key.is_some() || matches!(self.method, Method::GET | Method::HEAD)
    }

    /// Method and path, for error messages and logs.
    pub(crate) fn label(&self) -> String {
        format!("{} {}", self.method, self.path)
    }
}

/// Method, path, query and body, for `--dry-run`. Never the token or the idempotency key.
impl std::fmt::Display for Request {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.method, self.path)?;
        for (index, (name, value)) in self.query.iter().enumerate() {
            write!(f, "{}{name}={value}", if index == 0 { '?' } else { '&' })?;
        }
        match &self.body {
            Some(body) => write!(f, " {}", shorten_data_urls(&String::from_utf8_lossy(body))),
            None => Ok(()),
        }
    }
}

/// Replaces the content of each data URL in a body by an ellipsis.
fn shorten_data_urls(body: &str) -> String {
    let mut parts = body.split(";base64,");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        format!("{text};base64,…{}", part.find('"').map_or("", |quote| &part[quote..]))
    })
}

/// A complete successful response.
#[derive(Debug, Clone)]
pub struct Response {
    /// HTTP status, 200 to 299.
    pub status: u16,
    /// Response headers; `Authorization` has the new token after a sign-in.
    pub headers: HeaderMap,
    /// Raw bytes of the body; empty for a 204.
    pub body: Bytes,
}

impl Client {
    /// Sends a request with the same session, refresh and retries as a typed call. An error response of the panel is
    /// [`Error::Api`].
    pub async fn request(&self, request: &Request) -> Result<Response> {
        self.state.send(request).await
    }
}
