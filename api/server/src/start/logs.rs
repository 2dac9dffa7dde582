//! Log lines: JSON for machines, text for people; never a token, a body or a query string.

use tracing_subscriber::EnvFilter;

use panel_platform::config::{Config, LogFormat};

/// Begins to log to standard error.
pub fn init(config: &Config) -> Result<(), String> {
    // The configuration comes last, so it wins over these.
    let filter =
        EnvFilter::try_new(format!("hyper=warn,sqlx=warn,lettre=warn,reqwest=warn,{}", config.log_level))
            .map_err(|error| format!("configuration: log_level is no filter: {error}"))?;
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    let started = match config.log_format {
        LogFormat::Json => builder.json().flatten_event(true).with_current_span(false).try_init(),
        LogFormat::Text => builder.with_target(false).try_init(),
    };
    started.map_err(|error| error.to_string())
}
