//! Signals that ask the program to end: the terminal is given back first.

use std::process::ExitCode;

#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Waits for them.
#[cfg(unix)]
#[derive(Debug)]
pub(crate) struct Signals(Signal, Signal, Signal);

#[cfg(unix)]
impl Signals {
    pub(crate) fn listen() -> std::io::Result<Self> {
        let of = |kind| signal(kind);
        Ok(Self(of(SignalKind::interrupt())?, of(SignalKind::terminate())?, of(SignalKind::hangup())?))
    }

    /// The exit status of the one that came, as shells have it.
    pub(crate) async fn next(&mut self) -> ExitCode {
        tokio::select! {
            _ = self.0.recv() => ExitCode::from(130),
            _ = self.1.recv() => ExitCode::from(143),
            _ = self.2.recv() => ExitCode::from(129),
        }
    }
}

/// Waits for Ctrl-C, which is all there is.
#[cfg(not(unix))]
#[derive(Debug)]
pub(crate) struct Signals;

#[cfg(not(unix))]
impl Signals {
    pub(crate) fn listen() -> std::io::Result<Self> {
        Ok(Self)
    }

    pub(crate) async fn next(&mut self) -> ExitCode {
        drop(tokio::signal::ctrl_c().await);
        ExitCode::from(130)
    }
}
