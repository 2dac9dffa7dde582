//! Log lines as JSON or as text. They must never contain a token, a request body, a query string or a span.

use tracing::subscriber::Interest;
use tracing_subscriber::filter::{FilterExt as _, dynamic_filter_fn};
use tracing_subscriber::layer::{Filter, Layer, SubscriberExt as _};
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Registry, fmt, registry};

use panel_platform::config::{Config, LogFormat};

/// Starts logging to standard error, without recording spans.
pub fn init(config: &Config) -> Result<(), String> {
    registry().with(layer(config)?).try_init().map_err(|error| error.to_string())
}

pub(super) fn layer(config: &Config) -> Result<Box<dyn Layer<Registry> + Send + Sync>, String> {
    let event_filter = event_filter(config)?;
    let log_layer = fmt::layer().with_writer(std::io::stderr);
    Ok(match config.log_format {
        LogFormat::Json => {
            let json_layer =
                log_layer.json().flatten_event(true).with_current_span(false).with_span_list(false);
            json_layer.with_filter(event_filter).boxed()
        }
        LogFormat::Text => log_layer.with_target(false).with_filter(event_filter).boxed(),
    })
}

/// Selects the events to log. Spans are never logged.
fn event_filter(config: &Config) -> Result<impl Filter<Registry> + Send + Sync + use<>, String> {
    // The configured levels follow these defaults, so they take precedence.
    let library_levels = "hyper=warn,sqlx=warn,lettre=warn,reqwest=warn,opentelemetry=warn,opentelemetry_sdk=warn,opentelemetry_otlp=warn";
    let level_filter = EnvFilter::try_new(format!("{library_levels},{}", config.log_level))
        .map_err(|error| format!("configuration: log_level is not a valid filter: {error}"))?;
    // The interest must never be `always`. If a library checks whether a level is enabled, as sqlx does for each statement, tracing
    // stores the result for the thread; an event with the interest `always` has no check of its own and would be dropped because of
    // the stored result.
    let is_event = dynamic_filter_fn(|meta, _| !meta.is_span()).with_callsite_filter(|meta| {
        // A span without an interested layer is disabled when it is created, and costs nothing.
        if meta.is_span() { Interest::never() } else { Interest::sometimes() }
    });
    Ok(level_filter.and(is_event))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use panel_platform::telemetry::spans;
    use tracing::Event;
    use tracing_subscriber::layer::Context;

    use super::*;

    struct EventCounter(Arc<AtomicUsize>);

    impl Layer<Registry> for EventCounter {
        fn on_event(&self, _: &Event<'_>, _: Context<'_, Registry>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn no_log_line_is_lost_after_a_library_checks_a_level() {
        let event_count = Arc::default();
        let counting_layer =
            EventCounter(Arc::clone(&event_count)).with_filter(event_filter(&Config::default()).unwrap());
        tracing::subscriber::with_default(registry().with(counting_layer), || {
            for _ in 0..2 {
                assert!(!tracing::enabled!(target: "sqlx::query", tracing::Level::DEBUG));
                tracing::error!("a line");
            }
        });
        assert_eq!(event_count.load(Ordering::Relaxed), 2);
    }

    #[test]
    fn spans_are_disabled_without_an_exporter() {
        for log_format in [LogFormat::Json, LogFormat::Text] {
            let config = Config { log_format, log_level: "trace".into(), ..Config::default() };
            let subscriber = registry().with(layer(&config).unwrap());
            tracing::subscriber::with_default(subscriber, || {
                assert!(spans::request("GET", "/healthz", "id").is_disabled());
                assert!(tracing::enabled!(tracing::Level::INFO), "events must stay enabled");
            });
        }
    }
}
