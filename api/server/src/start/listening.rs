//! Listening, and serving until a signal ends the process.

use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

use crate::app::App;
use crate::run::Running;
use panel_platform::config::Config;
use panel_platform::quarantine;

/// Serves until SIGTERM or SIGINT.
pub(crate) async fn until_told_to_stop(app: App, listener: TcpListener) -> Result<(), String> {
    let failed = |error: std::io::Error| error.to_string();
    let (mut terminate, mut interrupt) =
        (signal(SignalKind::terminate()).map_err(failed)?, signal(SignalKind::interrupt()).map_err(failed)?);
    app.quarantine.set_program(quarantine::this_program().map_err(failed)?);
    let running = Running::start(app, listener).map_err(failed)?;
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    tracing::info!("stopping");
    running.stop().await;
    Ok(())
}

/// Binds the configured address, or says that it cannot; with port 0 the system chooses one.
pub(crate) async fn listen(config: &mut Config) -> Result<TcpListener, String> {
    let failed = |error: std::io::Error| format!("{} cannot be listened on: {error}", config.listen);
    let listener = TcpListener::bind(config.listen).await.map_err(failed)?;
    config.listen = listener.local_addr().map_err(failed)?;
    Ok(listener)
}
