//! A running panel: the HTTP service, the live channel and the background work on one [`App`], until it is stopped.

use std::net::SocketAddr;

use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::app::App;
use crate::{http, jobs, live};

/// A panel that serves.
pub struct Running {
    /// Its rooms.
    pub app: App,
    /// Where it listens.
    pub address: SocketAddr,
    tasks: Vec<JoinHandle<()>>,
}

impl Running {
    /// Starts serving on `listener`.
    pub fn start(app: App, listener: TcpListener) -> std::io::Result<Self> {
        let address = listener.local_addr()?;
        let tasks = vec![
            tokio::spawn(http::serve::serve(app.clone(), listener)),
            tokio::spawn(live::channel::run(app.clone(), app.stop.subscribe())),
            tokio::spawn(jobs::worker::run(app.clone(), app.stop.subscribe())),
        ];
        Ok(Self { app, address, tasks })
    }

    /// Stops: no new connections, running requests finish, the database is closed.
    pub async fn stop(self) {
        self.app.stop.send_replace(true);
        for task in self.tasks {
            // A task that panicked is over as well.
            drop(task.await);
        }
        self.app.db.close().await;
    }
}
