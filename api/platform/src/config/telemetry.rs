//! Configuration of traces. Metrics need no configuration: `/metrics` serves them.

use serde::{Deserialize, Serialize};
use url::Url;

use crate::config::is_this_machine;

/// Export of spans. Without an endpoint the server records no spans.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TelemetryConfig {
    /// The address of a collector for OTLP over HTTP, such as `http://127.0.0.1:4318/v1/traces`.
    pub otlp_endpoint: Option<String>,
    /// The `Authorization` header of the requests to the collector.
    pub otlp_authorization: Option<String>,
    /// The percentage of traces that the server records, 0 to 100.
    pub sample_percent: u8,
    /// The name of the service in traces.
    pub service_name: String,
}

impl Default for TelemetryConfig {
    fn default() -> Self {
        Self {
            otlp_endpoint: None,
            otlp_authorization: None,
            sample_percent: 100,
            service_name: "panel-server".into(),
        }
    }
}

// Not derived: the header is a secret, and the address may contain one.
impl std::fmt::Debug for TelemetryConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TelemetryConfig")
            .field("is_on", &self.otlp_endpoint.is_some())
            .field("sample_percent", &self.sample_percent)
            .field("service_name", &self.service_name)
            .finish_non_exhaustive()
    }
}

impl TelemetryConfig {
    pub(super) fn check(&self) -> Result<(), String> {
        if self.sample_percent > 100 {
            return Err("configuration: telemetry.sample_percent must be 0 to 100".into());
        }
        if self.service_name.is_empty() {
            return Err("configuration: telemetry.service_name must not be empty".into());
        }
        let Some(endpoint) = &self.otlp_endpoint else { return Ok(()) };
        let url = Url::parse(endpoint).ok().filter(|url| ["http", "https"].contains(&url.scheme()));
        let Some(url) = url else {
            return Err(
                "configuration: telemetry.otlp_endpoint must be an absolute http(s) address, such as http://127.0.0.1:4318/v1/traces"
                    .into(),
            );
        };
        if self.otlp_authorization.is_some() && url.scheme() == "http" && !is_this_machine(url.host_str()) {
            return Err(
                "configuration: telemetry.otlp_endpoint must be https if telemetry.otlp_authorization is set, because the header is a secret"
                    .into(),
            );
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_to_send_the_secret_unencrypted_to_another_machine() {
        let config = |endpoint: &str, authorization: Option<&str>| TelemetryConfig {
            otlp_endpoint: Some(endpoint.into()),
            otlp_authorization: authorization.map(str::to_owned),
            ..TelemetryConfig::default()
        };
        TelemetryConfig::default().check().unwrap();
        config("http://collector.example/v1/traces", None).check().unwrap();
        config("http://127.0.0.1:4318/v1/traces", Some("Bearer x")).check().unwrap();
        config("https://collector.example/v1/traces", Some("Bearer x")).check().unwrap();
        assert!(config("http://collector.example/v1/traces", Some("Bearer x")).check().is_err());
        assert!(config("collector:4318", None).check().is_err());
        assert!(TelemetryConfig { sample_percent: 101, ..TelemetryConfig::default() }.check().is_err());
        assert!(
            !format!("{:?}", config("https://key@collector.example", Some("Bearer x"))).contains("Bearer")
        );
    }
}
