//! `panel-server demo`: a panel to look at, on this machine only, with accounts whose passwords everybody knows.
//!
//! Never touches another panel's data: it has a folder (or a database) of its own.

pub mod accounts;
mod channels;
mod live;
mod upstreams;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use ipnet::IpNet;
use panel_demo::accounts::{ACCOUNTS, PASSWORD};
use panel_demo::{fill, pictures};
use panel_kernel::clock::SystemClock;
use panel_kernel::random::Random;

use crate::app::App;
use crate::pricing::available::IS_AVAILABLE;
use crate::start::folder_lock;
use crate::start::listening::{StopSignals, listen, serve_until_signal};
use crate::start::telemetry::Telemetry;
use crate::start::terminal::tell;
use panel_platform::config::{Config, LogFormat};

/// How the demo is made.
#[derive(Debug, Clone, Args)]
pub struct Options {
    /// Where to listen; loopback only.
    #[arg(long)]
    pub listen: Option<SocketAddr>,
    /// Its folder, made when it is not there.
    #[arg(long, default_value = "data/demo")]
    pub data: PathBuf,
    /// How many orders a new demo gets.
    #[arg(long, default_value_t = 50_000, value_parser = clap::value_parser!(i64).range(0..=50_000_000))]
    pub orders: i64,
    /// How many customers a new demo gets.
    #[arg(long, default_value_t = 2_500, value_parser = clap::value_parser!(i64).range(1..=5_000_000))]
    pub users: i64,
    /// The same number makes the same records.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Ends when the records are made.
    #[arg(long)]
    pub only_fill: bool,
    /// Nobody orders and nothing is delivered: for tests that count.
    #[arg(long)]
    pub still: bool,
}

/// Makes the demo when it is new, says how to sign in, and serves it.
pub async fn run(config: Config, options: Options) -> Result<(), String> {
    let config = of_demo(config, &options)?;
    let telemetry = Telemetry::init(&config)?;
    let shown = show(config, options).await;
    telemetry.shutdown().await;
    shown
}

async fn show(mut config: Config, options: Options) -> Result<(), String> {
    let _lock = folder_lock::take(&config)?;
    let listener = if options.only_fill { None } else { Some(listen(&mut config).await?) };
    let address = config.address();
    let app = App::start(config, Arc::new(SystemClock), Random::system()).await?;
    accounts::make(&app).await.map_err(|error| error.report("").message)?;
    let size = fill::Size { orders: options.orders, users: options.users, seed: options.seed };
    let report = |step: &str| tell(&format!("Making records: {step}"));
    let is_new = fill::fill(&app.db, size, app.clock.now(), IS_AVAILABLE, report)
        .await
        .map_err(|error| error.to_string())?;
    if is_new {
        pictures::fill(&app, options.seed).await.map_err(|error| error.report("").message)?;
        upstreams::fill(&app).await.map_err(|error| error.report("").message)?;
    }
    let Some(listener) = listener else {
        app.db.close().await;
        return Ok(());
    };
    let stop = StopSignals::register()?;
    tell(&format!("The demo listens on {address}"));
    for account in ACCOUNTS {
        tell(&format!("  {} / {}", account.email, PASSWORD));
    }
    // They answer as long as they are held.
    let panels = if options.still {
        Vec::new()
    } else {
        live::connect(&app).await.map_err(|error| error.report("").message)?
    };
    let _feeds = match options.still {
        true => None,
        false => Some(channels::connect(&app).await.map_err(|error| error.report("").message)?),
    };
    if !panels.is_empty() {
        tell(&format!(
            "{} external panels of its own deliver, customers order every few seconds, and channels publish every few minutes.",
            panels.len()
        ));
        tokio::spawn(live::order(app.clone(), app.stop.subscribe()));
    }
    serve_until_signal(app, listener, stop).await
}

/// The configuration with what makes it a demo.
fn of_demo(mut config: Config, options: &Options) -> Result<Config, String> {
    config.data_dir.clone_from(&options.data);
    config.listen = options.listen.unwrap_or(config.listen);
    if !config.listen.ip().is_loopback() {
        return Err("the demo's passwords are known to everybody, so it listens on loopback only: use --listen 127.0.0.1:8080".into());
    }
    if config.mail.smtp_url.take().is_some() {
        tell("The demo sends no mail; it writes it to its folder.");
    }
    config.mail.folder = Some(options.data.join("mail"));
    if options.still {
        // Its external panels and channels are made up: nobody answers there.
        config.panels.balance_minutes = 0;
        config.subscriptions.look_minutes = 0;
    }
    // What moves is to be seen moving.
    config.counter.minutes = 1;
    // Its external panels are on this machine.
    config.outbound.allow_http = true;
    config.outbound.allowed_networks.push(IpNet::from(IpAddr::V4(Ipv4Addr::LOCALHOST)));
    config.log_format = LogFormat::Text;
    if config.log_level == Config::default().log_level {
        // Filling takes a few long statements; they are no news.
        config.log_level = "warn,sqlx=error".into();
    }
    Ok(config)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strangers_cannot_reach_it_and_it_mails_nobody() {
        let options = |listen: &str| Options {
            listen: Some(listen.parse().unwrap()),
            data: "d".into(),
            orders: 1,
            users: 1,
            seed: 1,
            only_fill: false,
            still: false,
        };
        let mut config = Config::default();
        config.mail.smtp_url = Some("smtps://mail.example".into());
        assert!(of_demo(config.clone(), &options("0.0.0.0:8080")).unwrap_err().contains("loopback"));
        let demo = of_demo(config, &options("127.0.0.1:0")).unwrap();
        assert!(demo.mail.smtp_url.is_none() && demo.mail.folder == Some("d/mail".into()));
    }
}
