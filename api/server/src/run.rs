//! A running panel: the HTTP service, the live channel and the background work on one [`App`], until it is stopped.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::app::App;
use crate::router;
use crate::start::metrics::run_histogram_upkeep;
use panel_platform::{jobs, live};

/// Timeout for finishing running requests when the server stops.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(9);
/// Timeout for releasing the leases of this process.
const RELEASE_TIMEOUT: Duration = Duration::from_secs(2);
/// Time that background work needs to record the outcome of a call.
const RECORD_MARGIN: Duration = Duration::from_secs(4);

pub struct RunningServer {
    pub app: App,
    pub address: SocketAddr,
    tasks: Vec<JoinHandle<()>>,
    worker: JoinHandle<()>,
}

impl RunningServer {
    /// Starts serving on `listener`.
    pub fn start(app: App, listener: TcpListener) -> std::io::Result<Self> {
        let address = listener.local_addr()?;
        let tasks = vec![
            tokio::spawn(router::serve::serve(app.clone(), listener)),
            tokio::spawn(live::broadcast::listen(app.platform.clone(), app.stop.subscribe())),
            tokio::spawn(run_histogram_upkeep(app.metrics.clone(), app.stop.subscribe())),
        ];
        let worker = tokio::spawn(crate::background::worker::run(app.clone(), app.stop.subscribe()));
        Ok(Self { app, address, tasks, worker })
    }

    /// Stops within ten seconds: accepts no connections, finishes running requests, closes the database. If background work is
    /// calling another machine, it waits as long as a call may take, so that an order placed at a panel is recorded.
    pub async fn stop(self) {
        self.app.stop.send_replace(true);
        let finish_requests = async {
            for task in self.tasks {
                // A task that panicked has ended as well.
                drop(task.await);
            }
            // Upgraded connections are not among these tasks and end by themselves. This loop is no poller, because pollers are
            // ending as well.
            while self.app.live.open_sockets() > 0 {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        let max_call_time = Duration::from_secs(self.app.config.outbound.timeout_seconds) + RECORD_MARGIN;
        let mut worker = self.worker;
        let (requests_result, worker_result) = tokio::join!(
            timeout(SHUTDOWN_TIMEOUT, finish_requests),
            timeout(SHUTDOWN_TIMEOUT.max(max_call_time), &mut worker)
        );
        if requests_result.is_err() || worker_result.is_err() {
            tracing::warn!(
                "background work did not end before the stop timeout; other processes take it over"
            );
        }
        if worker_result.is_err() {
            worker.abort();
            // The worker has ended, so other processes may claim its leases from now on.
            drop(worker.await);
            if let Ok(Err(error)) = timeout(RELEASE_TIMEOUT, jobs::heartbeat::deregister(&self.app)).await {
                tracing::warn!(%error, "failed to release leases at the stop; they expire by themselves");
            }
        }
        drop(timeout(Duration::from_secs(1), self.app.db.close()).await);
    }
}
