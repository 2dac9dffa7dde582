//! Log lines: JSON for machines, text for people; never a token, a body or a query string. Spans are no part of them.

use tracing_subscriber::filter::{FilterExt as _, filter_fn};
use tracing_subscriber::layer::{Layer, SubscriberExt as _};
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Registry, fmt, registry};

use panel_platform::config::{Config, LogFormat};

/// Begins to log to standard error, and records no spans.
pub fn init(config: &Config) -> Result<(), String> {
    registry().with(layer(config)?).try_init().map_err(|error| error.to_string())
}

/// What writes log lines.
pub(super) fn layer(config: &Config) -> Result<Box<dyn Layer<Registry> + Send + Sync>, String> {
    // The configuration comes last, so it wins over these.
    let quiet = "hyper=warn,sqlx=warn,lettre=warn,reqwest=warn,opentelemetry=warn,opentelemetry_sdk=warn,opentelemetry_otlp=warn";
    let filter = EnvFilter::try_new(format!("{quiet},{}", config.log_level))
        .map_err(|error| format!("configuration: log_level is no filter: {error}"))?;
    // A span that no layer is interested in is disabled where it is made, and costs nothing.
    let filter = filter.and(filter_fn(|meta| !meta.is_span()));
    let lines = fmt::layer().with_writer(std::io::stderr);
    Ok(match config.log_format {
        LogFormat::Json => {
            let lines = lines.json().flatten_event(true).with_current_span(false).with_span_list(false);
            lines.with_filter(filter).boxed()
        }
        LogFormat::Text => lines.with_target(false).with_filter(filter).boxed(),
    })
}

#[cfg(test)]
mod tests {
    use panel_platform::telemetry::spans;

    use super::*;

    #[test]
    fn spans_are_disabled_where_only_lines_are_written() {
        for log_format in [LogFormat::Json, LogFormat::Text] {
            let config = Config { log_format, log_level: "trace".into(), ..Config::default() };
            let subscriber = registry().with(layer(&config).unwrap());
            tracing::subscriber::with_default(subscriber, || {
                assert!(spans::request("GET", "/healthz", "id").is_disabled());
                assert!(tracing::enabled!(tracing::Level::INFO), "events are not");
            });
        }
    }
}
