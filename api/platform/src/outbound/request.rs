//! Builds one outbound request (address, headers, body, limit of the response, timeout), and reads its response.

use std::time::Duration;

use chrono::DateTime;
use panel_contract::moment::Time;
use panel_kernel::untrusted_data::{JsonLimits, UntrustedDataError, check_json_within};
use reqwest::Method;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::outbound::OutboundError;

/// Default limit of a response, in bytes.
pub const MAX_RESPONSE_BYTES: usize = 1 << 20;

/// Upper bound of the delay that the panel accepts from a `Retry-After` header: a year.
const MAX_RETRY_AFTER: Duration = Duration::from_hours(365 * 24);

/// Default limit of the number of JSON values in a response; the status of a hundred orders has a thousand.
pub const MAX_JSON_VALUES: usize = 100_000;

/// Why a response cannot be parsed as JSON.
#[derive(Debug, thiserror::Error)]
pub enum JsonError {
    /// The response exceeds a limit of size or depth.
    #[error("{0}")]
    LimitExceeded(#[from] UntrustedDataError),
    /// The response is not JSON, or has another shape than expected.
    #[error("{0}")]
    Invalid(#[from] serde_json::Error),
}

/// The purpose of a request. Metrics and spans have the purpose as a label and not the host, because the number of hosts is
/// unbounded and some hosts belong to customers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// The API of an external panel.
    ExternalPanel,
    /// The service that returns public counts of an ordered link, such as its likes or views.
    Counter,
    /// The feed of a channel for which a customer ordered a subscription.
    ContentFeed,
    Webhook,
    Telegram,
    Captcha,
    Translator,
    /// The icon of the site of an external panel.
    PanelIcon,
}

impl Purpose {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ExternalPanel => "external_panel",
            Self::Counter => "counter",
            Self::ContentFeed => "content_feed",
            Self::Webhook => "webhook",
            Self::Telegram => "telegram",
            Self::Captcha => "captcha",
            Self::Translator => "translator",
            Self::PanelIcon => "panel_icon",
        }
    }
}

/// A request that [`OutboundClient::send`](super::OutboundClient::send) sends.
#[derive(Debug, Clone)]
pub struct OutboundRequest {
    pub(super) purpose: Purpose,
    pub(super) method: Method,
    pub(super) url: String,
    pub(super) headers: HeaderMap,
    pub(super) body: Vec<u8>,
    pub(super) max_bytes: usize,
    /// Whether a response longer than `max_bytes` is truncated instead of an error.
    pub(super) truncates: bool,
    /// `None` for the configured timeout.
    pub(super) timeout: Option<Duration>,
    /// Why the request cannot be sent, such as an invalid header.
    build_error: Option<String>,
}

/// A response of any status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutboundResponse {
    /// 100 to 999.
    pub status: u16,
    /// The unparsed header `Retry-After`.
    pub retry_after: Option<String>,
    pub body: Vec<u8>,
    /// Whether `body` is only the beginning of a response that exceeds the limit.
    pub is_truncated: bool,
}

impl OutboundRequest {
    fn new(purpose: Purpose, method: Method, url: &str) -> Self {
        Self {
            purpose,
            method,
            url: url.to_owned(),
            headers: HeaderMap::new(),
            body: Vec::new(),
            max_bytes: MAX_RESPONSE_BYTES,
            truncates: false,
            timeout: None,
            build_error: None,
        }
    }

    #[must_use]
    pub fn get(purpose: Purpose, url: &str) -> Self {
        Self::new(purpose, Method::GET, url)
    }

    #[must_use]
    pub fn post(purpose: Purpose, url: &str, media_type: &'static str, body: Vec<u8>) -> Self {
        Self { body, ..Self::new(purpose, Method::POST, url) }.header(CONTENT_TYPE.as_str(), media_type)
    }

    /// Builds a POST request with a URL-encoded form.
    #[must_use]
    pub fn form<T: Serialize + ?Sized>(purpose: Purpose, url: &str, form: &T) -> Self {
        let encoded = serde_html_form::to_string(form);
        let build_error = encoded.as_ref().err().map(ToString::to_string);
        let body = encoded.unwrap_or_default().into_bytes();
        Self { build_error, ..Self::post(purpose, url, "application/x-www-form-urlencoded", body) }
    }

    /// Builds a POST request with a JSON body.
    #[must_use]
    pub fn json<T: Serialize + ?Sized>(purpose: Purpose, url: &str, value: &T) -> Self {
        let encoded = serde_json::to_vec(value);
        let build_error = encoded.as_ref().err().map(ToString::to_string);
        Self { build_error, ..Self::post(purpose, url, "application/json", encoded.unwrap_or_default()) }
    }

    /// Adds a header. If the value is invalid, for example because of a line break, sending the request fails.
    #[must_use]
    pub fn header(mut self, name: &'static str, value: &str) -> Self {
        match (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_str(value)) {
            (Ok(name), Ok(value)) => drop(self.headers.insert(name, value)),
            _ => self.build_error = Some(format!("the header {name} is invalid")),
        }
        self
    }

    /// Limits the response to so many bytes; a larger response is an error.
    #[must_use]
    pub fn max_bytes(self, max_bytes: usize) -> Self {
        Self { max_bytes, truncates: false, ..self }
    }

    /// Limits the response to so many bytes; a larger response is truncated.
    #[must_use]
    pub fn truncate_at(self, max_bytes: usize) -> Self {
        Self { max_bytes, truncates: true, ..self }
    }

    /// Replaces the configured timeout.
    #[must_use]
    pub fn with_timeout(self, timeout: Duration) -> Self {
        Self { timeout: Some(timeout), ..self }
    }

    pub(super) fn into_valid(self) -> Result<Self, OutboundError> {
        match &self.build_error {
            Some(error) => Err(OutboundError::InvalidRequest(error.clone())),
            None => Ok(self),
        }
    }
}

impl OutboundResponse {
    pub(super) fn from_head(status: u16, headers: &HeaderMap) -> Self {
        let retry_after = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok()).map(str::to_owned);
        Self { status, retry_after, body: Vec::new(), is_truncated: false }
    }

    /// Parses the delay of `Retry-After`, which is a number of seconds or a date; at most a year.
    #[must_use]
    pub fn retry_after(&self, now: Time) -> Option<Duration> {
        let text = self.retry_after.as_deref()?.trim();
        let seconds = match text.parse::<i64>() {
            Ok(seconds) => seconds,
            Err(_) => DateTime::parse_from_rfc2822(text).ok()?.timestamp() - now.0 / 1_000_000,
        };
        Some(Duration::from_secs(u64::try_from(seconds).unwrap_or_default()).min(MAX_RETRY_AFTER))
    }

    /// Whether the status is 200 to 299.
    #[must_use]
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Returns the body; an error if the status is not a success.
    pub fn into_success_body(self) -> Result<Vec<u8>, OutboundError> {
        if self.is_success() { Ok(self.body) } else { Err(OutboundError::Status(self.status)) }
    }

    /// Parses the body as JSON, regardless of the status. This function is the only one that parses JSON of other systems.
    /// Before it parses a body, it rejects a body that nests deeper than [`MAX_DEPTH`](panel_kernel::untrusted_data::MAX_DEPTH) levels or contains more than
    /// [`MAX_JSON_VALUES`] values.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, JsonError> {
        self.json_with_max_values(MAX_JSON_VALUES)
    }

    /// As [`json`](Self::json), with another limit for the number of values.
    pub fn json_with_max_values<T: DeserializeOwned>(&self, max_values: usize) -> Result<T, JsonError> {
        check_json_within(&self.body, JsonLimits { values: max_values, ..JsonLimits::default() })?;
        Ok(serde_json::from_slice(&self.body)?)
    }
}
