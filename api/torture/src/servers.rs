//! The processes under torture: started, killed, stopped and let go on. Each is behind a proxy of its own, so that its
//! clients' connections can be cut.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::proxy::Proxy;

/// How long a server may take until it is ready.
const READY: Duration = Duration::from_secs(45);

/// How every server is started.
#[derive(Debug, Clone)]
pub struct Launch {
    /// The program.
    pub program: PathBuf,
    /// The folder of data.
    pub data: PathBuf,
    /// Where logs, mails and the control file are.
    pub home: PathBuf,
    /// PostgreSQL, behind its proxy.
    pub url: Option<String>,
    /// The preloaded library, where it could be compiled.
    pub shim: Option<PathBuf>,
}

/// What the preloaded library reads.
pub struct Control(File);

impl Control {
    /// Makes the file: the right time, and no write fails.
    pub fn make(home: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().create(true).truncate(true).write(true).open(home.join("control"))?;
        let control = Self(file);
        control.shift_clock_secs(0)?;
        control.fail_writes(0)?;
        Ok(control)
    }

    /// The servers' clock differs by so many seconds from now on.
    pub fn shift_clock_secs(&self, secs: i64) -> io::Result<()> {
        self.0.write_all_at(&secs.to_ne_bytes(), 0)
    }

    /// One of so many writes to files fails from now on; of 0 none.
    pub fn fail_writes(&self, of: i64) -> io::Result<()> {
        self.0.write_all_at(&of.to_ne_bytes(), 8)
    }
}

/// One process, or the place of one that was killed.
pub struct Server {
    number: usize,
    port: u16,
    /// Where its clients call.
    pub proxy: Proxy,
    child: Option<Child>,
}

impl Server {
    /// Starts it.
    pub async fn start(launch: &Launch, number: usize) -> io::Result<Self> {
        let port = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let mut server = Self { number, port, proxy: Proxy::before(port).await?, child: None };
        server.restart(launch)?;
        Ok(server)
    }

    /// Starts it where it does not run; whether it did not.
    pub fn restart(&mut self, launch: &Launch) -> io::Result<bool> {
        if let Some(child) = &mut self.child
            && child.try_wait()?.is_none()
        {
            return Ok(false);
        }
        let log = launch.home.join(format!("server-{}.log", self.number));
        let log = OpenOptions::new().create(true).append(true).open(log)?;
        let mut command = Command::new(&launch.program);
        command
            .env_clear()
            .current_dir(&launch.home)
            .env("PANEL_DATA_DIR", &launch.data)
            .env("PANEL_LISTEN", format!("127.0.0.1:{}", self.port))
            .env("PANEL_LIMITS__REQUESTS_PER_MINUTE", "1000000")
            .env("PANEL_LIMITS__ADDRESS_REQUESTS_PER_MINUTE", "1000000")
            .env("PANEL_LOG_LEVEL", "warn")
            .env("PANEL_DATABASE_CONNECTIONS", "8")
            .env("PANEL_OUTBOUND__ALLOW_HTTP", "true")
            .env("PANEL_OUTBOUND__ALLOWED_NETWORKS", "[\"127.0.0.0/8\"]")
            .env("PANEL_OUTBOUND__SECONDS", "2")
            .env("PANEL_OUTBOUND__PANEL_CALLS_PER_SECOND", "60")
            .env("PANEL_MAIL__FOLDER", launch.home.join("mail"))
            .env("PANEL_MAIL__FROM", "Panel <noreply@panel.test>")
            .env("TORTURE_CONTROL", launch.home.join("control"))
            .stdin(Stdio::null())
            .stdout(Stdio::from(log.try_clone()?))
            .stderr(Stdio::from(log));
        if let Some(url) = &launch.url {
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
            // One that ended by itself needs no signal.
            let _ended = kill_process(pid, signal);
        }
    }

    /// Kills it without a warning.
    pub fn kill(&mut self) {
        self.signal(Signal::KILL);
        if let Some(mut child) = self.child.take() {
            drop(child.wait());
        }
    }

    /// Asks it to end, as a rolling update does; it is started again when it has ended.
    pub fn end(&self) {
        self.signal(Signal::TERM);
    }

    /// Stops it in the middle of whatever it does.
    pub fn freeze(&self) {
        self.signal(Signal::STOP);
    }

    /// Lets it go on.
    pub fn thaw(&self) {
        self.signal(Signal::CONT);
    }

    /// Waits until it says that it is ready; how it failed otherwise.
    pub async fn ready(&mut self, launch: &Launch, client: &reqwest::Client) -> Result<(), String> {
        let begun = tokio::time::Instant::now();
        let mut last = String::new();
        while begun.elapsed() < READY {
            self.restart(launch).map_err(|error| error.to_string())?;
            match client.get(format!("http://127.0.0.1:{}/readyz", self.port)).send().await {
                Ok(answer) if answer.status() == 200 => return Ok(()),
                Ok(answer) => last = answer.text().await.unwrap_or_default(),
                Err(error) => last = error.to_string(),
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        Err(format!("server {} was not ready {} s after the faults: {last}", self.number, READY.as_secs()))
    }

    /// Ends it in an orderly way, or kills it after twenty seconds.
    pub async fn stop(&mut self) {
        self.thaw();
        self.end();
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

/// A run that ends early leaves no program behind.
impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}
