//! Binds the listener, and serves requests until a signal stops the process.

use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::app::App;
use crate::run::RunningServer;
use panel_platform::config::Config;
use panel_platform::quarantine;

/// The signals that stop the server gracefully.
pub(crate) struct StopSignals {
    terminate: Signal,
    interrupt: Signal,
}

impl StopSignals {
    /// Handles SIGTERM and SIGINT from now on. Call this before the process prints that it listens, so that a supervisor that
    /// stops the process immediately after that line also gets a graceful stop.
    pub(crate) fn register() -> Result<Self, String> {
        let register_signal = |kind| signal(kind).map_err(|error| error.to_string());
        Ok(Self {
            terminate: register_signal(SignalKind::terminate())?,
            interrupt: register_signal(SignalKind::interrupt())?,
        })
    }

    async fn wait_for_signal(&mut self) {
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
    mut stop_signals: StopSignals,
) -> Result<(), String> {
    let to_message = |error: std::io::Error| error.to_string();
    app.quarantine.set_retry_program(quarantine::current_executable().map_err(to_message)?);
    let running = RunningServer::start(app, listener).map_err(to_message)?;
    stop_signals.wait_for_signal().await;
    tracing::info!("received a stop signal; stopping the server");
    running.stop().await;
    Ok(())
}

/// Binds the configured address. If the port is 0, the system chooses a port, and the function stores it in `config`.
pub(crate) async fn listen(config: &mut Config) -> Result<TcpListener, String> {
    let to_message = |error: std::io::Error| format!("cannot listen on {}: {error}", config.listen);
    let listener = TcpListener::bind(config.listen).await.map_err(to_message)?;
    config.listen = listener.local_addr().map_err(to_message)?;
    Ok(listener)
}
