//! Log lines: JSON for machines, text for people. They never contain a token, a body or a query string, and no spans.

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

/// The layer that writes log lines.
pub(super) fn layer(config: &Config) -> Result<Box<dyn Layer<Registry> + Send + Sync>, String> {
    let filter = filter(config)?;
    let log_lines = fmt::layer().with_writer(std::io::stderr);
    Ok(match config.log_format {
        LogFormat::Json => {
            let log_lines =
                log_lines.json().flatten_event(true).with_current_span(false).with_span_list(false);
            log_lines.with_filter(filter).boxed()
        }
        LogFormat::Text => log_lines.with_target(false).with_filter(filter).boxed(),
    })
}

/// Selects the events that are logged. Spans are never logged.
fn filter(config: &Config) -> Result<impl Filter<Registry> + Send + Sync + use<>, String> {
    // The configuration comes last, so it wins over these.
    let library_levels = "hyper=warn,sqlx=warn,lettre=warn,reqwest=warn,opentelemetry=warn,opentelemetry_sdk=warn,opentelemetry_otlp=warn";
    let filter = EnvFilter::try_new(format!("{library_levels},{}", config.log_level))
        .map_err(|error| format!("configuration: log_level is not a valid filter: {error}"))?;
    // Never `always`: when a library checks whether a level is enabled, as sqlx does for each statement, the result stays in
    // its thread, and an event without its own check is then dropped by that result.
    let is_event = dynamic_filter_fn(|meta, _| !meta.is_span()).with_callsite_filter(|meta| {
        // A span without an interested layer is disabled at creation and costs nothing.
        if meta.is_span() { Interest::never() } else { Interest::sometimes() }
    });
    Ok(filter.and(is_event))
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
    fn no_line_is_lost_when_a_library_checks_a_level() {
        let event_count = Arc::default();
        let log_lines =
            EventCounter(Arc::clone(&event_count)).with_filter(filter(&Config::default()).unwrap());
        tracing::subscriber::with_default(registry().with(log_lines), || {
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
                assert!(tracing::enabled!(tracing::Level::INFO), "events are enabled");
            });
        }
    }
}
