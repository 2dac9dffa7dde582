//! Exports spans with OTLP over HTTP if the configuration names a collector. Otherwise the process records no spans.
//!
//! The exporter runs in a separate thread behind a queue. If the collector is slow or unreachable, spans are lost, but no request
//! waits.

use std::pin::Pin;
use std::time::Duration;

use opentelemetry::KeyValue;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{Sampler, SdkTracerProvider};
use tokio::runtime::Handle;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::{Layer as _, SubscriberExt as _};
use tracing_subscriber::registry;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::start::logs;
use panel_platform::config::{Config, TelemetryConfig};
use panel_platform::outbound::collector::CollectorClient;

/// Timeout for sending the last spans during the shutdown.
const LAST_EXPORT_TIMEOUT: Duration = Duration::from_secs(3);

/// Exports spans until it is shut down.
#[must_use = "call shutdown, or the last spans are lost"]
pub(crate) struct Telemetry(Option<SdkTracerProvider>);

impl Telemetry {
    /// Starts logging. If an endpoint is configured, also starts exporting spans.
    pub(crate) fn init(config: &Config) -> Result<Self, String> {
        let Some(endpoint) = &config.telemetry.otlp_endpoint else {
            return logs::init(config).map(|()| Self(None));
        };
        let provider = build_provider(&config.telemetry, endpoint)?;
        // Exports only spans of this project, because spans of libraries may contain URLs.
        let is_project_span = filter_fn(|meta| meta.is_span() && meta.target().starts_with("panel_"));
        let span_layer = tracing_opentelemetry::layer()
            .with_tracer(provider.tracer("panel"))
            .with_location(false)
            .with_threads(false)
            .with_target(false)
            .with_tracked_inactivity(false)
            .with_filter(is_project_span);
        registry()
            .with(logs::layer(config)?)
            .with(span_layer)
            .try_init()
            .map_err(|error| error.to_string())?;
        Ok(Self(Some(provider)))
    }

    /// Sends the remaining spans.
    pub(crate) async fn shutdown(self) {
        let Some(provider) = self.0 else { return };
        // The shutdown waits for the exporter's thread, which needs this runtime, so it must not block a runtime thread.
        let shutdown_result =
            tokio::task::spawn_blocking(move || provider.shutdown_with_timeout(LAST_EXPORT_TIMEOUT));
        if let Ok(Err(error)) = shutdown_result.await {
            tracing::warn!(%error, "failed to export the last spans");
        }
    }
}

#[expect(clippy::float_arithmetic, reason = "the sampler takes a fraction from 0 to 1")]
fn build_provider(config: &TelemetryConfig, endpoint: &str) -> Result<SdkTracerProvider, String> {
    let sender = SpanSender {
        collector: CollectorClient::new(endpoint, config.otlp_authorization.as_deref())?,
        runtime: Handle::current(),
    };
    let exporter = SpanExporter::builder()
        .with_http()
        .with_protocol(Protocol::HttpBinary)
        .with_endpoint(endpoint)
        .with_http_client(sender)
        .build()
        .map_err(|error| format!("cannot start the span exporter: {error}"))?;
    let sampled_fraction = f64::from(config.sample_percent) / 100.0;
    let resource = Resource::builder_empty()
        .with_service_name(config.service_name.clone())
        .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
        .with_attribute(KeyValue::new("service.instance.id", uuid::Uuid::now_v7().simple().to_string()))
        .build();
    Ok(SdkTracerProvider::builder()
        .with_batch_exporter(exporter)
        .with_sampler(Sampler::ParentBased(Box::new(Sampler::TraceIdRatioBased(sampled_fraction))))
        .with_resource(resource)
        .build())
}

/// Sends the exporter's requests to the configured address, with no header but the configured one.
#[derive(Debug)]
struct SpanSender {
    collector: CollectorClient,
    /// Opens the connections, because the exporter's thread has no async runtime.
    runtime: Handle,
}

impl HttpClient for SpanSender {
    // This signature is what `async_trait` generates.
    fn send_bytes<'life0, 'async_trait>(
        &'life0 self,
        request: Request<Bytes>,
    ) -> Pin<Box<dyn Future<Output = Result<Response<Bytes>, HttpError>> + Send + 'async_trait>>
    where
        'life0: 'async_trait,
        Self: 'async_trait,
    {
        let collector = self.collector.clone();
        let response = self.runtime.spawn(async move { collector.post(request.into_body()).await });
        Box::pin(async move {
            let status = response.await??;
            Ok(Response::builder().status(status).body(Bytes::new())?)
        })
    }
}
