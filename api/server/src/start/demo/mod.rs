//! `panel-server demo`: a demo panel that listens on this machine only, because the passwords of its accounts are public. It has
//! its own folder or database and must never use the data of another panel.

pub mod accounts;
mod channels;
mod live_activity;
mod panel_tokens;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use ipnet::IpNet;
use panel_demo::accounts::{ACCOUNTS, PASSWORD};
use panel_demo::{fill, images};
use panel_kernel::clock::SystemClock;
use panel_kernel::random::Random;

use crate::app::App;
use crate::pricing::available::IS_PROVIDER_AVAILABLE;
use crate::start::folder_lock;
use crate::start::listener::{StopSignals, listen, serve_until_signal};
use crate::start::telemetry::Telemetry;
use crate::start::terminal::print_message;
use panel_platform::config::{Config, LogFormat};

#[derive(Debug, Clone, Args)]
pub struct DemoOptions {
    /// Address to listen on. Only loopback addresses are allowed.
    #[arg(long)]
    pub listen: Option<SocketAddr>,
    /// Data folder, created if missing.
    #[arg(long, default_value = "data/demo")]
    pub data: PathBuf,
    /// Number of orders of a new demo.
    #[arg(long, default_value_t = 50_000, value_parser = clap::value_parser!(i64).range(0..=50_000_000))]
    pub orders: i64,
    /// Number of customers of a new demo.
    #[arg(long, default_value_t = 2_500, value_parser = clap::value_parser!(i64).range(1..=5_000_000))]
    pub users: i64,
    /// Seed of the invented records; the same seed gives the same records.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Exits after creating the records.
    #[arg(long)]
    pub only_fill: bool,
    /// Neither places nor delivers orders, for tests that need constant counts.
    #[arg(long)]
    pub still: bool,
}

/// Creates the records of a new demo, prints the accounts, and serves the demo.
pub async fn run(config: Config, options: DemoOptions) -> Result<(), String> {
    let config = demo_config(config, &options)?;
    let telemetry = Telemetry::init(&config)?;
    let result = serve_demo(config, options).await;
    telemetry.shutdown().await;
    result
}

async fn serve_demo(mut config: Config, options: DemoOptions) -> Result<(), String> {
    let _lock = folder_lock::acquire(&config)?;
    let listener = if options.only_fill { None } else { Some(listen(&mut config).await?) };
    let address = config.address();
    let app = App::start(config, Arc::new(SystemClock), Random::system()).await?;
    accounts::create_missing_accounts(&app).await.map_err(|error| error.report("").message)?;
    let size = fill::DemoSize { orders: options.orders, users: options.users, seed: options.seed };
    let report_step = |step: &str| print_message(&format!("Creating records: {step}"));
    let is_new = fill::fill(&app.db, size, app.clock.now(), IS_PROVIDER_AVAILABLE, report_step)
        .await
        .map_err(|error| error.to_string())?;
    if is_new {
        images::fill(&app, options.seed).await.map_err(|error| error.report("").message)?;
        panel_tokens::fill(&app).await.map_err(|error| error.report("").message)?;
    }
    let Some(listener) = listener else {
        app.db.close().await;
        return Ok(());
    };
    let stop_signals = StopSignals::register()?;
    print_message(&format!("The demo listens on {address}"));
    for account in ACCOUNTS {
        print_message(&format!("  {} / {}", account.email, PASSWORD));
    }
    // The variables hold the fake panels and feeds until the demo stops.
    let fake_panels = if options.still {
        Vec::new()
    } else {
        live_activity::start_fake_panels(&app).await.map_err(|error| error.report("").message)?
    };
    let _feeds = match options.still {
        true => None,
        false => Some(
            channels::start_feeds_and_subscriptions(&app).await.map_err(|error| error.report("").message)?,
        ),
    };
    if !fake_panels.is_empty() {
        print_message(&format!(
            "{} fake external panels deliver orders, customers place an order every few seconds, and channels publish every few minutes.",
            fake_panels.len()
        ));
        tokio::spawn(live_activity::place_orders_until_stopped(app.clone(), app.stop.subscribe()));
    }
    serve_until_signal(app, listener, stop_signals).await
}

/// Adapts the configuration to the demo.
fn demo_config(mut config: Config, options: &DemoOptions) -> Result<Config, String> {
    config.data_dir.clone_from(&options.data);
    config.listen = options.listen.unwrap_or(config.listen);
    if !config.listen.ip().is_loopback() {
        return Err(
            "the demo's passwords are public, so the demo can only listen on a loopback address: use --listen 127.0.0.1:8080"
                .into(),
        );
    }
    if config.mail.smtp_url.take().is_some() {
        print_message("The demo sends no emails. It writes them to its folder mail.");
    }
    config.mail.folder = Some(options.data.join("mail"));
    if options.still {
        // The external panels and channels are invented, so polls of their addresses would fail.
        config.panels.balance_poll_interval_minutes = 0;
        config.subscriptions.poll_interval_minutes = 0;
    }
    // A short interval, so that you can watch the counts change.
    config.counter.poll_interval_minutes = 1;
    // The fake external panels are on this machine.
    config.outbound.allow_http = true;
    config.outbound.allowed_networks.push(IpNet::from(IpAddr::V4(Ipv4Addr::LOCALHOST)));
    config.log_format = LogFormat::Text;
    if config.log_level == Config::default().log_level {
        // Creating the records runs a few long statements, about which sqlx would warn.
        config.log_level = "warn,sqlx=error".into();
    }
    Ok(config)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listens_on_loopback_only_and_sends_no_mail() {
        let options = |listen: &str| DemoOptions {
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
        assert!(demo_config(config.clone(), &options("0.0.0.0:8080")).unwrap_err().contains("loopback"));
        let demo = demo_config(config, &options("127.0.0.1:0")).unwrap();
        assert!(demo.mail.smtp_url.is_none() && demo.mail.folder == Some("d/mail".into()));
    }
}
