//! Calls to the trace collector of the operator. The configuration names its address, which is usually private, so this client
//! does not reject private addresses. No other request may use it.

use std::time::Duration;

use bytes::Bytes;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};

/// Timeout of one request. If the collector is slow, the full queue of the exporter drops spans, and no request waits.
const TIMEOUT: Duration = Duration::from_secs(10);

const PROTOBUF_MEDIA_TYPE: &str = "application/x-protobuf";

/// A client that sends batches of spans to one address.
#[derive(Clone)]
pub struct CollectorClient {
    client: reqwest::Client,
    url: String,
    authorization: Option<HeaderValue>,
}

// Not derived: the address and the header may be secrets.
impl std::fmt::Debug for CollectorClient {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CollectorClient").finish_non_exhaustive()
    }
}

impl CollectorClient {
    /// Creates a client for requests to `url`. Returns an error if the value of the authorization header is invalid.
    #[expect(clippy::disallowed_methods, reason = "only this module may create a client")]
    pub fn new(url: &str, authorization: Option<&str>) -> Result<Self, String> {
        let client = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .connect_timeout(Duration::from_secs(5))
            .timeout(TIMEOUT)
            .user_agent(concat!("Panel/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| error.to_string())?;
        let authorization = authorization.map(HeaderValue::from_str).transpose();
        let mut authorization = authorization.map_err(|_| {
            "configuration: telemetry.otlp_authorization is not a valid header value".to_owned()
        })?;
        if let Some(value) = &mut authorization {
            value.set_sensitive(true);
        }
        Ok(Self { client, url: url.to_owned(), authorization })
    }

    /// Posts a batch and returns the status of the response, without reading its body. An error does not name the address.
    pub async fn post(&self, batch: Bytes) -> Result<u16, String> {
        let mut request = self.client.post(&self.url).header(CONTENT_TYPE, PROTOBUF_MEDIA_TYPE).body(batch);
        if let Some(authorization) = &self.authorization {
            request = request.header(AUTHORIZATION, authorization);
        }
        let response = request.send().await.map_err(|error| super::to_outbound_error(&error).to_string())?;
        Ok(response.status().as_u16())
    }
}
