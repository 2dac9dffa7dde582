//! Binds the listener, and serves requests until a signal ends the process.

use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::app::App;
use crate::run::RunningServer;
use panel_platform::config::Config;
use panel_platform::quarantine;

/// The signals that ask the process to stop.
pub(crate) struct StopSignals {
    terminate: Signal,
    interrupt: Signal,
}

impl StopSignals {
    /// Handles SIGTERM and SIGINT from now on. Registered before the process prints that it listens, so that a supervisor that
    /// stops it immediately also gets an orderly stop.
    pub(crate) fn register() -> Result<Self, String> {
        let register_signal = |kind| signal(kind).map_err(|error| error.to_string());
        Ok(Self {
            terminate: register_signal(SignalKind::terminate())?,
            interrupt: register_signal(SignalKind::interrupt())?,
        })
    }

    async fn wait(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

/// Serves until SIGTERM or SIGINT.
pub(crate) async fn serve_until_signal(
    app: App,
    listener: TcpListener,
    mut stop: StopSignals,
) -> Result<(), String> {
    let to_message = |error: std::io::Error| error.to_string();
    app.quarantine.set_retry_program(quarantine::current_executable().map_err(to_message)?);
    let running = RunningServer::start(app, listener).map_err(to_message)?;
    stop.wait().await;
    tracing::info!("stopping");
    running.stop().await;
    Ok(())
}

/// Binds the configured address. With port 0 the system chooses a port, which is stored in `config`.
pub(crate) async fn listen(config: &mut Config) -> Result<TcpListener, String> {
    let to_message = |error: std::io::Error| format!("cannot listen on {}: {error}", config.listen);
    let listener = TcpListener::bind(config.listen).await.map_err(to_message)?;
    config.listen = listener.local_addr().map_err(to_message)?;
    Ok(listener)
}
