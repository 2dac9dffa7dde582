//! Starts, kills, freezes and continues the server processes under test. Each is behind its own proxy, which can cut the
//! connections of clients.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::proxy::Proxy;

/// Timeout until a server is ready.
const READY_TIMEOUT: Duration = Duration::from_secs(45);

/// Parameters for starting servers.
#[derive(Debug, Clone)]
pub struct LaunchOptions {
    /// Path of panel-server.
    pub server_binary: PathBuf,
    pub data_dir: PathBuf,
    /// Folder for logs, mails and the control file.
    pub work_dir: PathBuf,
    /// Of PostgreSQL, through its proxy; `None` with SQLite.
    pub database_url: Option<String>,
    /// The preloaded library, if it could be compiled.
    pub shim: Option<PathBuf>,
}

/// The control file that the preloaded library reads.
pub struct FaultControl(File);

impl FaultControl {
    /// Creates the file: correct time, no failing writes.
    pub fn create(work_dir: &Path) -> io::Result<Self> {
        let file =
            OpenOptions::new().create(true).truncate(true).write(true).open(work_dir.join("control"))?;
        let control = Self(file);
        control.shift_clock_secs(0)?;
        control.fail_writes(0)?;
        Ok(control)
    }

    /// Shifts the servers' clock by this many seconds.
    pub fn shift_clock_secs(&self, secs: i64) -> io::Result<()> {
        self.0.write_all_at(&secs.to_ne_bytes(), 0)
    }

    /// Makes one of `interval` file writes fail; with 0 none.
    pub fn fail_writes(&self, interval: i64) -> io::Result<()> {
        self.0.write_all_at(&interval.to_ne_bytes(), 8)
    }
}

/// A server process, running or killed.
pub struct Server {
    number: usize,
    port: u16,
    /// The proxy for its clients.
    pub proxy: Proxy,
    child: Option<Child>,
}

impl Server {
    pub async fn start(launch: &LaunchOptions, number: usize) -> io::Result<Self> {
        let port = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let mut server = Self { number, port, proxy: Proxy::start(port).await?, child: None };
        server.restart(launch)?;
        Ok(server)
    }

    /// Starts the server if it is not running. Returns whether it was started.
    pub fn restart(&mut self, launch: &LaunchOptions) -> io::Result<bool> {
        if let Some(child) = &mut self.child
            && child.try_wait()?.is_none()
        {
            return Ok(false);
        }
        let log = launch.work_dir.join(format!("server-{}.log", self.number));
        let log = OpenOptions::new().create(true).append(true).open(log)?;
        let mut command = Command::new(&launch.server_binary);
        command
            .env_clear()
            .current_dir(&launch.work_dir)
            .env("PANEL_DATA_DIR", &launch.data_dir)
            .env("PANEL_LISTEN", format!("127.0.0.1:{}", self.port))
            .env("PANEL_LIMITS__REQUESTS_PER_MINUTE", "1000000")
            .env("PANEL_LIMITS__ADDRESS_REQUESTS_PER_MINUTE", "1000000")
            .env("PANEL_LOG_LEVEL", "warn")
            .env("PANEL_DATABASE_CONNECTIONS", "8")
            .env("PANEL_OUTBOUND__ALLOW_HTTP", "true")
            .env("PANEL_OUTBOUND__ALLOWED_NETWORKS", "[\"127.0.0.0/8\"]")
            .env("PANEL_OUTBOUND__TIMEOUT_SECONDS", "2")
            .env("PANEL_OUTBOUND__PANEL_CALLS_PER_SECOND", "60")
            .env("PANEL_MAIL__FOLDER", launch.work_dir.join("mail"))
            .env("PANEL_MAIL__FROM", "Panel <noreply@panel.test>")
            .env("TORTURE_CONTROL", launch.work_dir.join("control"))
            .stdin(Stdio::null())
            .stdout(Stdio::from(log.try_clone()?))
            .stderr(Stdio::from(log));
        if let Some(url) = &launch.database_url {
            command.env("PANEL_DATABASE_URL", url);
        }
        if let Some(shim) = &launch.shim {
            command.env("LD_PRELOAD", shim);
        }
        self.child = Some(command.spawn()?);
        Ok(true)
    }

    fn signal(&self, signal: Signal) {
        let pid =
            self.child.as_ref().and_then(|child| i32::try_from(child.id()).ok()).and_then(Pid::from_raw);
        if let Some(pid) = pid {
            // A process that has ended needs no signal.
            let _ended = kill_process(pid, signal);
        }
    }

    /// Sends SIGKILL and waits until the process has ended.
    pub fn kill(&mut self) {
        self.signal(Signal::KILL);
        if let Some(mut child) = self.child.take() {
            drop(child.wait());
        }
    }

    /// Sends SIGTERM, as a rolling update does. The caller restarts the process after it has ended.
    pub fn terminate(&self) {
        self.signal(Signal::TERM);
    }

    pub fn freeze(&self) {
        self.signal(Signal::STOP);
    }

    pub fn thaw(&self) {
        self.signal(Signal::CONT);
    }

    /// Waits until the server is ready; restarts it when its process ends.
    ///
    /// # Errors
    /// The server was not ready before the timeout; the text has its last answer.
    pub async fn wait_until_ready(
        &mut self,
        launch: &LaunchOptions,
        client: &reqwest::Client,
    ) -> Result<(), String> {
        let started_at = tokio::time::Instant::now();
        let mut last_error = String::new();
        while started_at.elapsed() < READY_TIMEOUT {
            self.restart(launch).map_err(|error| error.to_string())?;
            match client.get(format!("http://127.0.0.1:{}/readyz", self.port)).send().await {
                Ok(answer) if answer.status() == 200 => return Ok(()),
                Ok(answer) => last_error = answer.text().await.unwrap_or_default(),
                Err(error) => last_error = error.to_string(),
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        Err(format!(
            "server {} was not ready {} s after the faults: {last_error}",
            self.number,
            READY_TIMEOUT.as_secs()
        ))
    }

    /// Sends SIGTERM, and SIGKILL if the process has not ended after twenty seconds.
    pub async fn stop(&mut self) {
        self.thaw();
        self.terminate();
        for _ in 0..200 {
            let Some(child) = &mut self.child else { return };
            if matches!(child.try_wait(), Ok(Some(_))) {
                self.child = None;
                return;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        self.kill();
    }
}

/// Kills the process, so that an aborted run leaves none behind.
impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}
