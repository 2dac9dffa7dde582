//! One outbound call as data: address, headers and body, limit of the response and timeout.

use std::time::Duration;

use chrono::DateTime;
use panel_contract::moment::Time;
use panel_kernel::foreign::{ForeignDataError, JsonLimits, check_json_within};
use reqwest::Method;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::outbound::OutboundError;

/// Default limit of a response, in bytes.
pub const MAX_RESPONSE_BYTES: usize = 1 << 20;

/// Limit of the delay that a `Retry-After` may demand: a year.
const MAX_RETRY_AFTER: Duration = Duration::from_hours(365 * 24);

/// Default limit of the number of JSON values in a response; the status of a hundred orders has a thousand.
pub const MAX_JSON_VALUES: usize = 100_000;

/// Why a response cannot be parsed as JSON.
#[derive(Debug, thiserror::Error)]
pub enum JsonError {
    /// It exceeds a limit of size or depth.
    #[error("{0}")]
    Refused(#[from] ForeignDataError),
    /// It is not JSON, or not of the expected shape.
    #[error("{0}")]
    Shape(#[from] serde_json::Error),
}

/// Purpose of a call: a label of metrics and spans, because the number of hosts is unbounded and some belong to customers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// The API of an external panel.
    ExternalPanel,
    /// The service that reads counters.
    Counter,
    /// The feed of a subscription's channel.
    ContentFeed,
    /// A delivery to a webhook's receiver.
    Webhook,
    /// Telegram's bot API.
    Telegram,
    /// The service that checks captchas.
    Captcha,
    /// The service that translates texts.
    Translator,
    /// The icon of an external panel's site.
    PanelIcon,
}

impl Purpose {
    /// The value of the label.
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

/// An outbound call.
#[derive(Debug, Clone)]
pub struct Call {
    pub(super) purpose: Purpose,
    pub(super) method: Method,
    pub(super) url: String,
    pub(super) headers: HeaderMap,
    pub(super) body: Vec<u8>,
    pub(super) max_bytes: usize,
    pub(super) truncates: bool,
    pub(super) timeout: Option<Duration>,
    invalid: Option<String>,
}

/// A response of any status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutboundResponse {
    /// 100 to 999.
    pub status: u16,
    /// The unparsed `Retry-After` header.
    pub retry_after: Option<String>,
    /// The body, or its beginning where it is truncated.
    pub body: Vec<u8>,
    /// Whether the body was longer than the limit.
    pub is_truncated: bool,
}

impl Call {
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
            invalid: None,
        }
    }

    /// A GET request of `url`.
    #[must_use]
    pub fn get(purpose: Purpose, url: &str) -> Self {
        Self::new(purpose, Method::GET, url)
    }

    /// A POST request with a body of this media type.
    #[must_use]
    pub fn post(purpose: Purpose, url: &str, media_type: &'static str, body: Vec<u8>) -> Self {
        Self { body, ..Self::new(purpose, Method::POST, url) }.header(CONTENT_TYPE.as_str(), media_type)
    }

    /// A POST request with a form.
    #[must_use]
    pub fn form<T: Serialize + ?Sized>(purpose: Purpose, url: &str, form: &T) -> Self {
        let encoded = serde_html_form::to_string(form);
        let invalid = encoded.as_ref().err().map(ToString::to_string);
        let body = encoded.unwrap_or_default().into_bytes();
        Self { invalid, ..Self::post(purpose, url, "application/x-www-form-urlencoded", body) }
    }

    /// A POST request with JSON.
    #[must_use]
    pub fn json<T: Serialize + ?Sized>(purpose: Purpose, url: &str, value: &T) -> Self {
        let encoded = serde_json::to_vec(value);
        let invalid = encoded.as_ref().err().map(ToString::to_string);
        Self { invalid, ..Self::post(purpose, url, "application/json", encoded.unwrap_or_default()) }
    }

    /// Adds a header. With an invalid value, such as one with a line break, sending the call fails.
    #[must_use]
    pub fn header(mut self, name: &'static str, value: &str) -> Self {
        match (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_str(value)) {
            (Ok(name), Ok(value)) => drop(self.headers.insert(name, value)),
            _ => self.invalid = Some(format!("the header {name} is invalid")),
        }
        self
    }

    /// Sets the limit of the response in bytes; a larger one is an error.
    #[must_use]
    pub fn max_bytes(self, max_bytes: usize) -> Self {
        Self { max_bytes, truncates: false, ..self }
    }

    /// Sets the limit of the response in bytes; a larger one is truncated.
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
        match &self.invalid {
            Some(invalid) => Err(OutboundError::Refused(invalid.clone())),
            None => Ok(self),
        }
    }
}

impl OutboundResponse {
    pub(super) fn of(status: u16, headers: &HeaderMap) -> Self {
        let retry_after = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok()).map(str::to_owned);
        Self { status, retry_after, body: Vec::new(), is_truncated: false }
    }

    /// The delay that `Retry-After` demands as a number of seconds or a date; a year at most.
    #[must_use]
    pub fn retry_after(&self, now: Time) -> Option<Duration> {
        let text = self.retry_after.as_deref()?.trim();
        let seconds = match text.parse::<i64>() {
            Ok(seconds) => seconds,
            Err(_) => DateTime::parse_from_rfc2822(text).ok()?.timestamp() - now.0 / 1_000_000,
        };
        Some(Duration::from_secs(u64::try_from(seconds).unwrap_or_default()).min(MAX_RETRY_AFTER))
    }

    /// 200 to 299.
    #[must_use]
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// The body of a success; another status is an error.
    pub fn success(self) -> Result<Vec<u8>, OutboundError> {
        if self.is_success() { Ok(self.body) } else { Err(OutboundError::Status(self.status)) }
    }

    /// The body as JSON, whatever the status: the only function that parses foreign JSON. Before parsing it refuses a body that
    /// nests deeper than [`MAX_DEPTH`](panel_kernel::foreign::MAX_DEPTH) levels or holds more than [`MAX_JSON_VALUES`] values.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, JsonError> {
        self.json_within(MAX_JSON_VALUES)
    }

    /// As [`json`](Self::json), with another limit of the number of values.
    pub fn json_within<T: DeserializeOwned>(&self, max_values: usize) -> Result<T, JsonError> {
        check_json_within(&self.body, JsonLimits { values: max_values, ..JsonLimits::default() })?;
        Ok(serde_json::from_slice(&self.body)?)
    }
}
