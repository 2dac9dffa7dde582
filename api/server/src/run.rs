//! Runs the server: the HTTP service, the real-time channels and the background work of one [`App`], until it is stopped.

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
/// Timeout for releasing the leases of this process at shutdown.
const RELEASE_TIMEOUT: Duration = Duration::from_secs(2);
/// Time that background work needs to record the outcome of a request to another machine.
const RECORD_OUTCOME_TIME: Duration = Duration::from_secs(4);

pub struct RunningServer {
    pub app: App,
    pub address: SocketAddr,
    server_tasks: Vec<JoinHandle<()>>,
    worker: JoinHandle<()>,
}

impl RunningServer {
    /// Starts serving on `listener`.
    pub fn start(app: App, listener: TcpListener) -> std::io::Result<Self> {
        let address = listener.local_addr()?;
        let server_tasks = vec![
            tokio::spawn(router::serve::serve(app.clone(), listener)),
            tokio::spawn(live::broadcast::listen(app.platform.clone(), app.stop.subscribe())),
            tokio::spawn(run_histogram_upkeep(app.metrics_handle.clone(), app.stop.subscribe())),
        ];
        let worker = tokio::spawn(crate::background::worker::run(app.clone(), app.stop.subscribe()));
        Ok(Self { app, address, server_tasks, worker })
    }

    /// Stops within ten seconds: accepts no new connections, finishes running requests, and closes the database. If background
    /// work has sent a request to another machine, `stop` waits as long as such a request may take, so that an order that an
    /// external panel accepted is recorded.
    pub async fn stop(self) {
        self.app.stop.send_replace(true);
        let finish_requests = async {
            for task in self.server_tasks {
                // A task that panicked has ended as well.
                drop(task.await);
            }
            // WebSocket connections run in tasks of their own, which end by themselves. A poller cannot wait for them, because the
            // pollers are stopped as well.
            while self.app.live.open_sockets() > 0 {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        let max_request_time =
            Duration::from_secs(self.app.config.outbound.timeout_seconds) + RECORD_OUTCOME_TIME;
        let mut worker = self.worker;
        let (finish_result, worker_result) = tokio::join!(
            timeout(SHUTDOWN_TIMEOUT, finish_requests),
            timeout(SHUTDOWN_TIMEOUT.max(max_request_time), &mut worker)
        );
        if finish_result.is_err() || worker_result.is_err() {
            tracing::warn!(
                "requests or background work did not end before the stop timeout; other processes take over the background work"
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
