//! Raw requests, for calls without a typed endpoint (`panelctl api`), and their responses.

use bytes::Bytes;
use reqwest::Method;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use crate::client::Client;
use crate::error::{Error, Result};

/// A request, with all data that is needed to send it again.
#[derive(Debug, Clone)]
pub struct Request {
    pub(crate) method: Method,
    /// Path below the base URL.
    pub(crate) path: String,
    pub(crate) query: Vec<(String, String)>,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Option<Bytes>,
    pub(crate) key: Option<String>,
    /// Whether it sends the bearer token.
    pub(crate) signed: bool,
    /// Whether a 401 leads to a refresh and one more attempt.
    pub(crate) refreshes: bool,
}

impl Request {
    /// A request to a path such as `/api/v1/admin/orders`; `method` in upper or lower case. Fails for an invalid method or path.
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
            key: None,
            signed: true,
            refreshes: true,
        })
    }

    /// Adds pairs to the query.
    #[must_use]
    pub fn query(mut self, pairs: Vec<(String, String)>) -> Self {
        self.query.extend(pairs);
        self
    }

    /// Sets a header. Fails for an invalid header and for `Authorization`, which the client sets.
    pub fn header(mut self, name: &str, value: &str) -> Result<Self> {
        let wrong = |_| Error::Setup(format!("The header {name}: {value} is invalid."));
        let name = name.parse::<HeaderName>().map_err(|_| wrong(()))?;
        if name == reqwest::header::AUTHORIZATION {
            return Err(Error::Setup("The Authorization header is set by signing in.".into()));
        }
        self.headers.insert(name, HeaderValue::try_from(value).map_err(|_| wrong(()))?);
        Ok(self)
    }

    /// Sets the body and its content type.
    #[must_use]
    pub fn body(mut self, content_type: &'static str, bytes: impl Into<Bytes>) -> Self {
        self.headers.entry(reqwest::header::CONTENT_TYPE).or_insert(HeaderValue::from_static(content_type));
        self.body = Some(bytes.into());
        self
    }

    /// Sets the `Idempotency-Key`, which makes the request repeatable.
    #[must_use]
    pub fn idempotency_key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    pub(crate) fn accept(mut self, what: &'static str) -> Self {
        self.headers.insert(reqwest::header::ACCEPT, HeaderValue::from_static(what));
        self
    }

    /// Whether it can be sent twice without being applied twice.
    pub(crate) fn is_repeatable(&self) -> bool {
        self.key.is_some() || matches!(self.method, Method::GET | Method::HEAD)
    }

    /// For error messages and logs.
    pub(crate) fn what(&self) -> String {
        format!("{} {}", self.method, self.path)
    }
}

/// Method, path, query and body, for `--dry-run`. Never the token or the key.
impl std::fmt::Display for Request {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.method, self.path)?;
        for (at, (name, value)) in self.query.iter().enumerate() {
            write!(f, "{}{name}={value}", if at == 0 { '?' } else { '&' })?;
        }
        match &self.body {
            Some(body) => write!(f, " {}", without_files(&String::from_utf8_lossy(body))),
            None => Ok(()),
        }
    }
}

/// A body without the content of its data URLs.
fn without_files(body: &str) -> String {
    let mut parts = body.split(";base64,");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |shown, part| {
        format!("{shown};base64,…{}", part.find('"').map_or("", |end| &part[end..]))
    })
}

/// A whole answer that is no error.
#[derive(Debug, Clone)]
pub struct Answer {
    /// HTTP status, 200 to 299.
    pub status: u16,
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body.
    pub body: Bytes,
}

impl Client {
    /// Sends a request with the session, refresh and retries of every other call. An error answer is an error.
    pub async fn request(&self, request: &Request) -> Result<Answer> {
        self.inner.send(request).await
    }
}
