//! A running panel: the HTTP service, the live channel and the background work on one [`App`], until it is stopped.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::app::App;
use crate::router;
use crate::start::metrics::upkeep;
use panel_platform::{jobs, live};

/// How long what is served may take to end.
const GRACE: Duration = Duration::from_secs(9);
/// How long it may take to give back what this process still holds.
const LEAVING: Duration = Duration::from_secs(2);
/// How long background work takes to write down what a call brought.
const WRITING: Duration = Duration::from_secs(4);

/// A panel that serves.
pub struct Running {
    /// Its rooms.
    pub app: App,
    /// Where it listens.
    pub address: SocketAddr,
    tasks: Vec<JoinHandle<()>>,
    worker: JoinHandle<()>,
}

impl Running {
    /// Starts serving on `listener`.
    pub fn start(app: App, listener: TcpListener) -> std::io::Result<Self> {
        let address = listener.local_addr()?;
        let tasks = vec![
            tokio::spawn(router::serve::serve(app.clone(), listener)),
            tokio::spawn(live::broadcast::listen(app.platform.clone(), app.stop.subscribe())),
            tokio::spawn(upkeep(app.metrics.clone(), app.stop.subscribe())),
        ];
        let worker = tokio::spawn(crate::background::worker::run(app.clone(), app.stop.subscribe()));
        Ok(Self { app, address, tasks, worker })
    }

    /// Stops within ten seconds: no new connections, running requests finish, the database is closed. Where background work
    /// is just calling somebody it waits for as long as a call may take: an order placed at a panel must not be forgotten.
    pub async fn stop(self) {
        self.app.stop.send_replace(true);
        let over = async {
            for task in self.tasks {
                // A task that panicked is over as well.
                drop(task.await);
            }
            // Upgraded connections are no task of these: they end by themselves. No poller: those end in this moment as well.
            while self.app.live.open_sockets() > 0 {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        let calls = Duration::from_secs(self.app.config.outbound.seconds) + WRITING;
        let mut worker = self.worker;
        let (served, worked) = tokio::join!(timeout(GRACE, over), timeout(GRACE.max(calls), &mut worker));
        if served.is_err() || worked.is_err() {
            tracing::warn!(
                "background work did not end before the stop timeout; other processes take it over"
            );
        }
        if worked.is_err() {
            worker.abort();
            // Ended: what it held is other processes' from here on.
            drop(worker.await);
            if let Ok(Err(error)) = timeout(LEAVING, jobs::heartbeat::leave(&self.app)).await {
                tracing::warn!(%error, "failed to release leases at the stop; they expire by themselves");
            }
        }
        drop(timeout(Duration::from_secs(1), self.app.db.close()).await);
    }
}
