//! A private PostgreSQL for tests and the benchmark: it listens on a free loopback port and stops when this process ends.
//!
//! Never used by the running panel.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::net::TcpListener;
use std::os::unix::fs::OpenOptionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection};
use tokio::sync::OnceCell;

use crate::db::{Db, DbConfig, DbResult};

/// Error where PostgreSQL is not installed.
const INSTALL: &str =
    "PostgreSQL 15 or newer is needed (Debian: apt-get install postgresql); its initdb was not found";

/// Database that is migrated once and copied for every test.
const TEMPLATE: &str = "panel_template";
/// Free space that a cluster needs in `/dev/shm` and in memory: for its write-ahead log (2 GB at most) and a dozen databases.
const MEMORY_MIB: u64 = 3_000;
/// Files of a cluster that accepts encrypted connections.
const CERTIFICATE: &str = "server.crt";
const KEY: &str = "server.key";
/// Line of PostgreSQL's pid file that holds its state, counted from 0.
const STATE_LINE: usize = 7;

/// A database of one test. Once this is dropped, the cluster removes the database.
pub struct TestDatabase {
    /// Address of the database.
    pub url: String,
    name: String,
    released: Arc<Mutex<Vec<String>>>,
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        if let Ok(mut names) = self.released.lock() {
            names.push(std::mem::take(&mut self.name));
        }
    }
}

/// A running private cluster.
pub struct Cluster {
    port: u16,
    /// Created by the first call of [`Self::fresh_database`].
    template: OnceCell<()>,
    /// Number of the next database.
    databases: AtomicU32,
    /// Names of databases whose test has ended.
    released: Arc<Mutex<Vec<String>>>,
    /// The process that stops the cluster when its standard input closes, which it does when this process ends.
    _guard: Child,
}

impl Cluster {
    /// The cluster that all tests of this process share, without fsync.
    pub fn shared() -> Result<&'static Self, String> {
        static SHARED: OnceLock<Result<Cluster, String>> = OnceLock::new();
        SHARED.get_or_init(|| Self::start(false)).as_ref().map_err(Clone::clone)
    }

    /// Starts a cluster; `durable` leaves fsync on, as in production.
    pub fn start(durable: bool) -> Result<Self, String> {
        Self::start_by(durable, None)
    }

    /// Starts a cluster without fsync that also accepts encrypted connections, with this certificate and its key (PEM).
    pub fn start_with_tls(certificate: &str, key: &str) -> Result<Self, String> {
        Self::start_by(false, Some((certificate, key)))
    }

    fn start_by(durable: bool, tls: Option<(&str, &str)>) -> Result<Self, String> {
        let bin = find_bin().ok_or(INSTALL)?;
        let home =
            fresh_home(durable).map_err(|error| format!("cannot create the cluster's folder: {error}"))?;
        let data = home.join("data");
        let owner = owner();
        give(&home, owner)
            .map_err(|error| format!("cannot change the owner of the cluster's folder: {error}"))?;
        let init = as_user(&bin.join("initdb"), owner)
            .args(["-A", "trust", "-U", "panel", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync", "-D"])
            .arg(&data)
            .output()
            .map_err(|error| format!("failed to run initdb: {error}"))?;
        if !init.status.success() {
            return Err(format!("initdb failed: {}", String::from_utf8_lossy(&init.stderr)));
        }
        if let Some((certificate, key)) = tls {
            write_private(&home.join(CERTIFICATE), certificate, owner)
                .and_then(|()| write_private(&home.join(KEY), key, owner))
                .map_err(|error| format!("failed to write the cluster's certificate: {error}"))?;
        }
        let port = free_port().map_err(|error| format!("no free port: {error}"))?;
        let guard = run_guarded(&bin, &home, port, (durable, tls.is_some()), owner)
            .map_err(|error| format!("failed to start postgres: {error}"))?;
        let cluster = Self {
            port,
            template: OnceCell::new(),
            databases: AtomicU32::new(1),
            released: Arc::default(),
            _guard: guard,
        };
        cluster.wait(&home)?;
        Ok(cluster)
    }

    /// The address of one of its databases; `postgres` is there from the start.
    #[must_use]
    pub fn url(&self, database: &str) -> String {
        format!("postgres://panel@127.0.0.1:{}/{database}", self.port)
    }

    /// A new database with the panel's schema and no records. Cheap, as it copies a template that the first caller
    /// migrates. Databases of tests that have ended are removed first: each takes 12 MB of memory.
    pub async fn fresh_database(&self) -> DbResult<TestDatabase> {
        self.template.get_or_try_init(|| self.make_template()).await?;
        let released = self.released.lock().map(|mut names| std::mem::take(&mut *names)).unwrap_or_default();
        let name = format!("panel_{}", self.databases.fetch_add(1, Ordering::Relaxed));
        let mut statements: Vec<_> =
            released.into_iter().map(|name| format!("DROP DATABASE {name} WITH (FORCE)")).collect();
        statements.push(format!("CREATE DATABASE {name} TEMPLATE {TEMPLATE}"));
        self.administer(statements).await?;
        Ok(TestDatabase { url: self.url(&name), name, released: Arc::clone(&self.released) })
    }

    async fn make_template(&self) -> DbResult<()> {
        self.administer(vec![format!("CREATE DATABASE {TEMPLATE}")]).await?;
        let config = DbConfig {
            url: Some(self.url(TEMPLATE)),
            path: PathBuf::new(),
            max_connections: 2,
            is_durable: false,
        };
        // PostgreSQL copies a template only while no session is connected to it.
        Db::open(&config).await?.close().await;
        Ok(())
    }

    /// Runs statements that this module composed, each outside of a transaction.
    async fn administer(&self, statements: Vec<String>) -> DbResult<()> {
        let mut connection = PgConnection::connect(&self.url("postgres")).await?;
        for statement in statements {
            connection.execute(sqlx::raw_sql(AssertSqlSafe(statement))).await?;
        }
        connection.close().await?;
        Ok(())
    }

    /// Waits until the cluster accepts sessions. An open port does not prove that: it opens earlier.
    fn wait(&self, home: &Path) -> Result<(), String> {
        for _ in 0..600 {
            let state = std::fs::read_to_string(home.join("data/postmaster.pid")).unwrap_or_default();
            if state.lines().nth(STATE_LINE).is_some_and(|state| state.trim() == "ready") {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        let log = std::fs::read_to_string(home.join("log")).unwrap_or_default();
        Err(format!("postgres was not ready within 30 seconds: {log}"))
    }
}

fn run_guarded(
    bin: &Path,
    home: &Path,
    port: u16,
    (durable, has_tls): (bool, bool),
    owner: Option<(u32, u32)>,
) -> io::Result<Child> {
    // Databases of tests live for seconds: a vacuum would only slow the tests down.
    let switches = if durable {
        ""
    } else {
        "-c fsync=off -c synchronous_commit=off -c full_page_writes=off -c autovacuum=off"
    };
    let tls = if has_tls {
        let folder = home.display();
        format!("-c ssl=on -c ssl_cert_file='{folder}/{CERTIFICATE}' -c ssl_key_file='{folder}/{KEY}'")
    } else {
        String::new()
    };
    let script = format!(
        "'{}' -D '{home}/data' -k '{home}' -h 127.0.0.1 -p {port} -c max_connections=200 -c shared_buffers=256MB -c max_wal_size=2GB \
         -c log_min_messages=fatal {switches} {tls} >'{home}/log' 2>&1 & pid=$!; cat >/dev/null; kill -QUIT $pid; wait $pid; rm -rf '{home}'",
        bin.join("postgres").display(),
        home = home.display(),
    );
    let mut shell = as_user(Path::new("/bin/sh"), owner);
    // A process group of its own: Ctrl-C stops the tests first, and the cluster after them.
    shell
        .arg("-c")
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
}

fn as_user(program: &Path, owner: Option<(u32, u32)>) -> Command {
    let mut command = Command::new(program);
    command.current_dir("/");
    if let Some((uid, gid)) = owner {
        command.uid(uid).gid(gid);
    }
    command
}

/// The user and group to run PostgreSQL as where this process is root, which PostgreSQL refuses: `postgres` or `nobody`.
fn owner() -> Option<(u32, u32)> {
    let me = std::fs::metadata("/proc/self").ok()?;
    if std::os::unix::fs::MetadataExt::uid(&me) != 0 {
        return None;
    }
    let users = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let ids = |name: &str| {
        let line = users.lines().find(|line| line.split(':').next() == Some(name))?;
        let mut fields = line.split(':').skip(2);
        Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
    };
    ids("postgres").or_else(|| ids("nobody")).or(Some((65_534, 65_534)))
}

fn give(path: &Path, owner: Option<(u32, u32)>) -> io::Result<()> {
    match owner {
        Some((uid, gid)) => std::os::unix::fs::chown(path, Some(uid), Some(gid)),
        None => Ok(()),
    }
}

/// PostgreSQL refuses a key that others may read.
fn write_private(path: &Path, text: &str, owner: Option<(u32, u32)>) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())?;
    give(path, owner)
}

/// An empty folder for a cluster, in memory where durability does not matter and enough memory is free: a database is a
/// thousand files, and creating them on ext4 took a second, ten times as long as a test.
fn fresh_home(durable: bool) -> io::Result<PathBuf> {
    let name = format!("panel-pg-{}-{}", std::process::id(), uuid::Uuid::new_v4().simple());
    let memory = Path::new("/dev/shm");
    let fits = |free: Option<u64>| free.is_some_and(|free| free >= MEMORY_MIB);
    let is_in_memory = !durable && fits(free_mib(memory)) && fits(available_memory_mib());
    if !durable && !is_in_memory {
        eprintln!(
            "The tests' PostgreSQL writes to disk, which takes longer: /dev/shm or memory has less than {MEMORY_MIB} MiB free."
        );
    }
    let home = if is_in_memory { memory.join(name) } else { std::env::temp_dir().join(name) };
    std::fs::create_dir_all(&home)?;
    Ok(home)
}

/// Free space of a folder's file system; none where `df` fails.
fn free_mib(folder: &Path) -> Option<u64> {
    let output = Command::new("df").args(["--output=avail", "-BM"]).arg(folder).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.lines().nth(1)?.trim().trim_end_matches('M').parse().ok()
}

/// Memory that processes can allocate without swapping; none where the system is not Linux.
fn available_memory_mib() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kib / 1_024)
}

fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

fn find_bin() -> Option<PathBuf> {
    let mut places: Vec<PathBuf> =
        std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).collect();
    for root in ["/usr/lib/postgresql", "/usr/local/pgsql", "/opt/homebrew/opt"] {
        for entry in std::fs::read_dir(root).into_iter().flatten().flatten() {
            places.push(entry.path().join("bin"));
        }
    }
    places.into_iter().rev().find(|place| place.join("initdb").exists() && place.join("postgres").exists())
}
