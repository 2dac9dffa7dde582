//! One call as data: where to, with what, how much of the answer is read and how long it may take.

use std::time::Duration;

use chrono::DateTime;
use panel_contract::moment::Time;
use panel_kernel::foreign::{ForeignDataError, JsonLimits, check_json_within};
use reqwest::Method;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::outbound::OutboundError;

/// Largest answer that is read, where the caller says nothing.
pub const LARGEST_ANSWER: usize = 1 << 20;

/// Seconds; no other side is believed that it wants more rest.
const LONGEST_RETRY_AFTER: Duration = Duration::from_hours(365 * 24);

/// Values of an answer whose reader says nothing; the status of a hundred orders has a thousand.
pub const MOST_VALUES: usize = 100_000;

/// Why an answer is not read as JSON.
#[derive(Debug, thiserror::Error)]
pub enum UnreadableJson {
    /// It is out of bounds.
    #[error("{0}")]
    Refused(#[from] ForeignDataError),
    /// It is no JSON, or not of the expected shape.
    #[error("{0}")]
    Shape(#[from] serde_json::Error),
}

/// What a call is for: a label of metrics and spans, since hosts have no bound and some of them are customers'.
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
    /// As the label has it.
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

/// A call to the outside.
#[derive(Debug, Clone)]
pub struct Call {
    pub(super) purpose: Purpose,
    pub(super) method: Method,
    pub(super) url: String,
    pub(super) headers: HeaderMap,
    pub(super) body: Vec<u8>,
    pub(super) largest: usize,
    pub(super) cuts: bool,
    pub(super) patience: Option<Duration>,
    wrong: Option<String>,
}

/// An answer, whatever its status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// 100 to 999.
    pub status: u16,
    /// `Retry-After`, as it came.
    pub retry_after: Option<String>,
    /// The body, or its beginning.
    pub body: Vec<u8>,
    /// Whether more came than was read.
    pub is_cut: bool,
}

impl Call {
    fn new(purpose: Purpose, method: Method, url: &str) -> Self {
        Self {
            purpose,
            method,
            url: url.to_owned(),
            headers: HeaderMap::new(),
            body: Vec::new(),
            largest: LARGEST_ANSWER,
            cuts: false,
            patience: None,
            wrong: None,
        }
    }

    /// Reads from `url`.
    #[must_use]
    pub fn get(purpose: Purpose, url: &str) -> Self {
        Self::new(purpose, Method::GET, url)
    }

    /// Posts bytes of a type.
    #[must_use]
    pub fn post(purpose: Purpose, url: &str, media_type: &'static str, body: Vec<u8>) -> Self {
        Self { body, ..Self::new(purpose, Method::POST, url) }.header(CONTENT_TYPE.as_str(), media_type)
    }

    /// Posts a form.
    #[must_use]
    pub fn form<T: Serialize + ?Sized>(purpose: Purpose, url: &str, form: &T) -> Self {
        let encoded = serde_html_form::to_string(form);
        let wrong = encoded.as_ref().err().map(ToString::to_string);
        let body = encoded.unwrap_or_default().into_bytes();
        Self { wrong, ..Self::post(purpose, url, "application/x-www-form-urlencoded", body) }
    }

    /// Posts JSON.
    #[must_use]
    pub fn json<T: Serialize + ?Sized>(purpose: Purpose, url: &str, value: &T) -> Self {
        let encoded = serde_json::to_vec(value);
        let wrong = encoded.as_ref().err().map(ToString::to_string);
        Self { wrong, ..Self::post(purpose, url, "application/json", encoded.unwrap_or_default()) }
    }

    /// With a header. A value that is none (a line break in it) refuses the call.
    #[must_use]
    pub fn header(mut self, name: &'static str, value: &str) -> Self {
        match (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_str(value)) {
            (Ok(name), Ok(value)) => drop(self.headers.insert(name, value)),
            _ => self.wrong = Some(format!("the header {name} cannot be sent")),
        }
        self
    }

    /// An answer of more bytes is an error.
    #[must_use]
    pub fn at_most(self, largest: usize) -> Self {
        Self { largest, cuts: false, ..self }
    }

    /// Of a larger answer only so many bytes are read.
    #[must_use]
    pub fn cut_at(self, largest: usize) -> Self {
        Self { largest, cuts: true, ..self }
    }

    /// May take so long instead of what is configured.
    #[must_use]
    pub fn within(self, patience: Duration) -> Self {
        Self { patience: Some(patience), ..self }
    }

    pub(super) fn sound(self) -> Result<Self, OutboundError> {
        match &self.wrong {
            Some(wrong) => Err(OutboundError::Refused(wrong.clone())),
            None => Ok(self),
        }
    }
}

impl Answer {
    pub(super) fn of(status: u16, headers: &HeaderMap) -> Self {
        let retry_after = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok()).map(str::to_owned);
        Self { status, retry_after, body: Vec::new(), is_cut: false }
    }

    /// The wait, a year at most, that `Retry-After` asks for: it is a number of seconds, or a date.
    #[must_use]
    pub fn retry_after(&self, now: Time) -> Option<Duration> {
        let text = self.retry_after.as_deref()?.trim();
        let seconds = match text.parse::<i64>() {
            Ok(seconds) => seconds,
            Err(_) => DateTime::parse_from_rfc2822(text).ok()?.timestamp() - now.0 / 1_000_000,
        };
        Some(Duration::from_secs(u64::try_from(seconds).unwrap_or_default()).min(LONGEST_RETRY_AFTER))
    }

    /// 200 to 299.
    #[must_use]
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// The body of a success; anything else is an error.
    pub fn success(self) -> Result<Vec<u8>, OutboundError> {
        if self.is_success() { Ok(self.body) } else { Err(OutboundError::Status(self.status)) }
    }

    /// The body as JSON, whatever the status: the only way by which JSON from outside is read. What nests deeper than
    /// [`MAX_DEPTH`](panel_kernel::foreign::MAX_DEPTH) levels or holds more than [`MOST_VALUES`] values is refused before the parser sees it.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, UnreadableJson> {
        self.json_of(MOST_VALUES)
    }

    /// As [`json`](Self::json), for an answer that may hold so many values.
    pub fn json_of<T: DeserializeOwned>(&self, most_values: usize) -> Result<T, UnreadableJson> {
        check_json_within(&self.body, JsonLimits { values: most_values, ..JsonLimits::default() })?;
        Ok(serde_json::from_slice(&self.body)?)
    }
}
