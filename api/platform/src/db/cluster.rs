//! A private PostgreSQL for tests and the benchmark: it listens on a free loopback port and stops when this process ends.
//!
//! The running panel never uses this module.

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

const NOT_INSTALLED: &str =
    "PostgreSQL 15 or newer is needed (Debian: apt-get install postgresql); its initdb was not found";

/// Database that is migrated once and copied for every test.
const TEMPLATE_DATABASE: &str = "panel_template";
/// Free space that a cluster needs in `/dev/shm` and in memory: for its write-ahead log (2 GB at most) and a dozen databases.
const MEMORY_MIB: u64 = 3_000;
/// Files of a cluster that accepts encrypted connections.
const CERTIFICATE_FILE: &str = "server.crt";
const KEY_FILE: &str = "server.key";
/// Line of PostgreSQL's pid file that holds its state, counted from 0.
const STATE_LINE: usize = 7;

/// A database of one test. After this is dropped, the cluster removes the database.
pub struct TestDatabase {
    pub url: String,
    name: String,
    /// [`Cluster::released_databases`].
    released_databases: Arc<Mutex<Vec<String>>>,
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        if let Ok(mut names) = self.released_databases.lock() {
            names.push(std::mem::take(&mut self.name));
        }
    }
}

/// A running private cluster.
pub struct Cluster {
    port: u16,
    /// Created by the first call of [`Self::fresh_database`].
    template: OnceCell<()>,
    next_database_number: AtomicU32,
    /// Names of databases whose test has ended.
    released_databases: Arc<Mutex<Vec<String>>>,
    /// A shell that runs the cluster and stops it when its standard input closes, because this process has ended.
    _shell: Child,
}

impl Cluster {
    /// Returns the cluster that all tests of this process share; it runs without fsync.
    pub fn shared() -> Result<&'static Self, String> {
        static SHARED: OnceLock<Result<Cluster, String>> = OnceLock::new();
        SHARED.get_or_init(|| Self::start(false)).as_ref().map_err(Clone::clone)
    }

    /// Starts a cluster; `durable` leaves fsync on, as in production.
    pub fn start(durable: bool) -> Result<Self, String> {
        Self::start_with_options(ClusterOptions { is_durable: durable, has_tls: false }, None)
    }

    /// Starts a cluster without fsync that also accepts encrypted connections, with this certificate and its key (PEM).
    pub fn start_with_tls(certificate: &str, key: &str) -> Result<Self, String> {
        let options = ClusterOptions { is_durable: false, has_tls: true };
        Self::start_with_options(options, Some((certificate, key)))
    }

    fn start_with_options(options: ClusterOptions, tls: Option<(&str, &str)>) -> Result<Self, String> {
        let bin = find_bin_folder().ok_or(NOT_INSTALLED)?;
        let home = create_home(options.is_durable)
            .map_err(|error| format!("cannot create the cluster's folder: {error}"))?;
        let data = home.join("data");
        let owner = unprivileged_owner();
        change_owner(&home, owner)
            .map_err(|error| format!("cannot change the owner of the cluster's folder: {error}"))?;
        let init = command_as(&bin.join("initdb"), owner)
            .args(["-A", "trust", "-U", "panel", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync", "-D"])
            .arg(&data)
            .output()
            .map_err(|error| format!("failed to run initdb: {error}"))?;
        if !init.status.success() {
            return Err(format!("initdb failed: {}", String::from_utf8_lossy(&init.stderr)));
        }
        if let Some((certificate, key)) = tls {
            write_private(&home.join(CERTIFICATE_FILE), certificate, owner)
                .and_then(|()| write_private(&home.join(KEY_FILE), key, owner))
                .map_err(|error| format!("failed to write the cluster's certificate: {error}"))?;
        }
        let port = free_port().map_err(|error| format!("no free port: {error}"))?;
        let shell = spawn_server(&bin, &home, port, options, owner)
            .map_err(|error| format!("failed to start postgres: {error}"))?;
        let cluster = Self {
            port,
            template: OnceCell::new(),
            next_database_number: AtomicU32::new(1),
            released_databases: Arc::default(),
            _shell: shell,
        };
        cluster.wait_until_ready(&home)?;
        Ok(cluster)
    }

    /// The address of one of the cluster's databases; a new cluster has the database `postgres`.
    #[must_use]
    pub fn url(&self, database: &str) -> String {
        format!("postgres://panel@127.0.0.1:{}/{database}", self.port)
    }

    /// Creates a database with the panel's schema and no records. Cheap, because it copies a template that the first caller
    /// migrates. Removes the databases of tests that have ended before: each takes 12 MB of memory.
    pub async fn fresh_database(&self) -> DbResult<TestDatabase> {
        self.template.get_or_try_init(|| self.create_template()).await?;
        let released =
            self.released_databases.lock().map(|mut names| std::mem::take(&mut *names)).unwrap_or_default();
        let name = format!("panel_{}", self.next_database_number.fetch_add(1, Ordering::Relaxed));
        let mut statements: Vec<_> =
            released.into_iter().map(|name| format!("DROP DATABASE {name} WITH (FORCE)")).collect();
        statements.push(format!("CREATE DATABASE {name} TEMPLATE {TEMPLATE_DATABASE}"));
        self.run_outside_of_transactions(statements).await?;
        let released_databases = Arc::clone(&self.released_databases);
        Ok(TestDatabase { url: self.url(&name), name, released_databases })
    }

    async fn create_template(&self) -> DbResult<()> {
        self.run_outside_of_transactions(vec![format!("CREATE DATABASE {TEMPLATE_DATABASE}")]).await?;
        let config = DbConfig {
            url: Some(self.url(TEMPLATE_DATABASE)),
            path: PathBuf::new(),
            max_connections: 2,
            is_durable: false,
        };
        // PostgreSQL copies a template only while no session is connected to it.
        Db::open(&config).await?.close().await;
        Ok(())
    }

    /// Runs statements that this module composed, such as `CREATE DATABASE`, which PostgreSQL rejects in a transaction.
    async fn run_outside_of_transactions(&self, statements: Vec<String>) -> DbResult<()> {
        let mut connection = PgConnection::connect(&self.url("postgres")).await?;
        for statement in statements {
            connection.execute(sqlx::raw_sql(AssertSqlSafe(statement))).await?;
        }
        connection.close().await?;
        Ok(())
    }

    /// Waits until the cluster accepts sessions. The open port does not prove that, because PostgreSQL opens it earlier.
    fn wait_until_ready(&self, home: &Path) -> Result<(), String> {
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

#[derive(Clone, Copy)]
struct ClusterOptions {
    /// Whether commits are synced to the disk.
    is_durable: bool,
    has_tls: bool,
}

/// Starts PostgreSQL under a shell that stops it, and deletes its files, when this process ends.
fn spawn_server(
    bin: &Path,
    home: &Path,
    port: u16,
    options: ClusterOptions,
    owner: Option<(u32, u32)>,
) -> io::Result<Child> {
    // Databases of tests exist for seconds: a vacuum would only slow the tests down.
    let durability = if options.is_durable {
        ""
    } else {
        "-c fsync=off -c synchronous_commit=off -c full_page_writes=off -c autovacuum=off"
    };
    let tls = if options.has_tls {
        let folder = home.display();
        format!(
            "-c ssl=on -c ssl_cert_file='{folder}/{CERTIFICATE_FILE}' -c ssl_key_file='{folder}/{KEY_FILE}'"
        )
    } else {
        String::new()
    };
    let script = format!(
        "'{}' -D '{home}/data' -k '{home}' -h 127.0.0.1 -p {port} -c max_connections=200 -c shared_buffers=256MB -c max_wal_size=2GB \
         -c log_min_messages=fatal {durability} {tls} >'{home}/log' 2>&1 & pid=$!; cat >/dev/null; kill -QUIT $pid; wait $pid; rm -rf '{home}'",
        bin.join("postgres").display(),
        home = home.display(),
    );
    let mut shell = command_as(Path::new("/bin/sh"), owner);
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

fn command_as(program: &Path, owner: Option<(u32, u32)>) -> Command {
    let mut command = Command::new(program);
    command.current_dir("/");
    if let Some((uid, gid)) = owner {
        command.uid(uid).gid(gid);
    }
    command
}

/// PostgreSQL refuses to run as root. If this process is root, returns the ids of the user and group to run PostgreSQL as:
/// `postgres` or `nobody`.
fn unprivileged_owner() -> Option<(u32, u32)> {
    let this_process = std::fs::metadata("/proc/self").ok()?;
    if std::os::unix::fs::MetadataExt::uid(&this_process) != 0 {
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

fn change_owner(path: &Path, owner: Option<(u32, u32)>) -> io::Result<()> {
    match owner {
        Some((uid, gid)) => std::os::unix::fs::chown(path, Some(uid), Some(gid)),
        None => Ok(()),
    }
}

/// Writes a file that only its owner may read. PostgreSQL rejects a key file with wider permissions.
fn write_private(path: &Path, text: &str, owner: Option<(u32, u32)>) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())?;
    change_owner(path, owner)
}

/// Creates an empty folder for a cluster: in memory if durability does not matter and enough memory is free. A database has a
/// thousand files, and creating them on ext4 took a second, ten times as long as a test.
fn create_home(is_durable: bool) -> io::Result<PathBuf> {
    let name = format!("panel-pg-{}-{}", std::process::id(), uuid::Uuid::new_v4().simple());
    let memory = Path::new("/dev/shm");
    let is_enough = |free_mib: Option<u64>| free_mib.is_some_and(|free_mib| free_mib >= MEMORY_MIB);
    let is_in_memory = !is_durable && is_enough(free_mib(memory)) && is_enough(available_memory_mib());
    if !is_durable && !is_in_memory {
        eprintln!(
            "The tests' PostgreSQL writes to disk, which takes longer: /dev/shm or memory has less than {MEMORY_MIB} MiB free."
        );
    }
    let home = if is_in_memory { memory.join(name) } else { std::env::temp_dir().join(name) };
    std::fs::create_dir_all(&home)?;
    Ok(home)
}

/// Reads the free space of a folder's file system; `None` if `df` fails.
fn free_mib(folder: &Path) -> Option<u64> {
    let output = Command::new("df").args(["--output=avail", "-BM"]).arg(folder).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.lines().nth(1)?.trim().trim_end_matches('M').parse().ok()
}

/// Reads how much memory processes can allocate without swapping; `None` on systems other than Linux.
fn available_memory_mib() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kib / 1_024)
}

fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

fn find_bin_folder() -> Option<PathBuf> {
    let mut folders: Vec<PathBuf> =
        std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).collect();
    for root in ["/usr/lib/postgresql", "/usr/local/pgsql", "/opt/homebrew/opt"] {
        for entry in std::fs::read_dir(root).into_iter().flatten().flatten() {
            folders.push(entry.path().join("bin"));
        }
    }
    // A folder of a PostgreSQL installation comes before the folders of PATH.
    folders
        .into_iter()
        .rev()
        .find(|folder| folder.join("initdb").exists() && folder.join("postgres").exists())
}
