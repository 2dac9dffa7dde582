//! Starts, kills, freezes and resumes the server processes under test. Clients reach each server through its own proxy, which can
//! cut their connections.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::proxy::Proxy;

/// Time within which a server must become ready.
const READY_TIMEOUT: Duration = Duration::from_secs(45);

/// Parameters for starting servers.
#[derive(Debug, Clone)]
pub struct LaunchOptions {
    /// Path of panel-server.
    pub server_binary: PathBuf,
    pub data_dir: PathBuf,
    /// Folder for logs, mails and the control file.
    pub work_dir: PathBuf,
    /// URL of PostgreSQL through its proxy; `None` with SQLite.
    pub database_url: Option<String>,
    /// Path of the preloaded library; `None` if it could not be compiled.
    pub shim: Option<PathBuf>,
}

/// The file that controls the preloaded library: two integers of 64 bits in native byte order.
pub struct FaultControl(File);

impl FaultControl {
    /// Creates the file. At first the time is correct and no write fails.
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

    /// Makes every `interval`-th file write fail; 0 means that no write fails.
    pub fn fail_writes(&self, interval: i64) -> io::Result<()> {
        self.0.write_all_at(&interval.to_ne_bytes(), 8)
    }
}

/// A server process, running or killed.
pub struct Server {
    number: usize,
    port: u16,
    /// Clients connect to this proxy.
    pub proxy: Proxy,
    child: Option<Child>,
}

impl Server {
    pub async fn start(launch: &LaunchOptions, number: usize) -> io::Result<Self> {
        let port = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let mut server = Self { number, port, proxy: Proxy::start(port).await?, child: None };
        server.start_if_stopped(launch)?;
        Ok(server)
    }

    /// Starts the process if it is not running. Returns whether it started the process.
    pub fn start_if_stopped(&mut self, launch: &LaunchOptions) -> io::Result<bool> {
        if let Some(child) = &mut self.child
            && child.try_wait()?.is_none()
        {
            return Ok(false);
        }
        let log_path = launch.work_dir.join(format!("server-{}.log", self.number));
        let log_file = OpenOptions::new().create(true).append(true).open(log_path)?;
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
            .stdout(Stdio::from(log_file.try_clone()?))
            .stderr(Stdio::from(log_file));
        if let Some(url) = &launch.database_url {
            command.env("PANEL_DATABASE_URL", url);
        }
        if let Some(shim) = &launch.shim {
            command.env("LD_PRELOAD", shim);
        }
        self.child = Some(command.spawn()?);
        Ok(true)
    }

    fn send_signal(&self, signal: Signal) {
        let pid =
            self.child.as_ref().and_then(|child| i32::try_from(child.id()).ok()).and_then(Pid::from_raw);
        if let Some(pid) = pid {
            // An error means that the process has already exited.
            let _result = kill_process(pid, signal);
        }
    }

    /// Sends SIGKILL and waits until the process has exited.
    pub fn kill(&mut self) {
        self.send_signal(Signal::KILL);
        if let Some(mut child) = self.child.take() {
            drop(child.wait());
        }
    }

    /// Sends SIGTERM, as a rolling update does. The caller restarts the process after it has exited.
    pub fn terminate(&self) {
        self.send_signal(Signal::TERM);
    }

    pub fn freeze(&self) {
        self.send_signal(Signal::STOP);
    }

    pub fn resume(&self) {
        self.send_signal(Signal::CONT);
    }

    /// Waits until the server is ready, and restarts the process whenever it exits.
    ///
    /// # Errors
    /// The server was not ready before the timeout. The error contains its last response.
    pub async fn wait_until_ready(
        &mut self,
        launch: &LaunchOptions,
        client: &reqwest::Client,
    ) -> Result<(), String> {
        let started_at = tokio::time::Instant::now();
        let mut last_error = String::new();
        while started_at.elapsed() < READY_TIMEOUT {
            self.start_if_stopped(launch).map_err(|error| error.to_string())?;
            match client.get(format!("http://127.0.0.1:{}/readyz", self.port)).send().await {
                Ok(response) if response.status() == 200 => return Ok(()),
                Ok(response) => last_error = response.text().await.unwrap_or_default(),
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

    /// Sends SIGTERM, and SIGKILL if the process has not exited after twenty seconds.
    pub async fn stop(&mut self) {
        self.resume();
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

/// Kills the process, so that no server keeps running after an aborted run.
impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}
